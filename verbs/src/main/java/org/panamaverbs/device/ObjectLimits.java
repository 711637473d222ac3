package org.panamaverbs.device;

/** How many objects of each kind a device can have; 0 if it has none. Providers say what differs from the values here. */
public interface ObjectLimits {
    /** {@return how many completion queues there can be; {@link Integer#MAX_VALUE} if there is no limit} */
    default int completionQueues() {
        return Integer.MAX_VALUE;
    }

    /** {@return how many protection domains there can be; {@link Integer#MAX_VALUE} if there is no limit} */
    default int protectionDomains() {
        return Integer.MAX_VALUE;
    }

    /** {@return how many shared receive queues there can be} */
    default int sharedReceiveQueues() {
        return 0;
    }

    /** {@return the deepest shared receive queue} */
    default int sharedReceives() {
        return 0;
    }

    /** {@return the most elements of a list to receive into, in a shared receive queue} */
    default int sharedReceiveElements() {
        return 0;
    }

    /** {@return how many memory windows there can be} */
    default int memoryWindows() {
        return 0;
    }

    /** {@return how many address handles there can be} */
    default int addressHandles() {
        return 0;
    }
}
