package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * A byte stream to a peer. No call waits. One thread at a time reads and one at a time writes, both at the same time if need be. An error
 * is a return value, because an I/O loop has no use for exceptions; {@link #failure()} makes an exception for the program.
 */
public interface Channel {
    /** The peer has ended its direction of the stream. */
    long END_OF_STREAM = -1;
    /** The stream is broken. */
    long BROKEN = -2;
    /** Memory of the vector cannot be used: its arena is closed, or a mapped file was truncated. No byte was transferred. */
    long BAD_MEMORY = -3;

    /**
     * Whether a stream made by {@link Multiplexer#connect(org.panamaverbs.cm.Route)} is connected.
     *
     * @return 1 if it is, 0 if it is not yet, {@link #BROKEN} if connecting failed
     */
    int finishConnect();

    /**
     * Reads the bytes that are there into the parts of a vector, from the first part on; usually with one system call. The vector does not
     * change.
     *
     * @param into 1 byte or more
     * @return the number of bytes read, 0 if none is there now, or one of the negative values above
     */
    long read(IoVector into);

    /**
     * Writes as many bytes of the parts of a vector as the stream takes, from the first part on. The vector does not change.
     *
     * @param from 1 byte or more
     * @return the number of bytes taken, 0 if the stream takes none now, {@link #BROKEN} or {@link #BAD_MEMORY}
     */
    long write(IoVector from);

    /**
     * Why the stream is broken.
     *
     * @return a new exception that names the peer's address, the call, and the error with its number
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
     * @return the address with the actual port
     */
    InetSocketAddress remoteAddress();

    /**
     * The payload of the largest TCP segment that the path takes, for FPDUs that fit into one segment.
     *
     * @return bytes; 1460 if the value is not known
     */
    int segmentSize();

    /** The path of the bytes. */
    enum Path {
        /** A socket of the system. */
        TCP("TCP"),
        /** Memory that this process and another one map. */
        SHARED_MEMORY("shared memory");

        private final String words;

        Path(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** The path of the bytes. */
    default Path path() {
        return Path.TCP;
    }

    /** Whether the bytes in flight stay in the memory of this machine, so that a checksum would find nothing. */
    default boolean staysInMemory() {
        return path() == Path.SHARED_MEMORY
                || localAddress().getAddress().isLoopbackAddress() && remoteAddress().getAddress().isLoopbackAddress();
    }

    /** Ends our direction of the stream after all bytes written so far. What another thread writes at the same time may be lost. */
    void shutdownOutput();

    /** Ends both directions; further calls do nothing. The multiplexer forgets the channel. */
    void close();
}
