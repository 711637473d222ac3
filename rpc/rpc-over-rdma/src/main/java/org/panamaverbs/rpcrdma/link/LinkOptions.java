package org.panamaverbs.rpcrdma.link;

import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;

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

    int sendDepth() {
        return sends + OTHERS;
    }

    int completions() {
        return sendDepth() + receives;
    }
}
