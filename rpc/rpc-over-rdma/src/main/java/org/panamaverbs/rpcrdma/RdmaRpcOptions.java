package org.panamaverbs.rpcrdma;

import java.time.Duration;

/**
 * Options of a client or service, made by {@link #defaults} and the {@code with} methods.
 *
 * @param lowestVersion      the lowest version of RPC-over-RDMA that is spoken, 1 or 2
 * @param highestVersion     the highest, 1 or 2. A client begins with it and falls back to a lower one that the server has
 * @param credits            how many calls the peer may have outstanding, or this side asks for; 1 to 1,024
 * @param backwardCredits    the same for calls from the service to the client (RFC 8167); 0 to 1,024, and 0 forbids them
 * @param sendSize           the longest message that is sent inline, in bytes: a multiple of 1,024 from 1,024 to 262,144
 * @param receiveSize        the longest message that is received inline, in bytes; likewise
 * @param remoteInvalidation whether peers may invalidate the registrations of a call, if device and peer can
 * @param replySize          how long a reply can be of which the caller does not say it, in bytes
 * @param messageSize        the longest call or reply that this side takes, with its chunks, in bytes
 * @param chunkSegments      how many segments a chunk of the peer may have
 * @param readChunks         how many Read chunks a call of the peer may have, beside one at position zero; 0 to 1,024
 * @param writeChunks        how many Write chunks a call of the peer may have; 0 to 1,024
 * @param firstCallDelay     how long a client waits before its first call: Linux's server sometimes loses one that comes at once
 */
public record RdmaRpcOptions(int lowestVersion, int highestVersion, int credits, int backwardCredits, int sendSize, int receiveSize,
        boolean remoteInvalidation, int replySize, int messageSize, int chunkSegments, int readChunks, int writeChunks,
        Duration firstCallDelay) {
    private static final int MOST_CREDITS = 1024;
    private static final int MOST_CHUNKS = 1024;
    private static final int UNIT = 1024;
    private static final int SECOND_INLINE = 4096;
    private static final int MOST_INLINE = 256 * UNIT;

    /** Checks. */
    public RdmaRpcOptions {
        check("lowestVersion", lowestVersion, 1, 2);
        check("highestVersion", highestVersion, lowestVersion, 2);
        check("credits", credits, 1, MOST_CREDITS);
        check("backwardCredits", backwardCredits, 0, MOST_CREDITS);
        checkInline("sendSize", sendSize);
        checkInline("receiveSize", receiveSize);
        if (highestVersion == 2 && receiveSize < SECOND_INLINE) {
            throw new IllegalArgumentException("version 2 needs receives of 4,096 bytes or more, not " + receiveSize);
        }
        check("replySize", replySize, 0, Integer.MAX_VALUE);
        check("messageSize", messageSize, UNIT, Integer.MAX_VALUE);
        check("chunkSegments", chunkSegments, 1, Integer.MAX_VALUE);
        check("readChunks", readChunks, 0, MOST_CHUNKS);
        check("writeChunks", writeChunks, 0, MOST_CHUNKS);
        if (firstCallDelay.isNegative()) {
            throw new IllegalArgumentException("firstCallDelay is 0 or more, not " + firstCallDelay);
        }
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + least + " to " + most + ", not " + value);
        }
    }

    private static void checkInline(String name, int value) {
        if (value < UNIT || value > MOST_INLINE || value % UNIT != 0) {
            throw new IllegalArgumentException(name + " is a multiple of 1,024 from 1,024 to 262,144, not " + value);
        }
    }

    /**
     * Version 1, which all servers speak; 64 credits, 16 backward; 4,096 bytes inline; remote invalidation; replies of 64 KiB; messages of
     * 8 MiB; 256 segments for a chunk, 64 chunks of a kind; 20 ms before the first call.
     *
     * @return the options
     */
    public static RdmaRpcOptions defaults() {
        return new RdmaRpcOptions(1, 1, 64, 16, 4096, 4096, true, 64 * UNIT, 8 * UNIT * UNIT, 256, 64, 64, Duration.ofMillis(20));
    }

    /**
     * The same with other versions.
     *
     * @param lowest  1 or 2
     * @param highest 1 or 2, not lower
     * @return the options
     */
    public RdmaRpcOptions withVersions(int lowest, int highest) {
        return new RdmaRpcOptions(lowest, highest, credits, backwardCredits, sendSize, receiveSize, remoteInvalidation, replySize,
                messageSize, chunkSegments, readChunks, writeChunks, firstCallDelay);
    }

    /**
     * The same with other credits.
     *
     * @param forward  1 to 1,024
     * @param backward 0 to 1,024
     * @return the options
     */
    public RdmaRpcOptions withCredits(int forward, int backward) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, forward, backward, sendSize, receiveSize, remoteInvalidation, replySize,
                messageSize, chunkSegments, readChunks, writeChunks, firstCallDelay);
    }

    /**
     * The same with other sizes of inline messages.
     *
     * @param send    a multiple of 1,024 from 1,024 to 262,144
     * @param receive a multiple of 1,024 from 1,024 to 262,144
     * @return the options
     */
    public RdmaRpcOptions withInline(int send, int receive) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, credits, backwardCredits, send, receive, remoteInvalidation, replySize,
                messageSize, chunkSegments, readChunks, writeChunks, firstCallDelay);
    }

    /**
     * The same with or without remote invalidation.
     *
     * @param allowed whether peers may invalidate
     * @return the options
     */
    public RdmaRpcOptions withRemoteInvalidation(boolean allowed) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, credits, backwardCredits, sendSize, receiveSize, allowed, replySize,
                messageSize, chunkSegments, readChunks, writeChunks, firstCallDelay);
    }

    /**
     * The same with other limits of size.
     *
     * @param reply    the usual length of a Reply chunk in bytes
     * @param message  the longest call or reply in bytes
     * @param segments the most segments of a chunk
     * @return the options
     */
    public RdmaRpcOptions withSizes(int reply, int message, int segments) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, credits, backwardCredits, sendSize, receiveSize, remoteInvalidation, reply,
                message, segments, readChunks, writeChunks, firstCallDelay);
    }

    /**
     * The same with other limits of the chunks of a call.
     *
     * @param reads  0 to 1,024; 0 refuses arguments that are placed
     * @param writes 0 to 1,024; 0 refuses results that are placed
     * @return the options
     */
    public RdmaRpcOptions withChunks(int reads, int writes) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, credits, backwardCredits, sendSize, receiveSize, remoteInvalidation,
                replySize, messageSize, chunkSegments, reads, writes, firstCallDelay);
    }

    /**
     * The same with another delay of the first call.
     *
     * @param time 0 or more
     * @return the options
     */
    public RdmaRpcOptions withFirstCallDelay(Duration time) {
        return new RdmaRpcOptions(lowestVersion, highestVersion, credits, backwardCredits, sendSize, receiveSize, remoteInvalidation,
                replySize, messageSize, chunkSegments, readChunks, writeChunks, time);
    }
}
