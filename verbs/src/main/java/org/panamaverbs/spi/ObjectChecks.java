package org.panamaverbs.spi;

import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.DeviceAttributes;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;

/** Checks what a program wants to make against the device: the same on every provider. */
public final class ObjectChecks {
    private ObjectChecks() {
    }

    /**
     * Checks what a queue pair is to be made of.
     *
     * @param device     the device of the queue pair
     * @param domain     the domain that the queue pair is to belong to
     * @param attributes its queues, depths and lengths
     * @throws IllegalArgumentException for a domain, completion queue or shared receive queue that does not belong here, or a number beyond
     *                                  the device's limits
     */
    public static void queuePair(Device device, ProtectionDomain domain, QueuePairAttributes attributes) {
        DeviceAttributes limits = device.attributes();
        require(domain.device() == device, "the protection domain", "is not one of", device);
        require(attributes.sendQueue().device() == device, "the completion queue of the sends", "is not one of", device);
        require(attributes.receiveQueue().device() == device, "the completion queue of the receives", "is not one of", device);
        atMost("requests", attributes.sendDepth(), limits.maximumWorkRequests(), device);
        atMost("elements of a list to send", attributes.sendElements(), limits.maximumScatterGather(), device);
        atMost("bytes inline", attributes.inlineLength(), limits.maximumInline(), device);
        if (attributes.sharedReceiveQueue() == null) {
            atMost("receives", attributes.receiveDepth(), limits.maximumWorkRequests(), device);
            atMost("elements of a list to receive into", attributes.receiveElements(), limits.maximumScatterGather(), device);
        } else {
            require(attributes.sharedReceiveQueue().domain() == domain, "the shared receive queue", "is not one of the domain on", device);
        }
    }

    /**
     * Checks what a completion queue is to be made of.
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
            require(attributes.channel().device() == device, "the completion channel", "is not one of", device);
        }
        if (attributes.entries() < 1) {
            throw new IllegalArgumentException("a completion queue has 1 entry or more, not " + attributes.entries());
        }
        atMost("entries of a completion queue", attributes.entries(), limits.maximumCompletionQueueEntries(), device);
        atMost("as a completion vector", attributes.vector(), limits.completionVectors() - 1, device);
    }

    private static void require(boolean condition, String object, String complaint, Device device) {
        if (!condition) {
            throw new IllegalArgumentException(object + " " + complaint + " device " + device.name() + " (" + device.provider() + ")");
        }
    }

    private static void atMost(String things, int wanted, int most, Device device) {
        if (wanted > most) {
            throw new IllegalArgumentException(
                    "device " + device.name() + " (" + device.provider() + ") takes at most " + most + " " + things + ", not " + wanted);
        }
    }
}
