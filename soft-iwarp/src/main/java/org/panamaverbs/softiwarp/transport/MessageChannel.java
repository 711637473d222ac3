package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;

/**
 * An association with a peer that carries whole messages on numbered streams, reliably and in any order. No call waits. One thread at a time
 * receives and one at a time sends, both at the same time if need be. An error is a return value, because an I/O loop has no use for
 * exceptions; {@link #failure()} makes an exception for the program.
 */
public interface MessageChannel {
    /** The peer has shut the association down, and all its messages were received. */
    int END_OF_ASSOCIATION = -1;
    /** The association is broken: the peer aborted it, restarted it, or does not answer. */
    int BROKEN = -2;
    /** A message was longer than the buffer; the channel skips the rest of it. */
    int TOO_LONG = -3;

    /**
     * Whether an association that this side asked for is established.
     *
     * @return 1 if it is, 0 if it is not yet, {@link #BROKEN} if that failed
     */
    int finishConnect();

    /**
     * Receives one message. {@link #stream}, {@link #protocol} and {@link #isUnordered} describe it.
     *
     * @param into native memory, to be filled from its start on; less than 2 GiB
     * @return the length of the message in bytes, 1 or more; 0 if none is there now; or one of the negative values above
     */
    int receive(MemorySegment into);

    /** The number of the stream of the last message that was received. */
    int stream();

    /** The Payload Protocol Identifier of the last message that was received. */
    int protocol();

    /** Whether the last message that was received was sent as an unordered one. */
    boolean isUnordered();

    /**
     * Sends one message, unordered: it may overtake others.
     *
     * @param from     native memory that begins with the message; less than 2 GiB
     * @param length   bytes, 1 or more
     * @param stream   0 to {@link #streams()} - 1
     * @param protocol the Payload Protocol Identifier
     * @return 1 if the message was taken, 0 if there is no room for it now, or {@link #BROKEN}
     */
    int send(MemorySegment from, int length, int stream, int protocol);

    /** The number of streams in each direction, once connected: the lesser one, if peer and system disagree. */
    int streams();

    /** The longest IP packet that the local network interface sends, in bytes; 1500 if the value is not known. */
    int mtu();

    /**
     * Why the association is broken.
     *
     * @return a new exception that names the peer's address, the call, and the error
     */
    VerbsException failure();

    /**
     * The local address.
     *
     * @return the address with the actual port
     */
    InetSocketAddress localAddress();

    /**
     * The peer's address.
     *
     * @return the address with the actual port; the first of several
     */
    InetSocketAddress remoteAddress();

    /** Shuts the association down after all messages sent so far. Messages that the peer sent before can still be received. */
    void shutdown();

    /** Ends the association at once; the peer learns that it is broken. Further calls do nothing. */
    void abort();

    /** Ends the association; further calls do nothing. The multiplexer forgets the channel. */
    void close();
}
