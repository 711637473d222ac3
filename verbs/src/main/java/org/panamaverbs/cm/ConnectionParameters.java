package org.panamaverbs.cm;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.device.DeviceAttributes;

/** The terms of a connection ({@code rdma_conn_param}); made by {@link #defaults()} and the {@code with} methods. */
public final class ConnectionParameters {
    /** For IRD and ORD: {@value #USUAL_READS}, or as many as the device has if that is less. */
    public static final int AS_DEVICE = -1;
    /** For retries if there is no receive: for ever. */
    public static final int FOREVER = 7;

    /** 4.096 µs times 2 to the power of 31, the most that the field of five bits can say. */
    public static final Duration LONGEST_ACKNOWLEDGEMENT_TIMEOUT = Duration.ofNanos(4096L << 31);

    /** 655.36 ms, the longest that the RNR timer's field of five bits can say. */
    public static final Duration LONGEST_RECEIVER_NOT_READY_DELAY = Duration.ofNanos(655_360_000);

    private static final Duration USUAL_DELAY = Duration.ofMillis(1);
    private static final int USUAL_READS = 16;
    private static final int MOST_RETRIES = 7;

    private final Values values;

    private record Values(ByteBuffer privateData, int inboundReads, int outboundReads, int retries, int receiverNotReadyRetries,
            Duration receiverNotReadyDelay, Optional<Duration> acknowledgementTimeout) {
        Values {
            if (inboundReads < AS_DEVICE || outboundReads < AS_DEVICE) {
                throw new IllegalArgumentException(
                        "IRD and ORD are 0 or more, or AS_DEVICE, not " + inboundReads + " and " + outboundReads);
            }
            if (retries < 0 || retries > MOST_RETRIES || receiverNotReadyRetries < 0 || receiverNotReadyRetries > MOST_RETRIES) {
                throw new IllegalArgumentException(
                        "retries are 0 to " + MOST_RETRIES + ", not " + retries + " and " + receiverNotReadyRetries);
            }
            if (!receiverNotReadyDelay.isPositive() || receiverNotReadyDelay.compareTo(LONGEST_RECEIVER_NOT_READY_DELAY) > 0) {
                throw new IllegalArgumentException("the delay if there is no receive is more than 0 and at most "
                        + LONGEST_RECEIVER_NOT_READY_DELAY + ", not " + receiverNotReadyDelay);
            }
            acknowledgementTimeout.ifPresent(ConnectionParameters::checkAcknowledgementTimeout);
        }
    }

    private ConnectionParameters(Values values) {
        this.values = values;
    }

    private static void checkAcknowledgementTimeout(Duration timeout) {
        if (!timeout.isPositive() || timeout.compareTo(LONGEST_ACKNOWLEDGEMENT_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "an acknowledgement time-out is more than 0 and at most " + LONGEST_ACKNOWLEDGEMENT_TIMEOUT + ", not " + timeout);
        }
    }

