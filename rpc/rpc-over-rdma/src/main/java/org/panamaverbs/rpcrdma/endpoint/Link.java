package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/**
 * The connection below an endpoint. It carries out requests in the order of their posting. No method waits, and none calls the endpoint
 * back before it returns; {@link Done}s come later, from one thread at a time.
 */
public interface Link {
    /** How an operation ended. */
    @FunctionalInterface
    interface Done {
        void done(boolean success);
    }

    /** Memory that the link has registered, from {@link #takeSend}, {@link #takeBuffer}, {@link #takeReplyBuffer} or {@link #source}. */
    interface Memory {
        MemorySegment segment();

        /** Gives it back; nothing that was posted may use it any more. */
        void release();
    }

    /** Memory that is open to the peer. */
    interface Exposure {
        int handle();

        /** The offset of the first byte, in the peer's terms. */
        long offset();

        /** Whether the peer may end it by a Send with Invalidate. */
        boolean canBeInvalidated();
    }

    /** The longest Send that this side can make; memory of {@link #takeSend} is as long. */
    int sendCapacity();

    /** The longest Send that this side takes. */
    int receiveCapacity();

    /** The peer's private data, from when it connected, or {@code null}. */
    PrivateData peer();

    /** Whether this side can make a Send with Invalidate. */
    boolean canInvalidate();

    /** Memory for one Send; {@code null} if too many are under way. The link takes it back when it is sent. */
    Memory takeSend();

    void send(Memory message, long length, Done done);

    void sendInvalidate(Memory message, long length, int handle, Done done);

    /** Memory of the link, at least so long. */
    Memory takeBuffer(long length);

    /**
     * As {@link #takeBuffer}, for a Reply chunk. The peer says how much of it was written, and nothing shows whether that is true: so the
     * memory holds nothing but what this peer has written before, or zeros.
     */
    default Memory takeReplyBuffer(long length) {
        return takeBuffer(length);
    }

    /** Memory of the program that Writes read from. */
    Memory source(MemorySegment memory);

    /** Writes into the peer's memory. If that fails, the connection ends. */
    void write(Memory from, long offset, long length, int handle, long address);

    /** Reads from the peer's memory. */
    void read(Memory into, long offset, long length, int handle, long address, Done done);

    /**
     * Opens memory to the peer.
     *
     * @throws RuntimeException if it cannot be registered
     */
    Exposure expose(MemorySegment memory, boolean forWriting);

    /**
     * Ends exposures; the peer cannot touch the memory when {@code done} is called, with {@code false} if the connection had to end for
     * that.
     *
     * @param invalidated whether the peer invalidated a handle
     * @param handle      that handle
     */
    void revoke(List<Exposure> exposures, boolean invalidated, int handle, Done done);

    /** Why the link has ended; {@code null} if it has not. {@link Endpoint#onEnd} follows at the latest. Any thread may ask. */
    String endReason();

    /** Ends the connection; {@link Endpoint#onEnd} follows. */
    void fail(String reason);

    /** As the other, because a step of this side has thrown. It throws nothing, and needs no memory: perhaps there is none. */
    void fail(Throwable cause);
}
