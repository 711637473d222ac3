package org.panamaverbs.cm;

/**
 * What is agreed when connecting ({@code rdma_conn_param}).
 *
 * @param privateData   what the peer's program is told; at most {@link org.panamaverbs.DeviceAttributes#maximumPrivateData()} bytes
 * @param inboundReads  IRD: how many Reads of the peer may be outstanding, 0 to the device's maximum ({@code responder_resources})
 * @param outboundReads ORD: how many Reads of ours may be outstanding, 0 to the device's maximum ({@code initiator_depth}); the peer may
 *                      allow fewer
 */
public record ConnectionParameters(byte[] privateData, int inboundReads, int outboundReads) {
    /** Copies the private data and checks the numbers. */
    public ConnectionParameters {
        privateData = privateData.clone();
        if (inboundReads < 0 || outboundReads < 0) {
            throw new IllegalArgumentException("IRD and ORD are 0 or more, not " + inboundReads + " and " + outboundReads);
        }
    }

    /**
     * No private data, 16 Reads each way.
     *
     * @return the usual parameters
     */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(new byte[0], 16, 16);
    }

    /**
     * The same with private data.
     *
     * @param data what the peer's program is told
     * @return the parameters
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        return new ConnectionParameters(data, inboundReads, outboundReads);
    }

    /**
     * The same with other depths of Reads.
     *
     * @param inbound  IRD
     * @param outbound ORD
     * @return the parameters
     */
    public ConnectionParameters withReads(int inbound, int outbound) {
        return new ConnectionParameters(privateData, inbound, outbound);
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
