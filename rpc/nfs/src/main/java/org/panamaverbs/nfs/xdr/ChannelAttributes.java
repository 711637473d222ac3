package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * Limits of a session's channel (channel_attrs4; RFC 8881, 18.36.1). All numbers are unsigned; sizes are in bytes.
 *
 * @param headerPad      padding in front of data, for transports that want it
 * @param maxRequest     the longest call
 * @param maxResponse    the longest reply
 * @param maxCached      the longest reply that is kept
 * @param maxOperations  the most operations of a compound
 * @param maxRequests    the most calls at a time: the slots
 */
public record ChannelAttributes(int headerPad, int maxRequest, int maxResponse, int maxCached, int maxOperations, int maxRequests) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(headerPad);
        xdr.xdrEncodeInt(maxRequest);
        xdr.xdrEncodeInt(maxResponse);
        xdr.xdrEncodeInt(maxCached);
        xdr.xdrEncodeInt(maxOperations);
        xdr.xdrEncodeInt(maxRequests);
        xdr.xdrEncodeInt(0); // ca_rdma_ird<1>: RPC-over-RDMA does not use it.
    }

    public static ChannelAttributes decode(XdrDecodingStream xdr) throws IOException {
        ChannelAttributes channel = new ChannelAttributes(xdr.xdrDecodeInt(), xdr.xdrDecodeInt(), xdr.xdrDecodeInt(), xdr.xdrDecodeInt(),
                xdr.xdrDecodeInt(), xdr.xdrDecodeInt());
        if (Bounded.count(xdr, 1, "ca_rdma_ird") == 1) {
            xdr.xdrDecodeInt();
        }
        return channel;
    }
}
