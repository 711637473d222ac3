package org.panamaverbs.rpcrdma.endpoint;

/**
 * How an endpoint behaves.
 *
 * @param client          whether it connected, and so begins in the forward direction
 * @param lowestVersion   1 or 2
 * @param highestVersion  1 or 2
 * @param creditsAsked    how many calls of its own it asks for
 * @param creditsGranted  how many calls of the peer it takes; 0 if it takes none
 * @param messageSize     the longest message that it puts together, in bytes
 * @param chunkSegments   the most segments of a chunk that it takes
 * @param readChunks     the most Read chunks of a call that it takes, beside one at position zero; 0 for none
 * @param writeChunks    the most Write chunks of a call that it takes; 0 for none
 * @param sendSize        the longest message that it sends inline
 */
public record EndpointOptions(boolean client, int lowestVersion, int highestVersion, int creditsAsked, int creditsGranted, int messageSize,
        int chunkSegments, int readChunks, int writeChunks, int sendSize) {
}
