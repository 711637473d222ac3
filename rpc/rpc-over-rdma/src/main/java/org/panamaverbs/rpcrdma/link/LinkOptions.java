package org.panamaverbs.rpcrdma.link;

import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/**
 * What a link is made with.
 *
 * @param sendSize           the longest Send in bytes
 * @param receiveSize        the longest receive in bytes
 * @param receives           how many receives are posted
 * @param sends              how many Sends can be under way
 * @param remoteInvalidation whether this side offers remote invalidation
 * @param endpoint           for the endpoint
 */
public record LinkOptions(int sendSize, int receiveSize, int receives, int sends, boolean remoteInvalidation, EndpointOptions endpoint) {
    /** Requests beside Sends: Writes of replies, Reads of calls. */
    private static final int OTHERS = 192;

    /** Whether all that a call opens can be invalidated by the peer, and by no other (RFC 8797, 3.2). */
    boolean offersInvalidation(Device device) {
        return remoteInvalidation && device.supports(Capability.INVALIDATE_REGION) && device.supports(Capability.INVALIDATION_RIGHT);
    }

    /** What this side says of itself when it connects. */
    PrivateData privateData(Device device) {
        return new PrivateData(offersInvalidation(device), sendSize, receiveSize);
    }

    int sendDepth() {
        return sends + OTHERS;
    }

    int completions() {
        return sendDepth() + receives;
    }
}
