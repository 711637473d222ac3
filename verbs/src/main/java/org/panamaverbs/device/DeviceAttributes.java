package org.panamaverbs.device;

import java.util.OptionalInt;

/**
 * The identity of a device, and its limits. Providers say what differs from the values that most devices have.
 */
public interface DeviceAttributes {
    /** {@return the protocol that it speaks} */
    Transport transport();

    /** {@return whether a port is up} */
    default boolean active() {
        return true;
    }

    /** {@return its maker and its model, one line} */
    default String vendor() {
        return "unknown";
    }

    /** {@return its version} */
    default String firmware() {
        return "unknown";
    }

    /** {@return which device it is, of all in the world} */
    default DeviceIdentity identity() {
        return new DeviceIdentity(0, 0, 0, 0, 0);
    }

    /** {@return how many queue pairs there can be; {@link Integer#MAX_VALUE} if there is no limit} */
    default int maximumQueuePairs() {
        return Integer.MAX_VALUE;
    }

    /** {@return the deepest send or receive queue; {@link Integer#MAX_VALUE} if there is no limit} */
    default int maximumWorkRequests() {
        return Integer.MAX_VALUE;
    }

    /** {@return the most elements of a list} */
    default int maximumScatterGather() {
        return 1;
    }

    /** {@return the most bytes of a request posted with {@link org.panamaverbs.SendRequest#inline()}} */
    default int maximumInline() {
        return 0;
    }

    /** {@return the largest completion queue; {@link Integer#MAX_VALUE} if there is no limit} */
    default int maximumCompletionQueueEntries() {
        return Integer.MAX_VALUE;
    }

    /** {@return how many memory regions there can be; {@link Integer#MAX_VALUE} if there is no limit} */
    default int maximumRegions() {
        return Integer.MAX_VALUE;
    }

    /** {@return the largest region, in bytes; {@link Long#MAX_VALUE} if there is no limit} */
    default long maximumRegionSize() {
        return Long.MAX_VALUE;
    }

    /** {@return the longest message, in bytes} */
    default long maximumMessageSize() {
        return Integer.MAX_VALUE;
    }

    /** {@return the greatest IRD: Reads of one peer served at a time} */
    default int maximumInboundReads() {
        return 0;
    }

    /** {@return the greatest ORD: Reads of ours outstanding at a time} */
    default int maximumOutboundReads() {
        return 0;
    }

    /** {@return the most private data of a connection request, in bytes} */
    default int maximumPrivateData() {
        return 0;
    }

    /** {@return the number of completion vectors, 1 or more; {@link org.panamaverbs.CompletionQueueAttributes#withVector} picks one} */
    default int completionVectors() {
        return 1;
    }

    /** {@return the NUMA node that the device is attached to, 0 to 1023: its memory and its processors are nearest to the device; empty if the system does not say, as on a machine with one node, or the device is no hardware} */
    default OptionalInt numaNode() {
        return OptionalInt.empty();
    }

    /** {@return how many objects of the other kinds there can be} */
    default ObjectLimits objects() {
        return new ObjectLimits() {
        };
    }
}
