package org.panamaverbs.spi;

import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.device.DeviceAttributes;

/** Checks the attributes of new objects against the device: the same on every provider. */
public final class ObjectChecks {
    private ObjectChecks() {
    }

    /**
     * Checks the attributes of a queue pair.
     *
     * @param device     the device of the queue pair
     * @param domain     the domain that the queue pair is to belong to
     * @param attributes its queues, depths and lengths
     * @throws IllegalArgumentException for a domain, completion queue or shared receive queue that does not belong here, or a number beyond
     *                                  the device's limits
     */
    public static void queuePair(Device device, ProtectionDomain domain, QueuePairAttributes attributes) {
        DeviceAttributes limits = device.attributes();
        isOf(device, domain.device(), "the protection domain");
        isOf(device, attributes.sendQueue().device(), "the completion queue of sends");
        isOf(device, attributes.receiveQueue().device(), "the completion queue of receives");
        atMost("sendDepth", attributes.sendDepth(), limits.maximumWorkRequests(), device);
        atMost("sendElements", attributes.sendElements(), limits.maximumScatterGather(), device);
        atMost("inlineLength", attributes.inlineLength(), limits.maximumInline(), device);
        if (attributes.sharedReceiveQueue() == null) {
            atMost("receiveDepth", attributes.receiveDepth(), limits.maximumWorkRequests(), device);
            atMost("receiveElements", attributes.receiveElements(), limits.maximumScatterGather(), device);
        } else if (attributes.sharedReceiveQueue().domain() != domain) {
            throw new IllegalArgumentException("the shared receive queue is not one of the queue pair's protection domain");
        }
    }

    /**
     * Checks the attributes of a completion queue.
     *
     * @param device     the device of the completion queue
     * @param attributes its size, channel and vector
     * @throws IllegalArgumentException for a channel of another device, or a number beyond the device's limits
     * @throws org.panamaverbs.UnsupportedVerbException for time stamps without {@link Capability#COMPLETION_TIMESTAMP}
     */
    public static void completionQueue(Device device, CompletionQueueAttributes attributes) {
        DeviceAttributes limits = device.attributes();
        if (attributes.timestamps() && !device.supports(Capability.COMPLETION_TIMESTAMP)) {
            throw Capability.COMPLETION_TIMESTAMP.missingOn(device);
        }
        if (attributes.channel() != null) {
            isOf(device, attributes.channel().device(), "the completion channel");
        }
        completionEntries(device, attributes.entries());
        if (attributes.vector() >= limits.completionVectors()) {
            throw new IllegalArgumentException("the completion vectors of device " + device.name() + " are 0 to "
                    + (limits.completionVectors() - 1) + ", not " + attributes.vector());
        }
    }

    static void completionEntries(Device device, int entries) {
        int most = device.attributes().maximumCompletionQueueEntries();
        if (entries < 1 || entries > most) {
            throw new IllegalArgumentException(
                    "a completion queue of device " + device.name() + " has 1 to " + most + " entries, not " + entries);
        }
    }

    private static void isOf(Device device, Device actual, String object) {
        if (actual != device) {
            throw new IllegalArgumentException(object + " is not one of device " + device.name());
        }
    }

    private static void atMost(String name, int value, int most, Device device) {
        if (value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; the maximum of device " + device.name() + " is " + most);
        }
    }
}
