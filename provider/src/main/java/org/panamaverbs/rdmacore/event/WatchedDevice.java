package org.panamaverbs.rdmacore.event;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.AsynchronousEvent;

/** A device, as the thread sees it that reads its events. */
public interface WatchedDevice {
    String name();

    /** Its {@code ibv_context}, which has the descriptor of asynchronous events. */
    MemorySegment context();

    /** Publishes an event to the program. */
    void publish(AsynchronousEvent event);

    /** Probes the connections that were idle since the last call. */
    void probe();

    /** Something happened to a port. */
    void onPort(AsynchronousEvent.Type type, int port);

    /** The device failed, or is gone: each wait for something of the device fails too. Only the first time counts. */
    void fail(String how);
}
