package org.panamaverbs.device;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * How an {@link org.panamaverbs.AddressedQueuePair} sends to its peer (the address vector and the timers of {@code ibv_qp_attr}); made by
 * {@link #defaults()} and the {@code with} methods.
 */
// Tested by QueuePairAddressTest.
public final class PathAttributes {
    /** For the MTU: the lesser of what both ports have. */
    public static final int AS_PORT = 0;
    /** For Reads: as many as both devices allow, 16 at most. */
    public static final int AS_DEVICE = -1;
    /** For retries if the peer has no receive: for ever. */
    public static final int FOREVER = 7;

    private static final int MOST_RETRIES = 7;
    private static final int MOST_READS = 255;
    /** 4.096 us * 2^31. */
    private static final Duration LONGEST_TIMEOUT = Duration.ofNanos(4096L << 31);
    private static final Duration LONGEST_DELAY = Duration.ofNanos(655_360_000);
    /** 4.096 us * 2^14, as the tools of rdma-core have it. */
    private static final Duration USUAL_TIMEOUT = Duration.ofNanos(4096L << 14);
    private static final Duration USUAL_DELAY = Duration.ofNanos(640_000);

    private final Values values;

    private record Values(int mtu, int inboundReads, int outboundReads, int retries, int receiverNotReadyRetries,
            Duration acknowledgementTimeout, Duration receiverNotReadyDelay, int serviceLevel, int hopLimit, int trafficClass,
            int flowLabel) {
        Values {
            Objects.requireNonNull(acknowledgementTimeout);
            Objects.requireNonNull(receiverNotReadyDelay);
            if (mtu != AS_PORT && !QueuePairAddress.isMtu(mtu)) {
                throw new IllegalArgumentException("an MTU is 256, 512, 1024, 2048 or 4096 bytes, or AS_PORT, not " + mtu);
            }
            QueuePairAddress.within("inboundReads (or AS_DEVICE, -1)", inboundReads, AS_DEVICE, MOST_READS);
            QueuePairAddress.within("outboundReads (or AS_DEVICE, -1)", outboundReads, AS_DEVICE, MOST_READS);
            QueuePairAddress.within("retries", retries, 0, MOST_RETRIES);
            QueuePairAddress.within("receiverNotReadyRetries", receiverNotReadyRetries, 0, MOST_RETRIES);
            QueuePairAddress.within("serviceLevel", serviceLevel, 0, 15);
            QueuePairAddress.within("hopLimit", hopLimit, 1, 255);
            QueuePairAddress.within("trafficClass", trafficClass, 0, 255);
            QueuePairAddress.within("flowLabel", flowLabel, 0, 0xFFFFF);
            if (!acknowledgementTimeout.equals(ChronoUnit.FOREVER.getDuration())) {
                positive("acknowledgementTimeout", acknowledgementTimeout, LONGEST_TIMEOUT, ", or Verbs.FOREVER");
            }
            positive("receiverNotReadyDelay", receiverNotReadyDelay, LONGEST_DELAY, "");
        }
    }

    private PathAttributes(Values values) {
        this.values = values;
    }

    private static void positive(String name, Duration value, Duration most, String other) {
        if (!value.isPositive() || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " is more than 0 and up to " + most + other + ", not " + value);
        }
    }

    /**
     * MTU and Reads as both ends allow, 7 retries each 67 ms after the last, for ever if there is no receive (0.64 ms apart), service level 0,
     * 64 routers, traffic class 0, a flow label that the device chooses.
     *
     * @return the usual path
     */
    public static PathAttributes defaults() {
        return new PathAttributes(
                new Values(AS_PORT, AS_DEVICE, AS_DEVICE, MOST_RETRIES, FOREVER, USUAL_TIMEOUT, USUAL_DELAY, 0, 64, 0, 0));
    }

    /**
     * The same with another MTU.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096, or {@link #AS_PORT}
     * @return the path
     */
    public PathAttributes withMtu(int bytes) {
        return new PathAttributes(new Values(bytes, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.acknowledgementTimeout, values.receiverNotReadyDelay, values.serviceLevel,
                values.hopLimit, values.trafficClass, values.flowLabel));
    }

    /**
     * The same with other depths of Reads. If one end serves another number than its address says, the program has to limit the other end's
     * {@code outbound} by it: a device ends the connection if it gets more Reads than it serves.
     *
     * @param inbound  how many of the peer's are served
     * @param outbound how many of ours may be outstanding
     * @return the path
     */
    public PathAttributes withReads(int inbound, int outbound) {
        return new PathAttributes(
                new Values(values.mtu, inbound, outbound, values.retries, values.receiverNotReadyRetries, values.acknowledgementTimeout,
                        values.receiverNotReadyDelay, values.serviceLevel, values.hopLimit, values.trafficClass, values.flowLabel));
    }

    /**
     * The same with other retries.
     *
     * @param lost             how often a request is sent again that the peer does not acknowledge
     * @param timeout          how long to wait for an acknowledgement
     * @param receiverNotReady how often a message is sent again for which the peer has no receive; {@link #FOREVER} for no limit
     * @param delay            how long the peer waits before it sends a message again for which this end has no receive
     * @return the path
     */
    public PathAttributes withRetries(int lost, Duration timeout, int receiverNotReady, Duration delay) {
        return new PathAttributes(new Values(values.mtu, values.inboundReads, values.outboundReads, lost, receiverNotReady, timeout, delay,
                values.serviceLevel, values.hopLimit, values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another service level.
     *
     * @param level 0 to 15 (InfiniBand; on RoCE the priority)
     * @return the path
     */
    public PathAttributes withServiceLevel(int level) {
        return new PathAttributes(new Values(values.mtu, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.acknowledgementTimeout, values.receiverNotReadyDelay, level, values.hopLimit,
                values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another number of routers that a packet may pass.
     *
     * @param hops 1 to 255
     * @return the path
     */
    public PathAttributes withHopLimit(int hops) {
        return new PathAttributes(new Values(values.mtu, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.acknowledgementTimeout, values.receiverNotReadyDelay, values.serviceLevel, hops,
                values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another traffic class.
     *
     * @param traffic 0 to 255; on RoCE the DSCP and ECN bits
     * @return the path
     */
    public PathAttributes withTrafficClass(int traffic) {
        return new PathAttributes(new Values(values.mtu, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.acknowledgementTimeout, values.receiverNotReadyDelay, values.serviceLevel,
                values.hopLimit, traffic, values.flowLabel));
    }

    /**
     * The same with another flow label, as {@link AddressVector#withFlowLabel} says.
     *
     * @param label 0 to 0xFFFFF; 0 leaves the choice to the device. Another one needs {@link org.panamaverbs.Capability#FLOW_LABEL}
     * @return the path
     */
    public PathAttributes withFlowLabel(int label) {
        return new PathAttributes(new Values(values.mtu, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.acknowledgementTimeout, values.receiverNotReadyDelay, values.serviceLevel,
                values.hopLimit, values.trafficClass, label));
    }

    /** {@return the longest packet in bytes: 256, 512, 1024, 2048 or 4096; the same at both ends. {@link #AS_PORT} takes the lesser of what both ports have} */
    public int mtu() {
        return values.mtu;
    }

    /** {@return how many Reads and atomics of the peer it serves at a time, 0 to 255 and to the device's maximum; {@link #AS_DEVICE} takes {@link QueuePairAddress#inboundReads()} of its own address} */
    public int inboundReads() {
        return values.inboundReads;
    }

    /** {@return how many Reads and atomics of ours may be outstanding, 0 to 255 and to the device's maximum, no more than the peer serves; {@link #AS_DEVICE} takes as many as the device and the peer's address allow, 16 at most} */
    public int outboundReads() {
        return values.outboundReads;
    }

    /** {@return how often a request is sent again that the peer does not acknowledge, 0 to 7} */
    public int retries() {
        return values.retries;
    }

    /** {@return how often a message is sent again for which the peer has no receive, 0 to 7; 7 is for ever} */
    public int receiverNotReadyRetries() {
        return values.receiverNotReadyRetries;
    }

    /** {@return how long to wait for an acknowledgement before each retry, more than 0; the device takes the next of 4.096 us * 2^n, n from 1 to 31 (8,796 s), that is not shorter. {@link org.panamaverbs.Verbs#FOREVER} never sends again} */
    public Duration acknowledgementTimeout() {
        return values.acknowledgementTimeout;
    }

    /** {@return how long the peer waits before it sends a message again for which this end has no receive, more than 0, up to 655.36 ms; the device takes the next of 32 steps that is not shorter} */
    public Duration receiverNotReadyDelay() {
        return values.receiverNotReadyDelay;
    }

    /** {@return the service level, 0 to 15 (InfiniBand; on RoCE the priority)} */
    public int serviceLevel() {
        return values.serviceLevel;
    }

    /** {@return how many routers a packet may pass, 1 to 255} */
    public int hopLimit() {
        return values.hopLimit;
    }

    /** {@return the traffic class, 0 to 255; on RoCE the DSCP and ECN bits} */
    public int trafficClass() {
        return values.trafficClass;
    }

    /** {@return the flow label, 0 to 0xFFFFF; 0 if the device chooses it} */
    public int flowLabel() {
        return values.flowLabel;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "PathAttributes." + values;
    }
}
