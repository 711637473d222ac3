package org.panamaverbs.rdmacore.event;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.bindings.rdma.ibv_async_event;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the asynchronous events of devices: notifies the object that each names, and the listeners of its device. */
final class AsynchronousReader {
    private static final Logger LOG = LoggerFactory.getLogger(AsynchronousReader.class);
    private static final int TYPES = AsynchronousEvent.Type.values().length;

    private final MemorySegment event;

    AsynchronousReader(Arena arena) {
        this.event = ibv_async_event.allocate(arena);
    }

    /** Reads all that there are. Of which session does not matter: all of them share a device's descriptor. */
    void read(WatchedDevice device) {
        while (Calls.GET_ASYNC_EVENT.number(device.context(), event) == 0) {
            int value = ibv_async_event.event_type(event);
            EventSource source = null;
            try {
                source = dispatch(device, value);
            } finally {
                Calls.ACK_ASYNC_EVENT.run(event);
            }
            if (source != null) {
                source.afterAsynchronous(AsynchronousEvent.Type.of(value));
            }
        }
    }

    private EventSource dispatch(WatchedDevice device, int value) {
        if (value < 0 || value >= TYPES) {
            LOG.warn("device {} raised asynchronous event {}, which has no name here", device.name(), value);
            return null;
        }
        return dispatch(device, AsynchronousEvent.Type.of(value));
    }

    /** Notifies all that an event concerns. Returns the object that it names, or {@code null}. */
    private EventSource dispatch(WatchedDevice device, AsynchronousEvent.Type type) {
        long element = event.get(ValueLayout.JAVA_LONG, ibv_async_event.element$offset());
        switch (type) {
            case DEVICE_FATAL -> everySession(device, each -> each.fail("IBV_EVENT_DEVICE_FATAL"));
            case PORT_ACTIVE, PORT_ERROR, LOCAL_IDENTIFIER_CHANGE, PARTITION_KEY_CHANGE, SUBNET_MANAGER_CHANGE, CLIENT_REREGISTER,
                    IDENTIFIER_CHANGE ->
                // A number there, and the object's address elsewhere.
                everySession(device, each -> each.onPort(type, (int) element));
            default -> {
                EventSource source = LiveObjects.find(element);
                if (source != null) {
                    source.device().publish(new AsynchronousEvent(type, source.verbsObject(), 0));
                    source.onAsynchronous(type);
                }
                return source;
            }
        }
        return null;
    }

    private static void everySession(WatchedDevice device, Consumer<WatchedDevice> action) {
        LiveObjects.devices(device.context().address()).forEach(action);
    }
}
