package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.spi.DeviceCounters;
import org.panamaverbs.spi.support.Children;

/** A device, as the connections see it that are made over it. */
public interface ConnectingDevice extends Device {
    /** Its {@code ibv_context}. */
    MemorySegment context();

    boolean isIwarp();

    /** Whether the event of a new connection names the depths of Reads as of this side: its {@code initiator_depth} is ours. */
    boolean namesOwnReads();

    /** Whether that event does not say the depths of Reads. */
    boolean hidesReads();

    /** The reader of connection events. */
    EventReader reader();

    /** Objects that close before the device does. */
    Children children();

    /** Counts its connections. */
    DeviceCounters counters();

    /** Whether the device refuses such a queue pair, whoever the peer is: it is tried, and thrown away. */
    boolean refuses(ProtectionDomain domain, QueuePairAttributes attributes);

    /** Makes the queue pair of a connection. */
    ConnectedQueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier);
}
