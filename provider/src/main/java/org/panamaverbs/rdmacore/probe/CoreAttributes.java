package org.panamaverbs.rdmacore.probe;

import java.util.OptionalInt;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.DeviceIdentity;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.Transport;

/** The attributes of a device as of when it was opened. */
public record CoreAttributes(Transport transport, boolean active, String vendor, String firmware, DeviceIdentity identity,
        int maximumQueuePairs, int maximumWorkRequests, int maximumScatterGather, int maximumInline, int maximumCompletionQueueEntries,
        int maximumRegions, long maximumRegionSize, long maximumMessageSize, int maximumInboundReads, int maximumOutboundReads,
        int maximumPrivateData, int completionVectors, OptionalInt numaNode, ObjectLimits objects) implements DeviceAttributes {
    /** The same with a port up, or with none. */
    public CoreAttributes withActive(boolean any) {
        return new CoreAttributes(transport, any, vendor, firmware, identity, maximumQueuePairs, maximumWorkRequests, maximumScatterGather,
                maximumInline, maximumCompletionQueueEntries, maximumRegions, maximumRegionSize, maximumMessageSize, maximumInboundReads,
                maximumOutboundReads, maximumPrivateData, completionVectors, numaNode, objects);
    }
}
