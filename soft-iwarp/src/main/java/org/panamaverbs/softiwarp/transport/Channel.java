package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * A byte stream to a peer, which never waits. One thread at a time reads, one at a time writes; both may go on at once. What fails is a
 * return value, since an exception has no place in an I/O loop; {@link #failure()} makes one where a program must be told.
 */
public interface Channel {
    /** Returned where the peer has ended its direction of the stream. */
    long END_OF_STREAM = -1;
    /** Returned where the stream is broken. */
    long BROKEN = -2;
    /** Returned where memory of the vector cannot be used: its arena is closed, or a mapped file was cut short. Nothing was taken. */
    long BAD_MEMORY = -3;

    /**
     * Whether the stream is connected; for one made by {@link Multiplexer#connect}.
     *
     * @return 1 once it is, 0 while it is not yet, {@link #BROKEN} where it failed
     */
    int finishConnect();

    /**
     * Reads what is there into the vector's parts, from the first on, with one system call where the transport has them. The vector is
     * left as it was.
     *
     * @param into 1 byte or more
     * @return the bytes read, 0 where nothing is there now, or one of the negative values above
     */
    long read(IoVector into);

    /**
     * Writes what the stream takes of the vector's parts, from the first on. The vector is left as it was. Who is told of fewer bytes than
     * all writes the rest next, unchanged, with more behind it if need be: the stream may be taking it meanwhile.
     *
     * @param from 1 byte or more
     * @return the bytes taken, 0 where it takes none now, {@link #BROKEN} or {@link #BAD_MEMORY}
     */
    long write(IoVector from);

    /**
     * Takes back what the last {@link #write} may still be taking; by the thread that writes. From then on the channel does not touch the
     * vector's memory.
     *
     * @return the bytes taken since that write returned, which count as written
     */
    default long recall() {
        return 0;
    }

    /**
     * Why it is broken.
     *
     * @return an exception made new, with the system's error name, number and call, and the peer's address
     */
    VerbsException failure();

    /**
     * This end.
     *
     * @return with the real port
     */
    InetSocketAddress localAddress();

    /**
     * The other end.
     *
     * @return with the real port
     */
    InetSocketAddress remoteAddress();

    /**
     * The largest TCP segment that the path takes, for framing that fits segments.
     *
     * @return bytes; 1460 where it is not known
     */
    int segmentSize();

    /** Ends our direction of the stream once all that was written is on its way. */
    void shutdownOutput();

    /** Ends both directions; more calls do nothing. Its multiplexer forgets it. */
    void close();
}
