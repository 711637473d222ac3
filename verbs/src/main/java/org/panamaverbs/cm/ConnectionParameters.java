package org.panamaverbs.cm;

import org.panamaverbs.DeviceAttributes;

/**
 * The terms of a connection ({@code rdma_conn_param}).
 *
 * @param privateData             what the peer's program is told; at most {@link DeviceAttributes#maximumPrivateData()} bytes
 * @param inboundReads            IRD: how many Reads of the peer may be outstanding ({@code responder_resources}), 0 to the device's
 *                                maximum, or {@link #AS_DEVICE}
 * @param outboundReads           ORD: how many Reads of ours may be outstanding ({@code initiator_depth}), 0 to the device's maximum, or
 *                                {@link #AS_DEVICE}; the peer may allow fewer
 * @param retries                 how often a request is sent again that the other side does not acknowledge, 0 to 7 ({@code retry_count});
 *                                on InfiniBand and RoCE. The side that connects decides, for both
 * @param receiverNotReadyRetries how often the peer sends a message again for which this side has no receive, 0 to 7
 *                                ({@code rnr_retry_count}); 7 is for ever. On devices with
 *                                {@link org.panamaverbs.Capability#RECEIVER_NOT_READY}
 */
public record ConnectionParameters(byte[] privateData, int inboundReads, int outboundReads, int retries, int receiverNotReadyRetries) {
    /** For IRD and ORD: {@value #USUAL_READS}, or as many as the device has if that is less. */
    public static final int AS_DEVICE = -1;
    /** For retries if there is no receive: for ever. */
    public static final int FOREVER = 7;

    private static final int USUAL_READS = 16;
    private static final int MOST_RETRIES = 7;

    /** Copies the private data and checks the numbers. */
    public ConnectionParameters {
        privateData = privateData.clone();
        if (inboundReads < AS_DEVICE || outboundReads < AS_DEVICE) {
            throw new IllegalArgumentException("IRD and ORD are 0 or more, or AS_DEVICE, not " + inboundReads + " and " + outboundReads);
        }
        if (retries < 0 || retries > MOST_RETRIES || receiverNotReadyRetries < 0 || receiverNotReadyRetries > MOST_RETRIES) {
            throw new IllegalArgumentException(
                    "retries are 0 to " + MOST_RETRIES + ", not " + retries + " and " + receiverNotReadyRetries);
        }
    }

    /**
     * No private data; 16 Reads each way, or as many as the device has; 7 retries, and for ever if there is no receive.
     *
     * @return the usual parameters, which every device takes
     */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(new byte[0], AS_DEVICE, AS_DEVICE, MOST_RETRIES, FOREVER);
    }

    /**
     * The same with private data.
     *
     * @param data what the peer's program is told
     * @return the parameters
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        return new ConnectionParameters(data, inboundReads, outboundReads, retries, receiverNotReadyRetries);
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
        return new ConnectionParameters(privateData, inbound, outbound, retries, receiverNotReadyRetries);
    }

    /**
     * The same with other retries.
     *
     * @param lost             how often a request is sent again that the other side does not acknowledge
     * @param receiverNotReady how often the peer sends a message again for which this side has no receive; {@link #FOREVER} for no limit
     * @return the parameters
     */
    public ConnectionParameters withRetries(int lost, int receiverNotReady) {
        return new ConnectionParameters(privateData, inboundReads, outboundReads, lost, receiverNotReady);
    }

    /**
     * The same as a device can have them: {@link #AS_DEVICE} is replaced, and all else is checked against the device's limits. Providers call
     * it before they use the parameters.
     *
     * @param device the attributes of the device
     * @return the parameters with numbers of 0 or more
     * @throws IllegalArgumentException if something exceeds a limit of the device
     */
    public ConnectionParameters fitting(DeviceAttributes device) {
        checkPrivateData(privateData, device);
        int inbound = inboundReads == AS_DEVICE ? Math.min(USUAL_READS, device.maximumInboundReads()) : inboundReads;
        int outbound = outboundReads == AS_DEVICE ? Math.min(USUAL_READS, device.maximumOutboundReads()) : outboundReads;
        if (inbound > device.maximumInboundReads() || outbound > device.maximumOutboundReads()) {
            throw new IllegalArgumentException("IRD and ORD are at most " + device.maximumInboundReads() + " and "
                    + device.maximumOutboundReads() + " on this device, not " + inbound + " and " + outbound);
        }
        return withReads(inbound, outbound);
    }

    /**
     * Checks the length of private data against the limit of a device.
     *
     * @param data   the private data
     * @param device the attributes of the device
     * @throws IllegalArgumentException if it is too long
     */
    public static void checkPrivateData(byte[] data, DeviceAttributes device) {
        if (data.length > device.maximumPrivateData()) {
            throw new IllegalArgumentException(
                    "private data has at most " + device.maximumPrivateData() + " bytes on this device, not " + data.length);
        }
    }

    /**
     * What the peer's program is told.
     *
     * @return a copy
     */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