    /**
     * No private data; 16 Reads each way, or as many as the device has; 7 retries, and for ever if there is no receive, each after 1 ms.
     *
     * @return the usual parameters, which every device takes
     */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(
                new Values(ByteBuffer.allocate(0), AS_DEVICE, AS_DEVICE, MOST_RETRIES, FOREVER, USUAL_DELAY, Optional.empty()));
    }

    /**
     * The same with private data.
     *
     * @param data the data that the peer's program gets
     * @return the parameters
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        return new ConnectionParameters(new Values(ByteBuffer.wrap(data.clone()), values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.receiverNotReadyDelay, values.acknowledgementTimeout));
    }

    /**
     * The same with other depths of Reads.
     *
     * @param inbound  IRD
     * @param outbound ORD
     * @return the parameters
     */
    public ConnectionParameters withReads(int inbound, int outbound) {
        if (inbound < 0 || outbound < 0) {
            throw new IllegalArgumentException("IRD and ORD are 0 or more, not " + inbound + " and " + outbound);
        }
        return new ConnectionParameters(new Values(values.privateData, inbound, outbound, values.retries, values.receiverNotReadyRetries,
                values.receiverNotReadyDelay, values.acknowledgementTimeout));
    }

    /**
     * The same with other retries.
     *
     * @param lost             how often a request is sent again that the other side does not acknowledge
     * @param receiverNotReady how often the peer sends a message again for which this side has no receive; {@link #FOREVER} for no limit
     * @return the parameters
     */
    public ConnectionParameters withRetries(int lost, int receiverNotReady) {
        return new ConnectionParameters(new Values(values.privateData, values.inboundReads, values.outboundReads, lost, receiverNotReady,
                values.receiverNotReadyDelay, values.acknowledgementTimeout));
    }

    /**
     * The same with another RNR timer, on InfiniBand and RoCE: how long the peer waits before it sends a message again for which this side has
     * no receive. The device rounds it up to one of 31 steps from 10 µs to 491.52 ms, or to 655.36 ms (InfiniBand Architecture, 9.7.5.2.8).
     * A short one costs packets, a long one costs time after each receive that is posted late. On iWARP such a message ends the connection:
     * devices without {@link Capability#RECEIVER_NOT_READY}, soft-iwarp among them, ignore the delay.
     *
     * @param delay more than 0, at most {@link #LONGEST_RECEIVER_NOT_READY_DELAY}
     * @return the parameters
     * @throws IllegalArgumentException for any other duration
     */
    public ConnectionParameters withReceiverNotReadyDelay(Duration delay) {
        return new ConnectionParameters(new Values(values.privateData, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, delay, values.acknowledgementTimeout));
    }

    /**
     * The same with an acknowledgement time-out for the requests of this side, on InfiniBand and RoCE. The device rounds it up to 4.096 µs
     * times a power of two, of which the least is 8.192 µs, and may wait up to four times as long (InfiniBand Architecture, 9.7.6.1.3). A
     * request that is not acknowledged after all {@link #retries()} ends the connection. TCP has time-outs of its own: iWARP has none here.
     *
     * @param timeout more than 0, at most {@link #LONGEST_ACKNOWLEDGEMENT_TIMEOUT}
     * @return the parameters
     * @throws IllegalArgumentException for any other duration
     */
    public ConnectionParameters withAcknowledgementTimeout(Duration timeout) {
        return new ConnectionParameters(new Values(values.privateData, values.inboundReads, values.outboundReads, values.retries,
                values.receiverNotReadyRetries, values.receiverNotReadyDelay, Optional.of(timeout)));
    }

    /**
     * The same as a device can have them: {@link #AS_DEVICE} is replaced, and all else is checked against the device's limits and
     * capabilities. Providers call it before they use the parameters.
     *
     * @param device the device
     * @return the parameters with numbers of 0 or more
     * @throws IllegalArgumentException                 if something exceeds a limit of the device
     * @throws org.panamaverbs.UnsupportedVerbException if the device has no acknowledgement time-outs, and the parameters have one
     */
    public ConnectionParameters fitting(Device device) {
        if (values.acknowledgementTimeout.isPresent() && !device.supports(Capability.ACKNOWLEDGEMENT_TIMEOUT)) {
            throw Capability.ACKNOWLEDGEMENT_TIMEOUT.missingOn(device);
        }
        return fitting(device.attributes());
    }

    ConnectionParameters fitting(DeviceAttributes device) {
        checkPrivateData(values.privateData.capacity(), device);
        int inbound = values.inboundReads == AS_DEVICE ? Math.min(USUAL_READS, device.maximumInboundReads()) : values.inboundReads;
        int outbound = values.outboundReads == AS_DEVICE ? Math.min(USUAL_READS, device.maximumOutboundReads()) : values.outboundReads;
        if (inbound > device.maximumInboundReads() || outbound > device.maximumOutboundReads()) {
            throw new IllegalArgumentException("IRD and ORD are at most " + device.maximumInboundReads() + " and "
                    + device.maximumOutboundReads() + " on this device, not " + inbound + " and " + outbound);
        }
        return withReads(inbound, outbound);
    }

    private static void checkPrivateData(int length, DeviceAttributes device) {
        if (length > device.maximumPrivateData()) {
            throw new IllegalArgumentException(
                    "private data has at most " + device.maximumPrivateData() + " bytes on this device, not " + length);
        }
    }

    /** {@return a copy of the data that the peer's program gets; at most {@link DeviceAttributes#maximumPrivateData()} bytes} */
    @SuppressWarnings("ByteBufferBackingArray") // The buffer wraps a copy.
    public byte[] privateData() {
        return values.privateData.array().clone();
    }

    /** {@return IRD: how many Reads of the peer may be outstanding ({@code responder_resources}), 0 to the device's maximum, or {@link #AS_DEVICE}} */
    public int inboundReads() {
        return values.inboundReads;
    }

    /** {@return ORD: how many Reads of ours may be outstanding ({@code initiator_depth}), 0 to the device's maximum, or {@link #AS_DEVICE}; the peer may allow fewer} */
    public int outboundReads() {
        return values.outboundReads;
    }

    /** {@return how often a request is sent again that the other side does not acknowledge, 0 to 7 ({@code retry_count}); on InfiniBand and RoCE. The side that connects decides, for both} */
    public int retries() {
        return values.retries;
    }

    /** {@return how often the peer sends a message again for which this side has no receive, 0 to 7 ({@code rnr_retry_count}); 7 is for ever. On devices with {@link Capability#RECEIVER_NOT_READY}} */
    public int receiverNotReadyRetries() {
        return values.receiverNotReadyRetries;
    }

    /** {@return how long the peer waits before it sends a message again for which this side has no receive, at most {@link #LONGEST_RECEIVER_NOT_READY_DELAY}. On devices with {@link Capability#RECEIVER_NOT_READY}; others ignore it} */
    public Duration receiverNotReadyDelay() {
        return values.receiverNotReadyDelay;
    }

    /** {@return how long this side waits for an acknowledgement before it sends a request again, at most {@link #LONGEST_ACKNOWLEDGEMENT_TIMEOUT}; empty: as the route says. On devices with {@link Capability#ACKNOWLEDGEMENT_TIMEOUT}; others refuse it} */
    public Optional<Duration> acknowledgementTimeout() {
        return values.acknowledgementTimeout;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionParameters that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "ConnectionParameters." + values;
    }
}
