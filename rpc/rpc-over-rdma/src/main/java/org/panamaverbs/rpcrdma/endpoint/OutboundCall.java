package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/** A call of this side, from {@link Endpoint#call} until its answer. */
public final class OutboundCall {
    /**
     * The caller's listener. Each method is called once at most, and nothing after {@link #answered} or {@link #failed}, except this: what
     * {@code answered} throws is passed to {@code failed}.
     */
    public interface Listener {
        void sent(int bytes);

        void answered(MessageXdr reply);

        void failed(Throwable cause);
    }

    /** Waiting for a credit, waiting for the answer, or out of the caller's interest while the peer may still answer. */
    enum State {
        QUEUED, OUTSTANDING, ABANDONED
    }

    final int xid;
    final Xdr message;
    final List<MemorySegment> results;
    final boolean repeatable;
    final Listener listener;
    State state = State.QUEUED;

    /** The memory that is open to the peer, in the order: Read chunk segments, results, Reply chunk. */
    final List<Link.Exposure> exposures = new ArrayList<>();
    final List<Link.Memory> buffers = new ArrayList<>();
    Link.Memory replyBuffer;

    /** The Reply chunk that was offered, and its length. */
    Link.Exposure replyChunk;
    long replyOffered;
    int resultHandlesFrom;

    /** The content of the Read chunks; the peer has read it when it answers. */
    long bytesToRead;

    /** Chunks that the peer cannot take, so that the call was sent again without them (draft, 7.2.4). */
    int mostReadChunks = Integer.MAX_VALUE;
    boolean withoutWriteChunks;

    /** How long the rest of the reply can be: the caller said it, or the peer said that it needs so much. */
    int replyLength;
    int readChunks;
    boolean sentOnce;

    /**
     * Makes one.
     *
     * @param message     the RPC message, encoded
     * @param results     memory for results, in their order
     * @param replyAtMost how long the rest of the reply can be, in bytes
     * @param repeatable  whether the peer may execute the call again, to return a reply that did not fit
     */
    public OutboundCall(int xid, Xdr message, List<MemorySegment> results, int replyAtMost, boolean repeatable, Listener listener) {
        this.xid = xid;
        this.message = message;
        this.results = results;
        this.replyLength = replyAtMost;
        this.repeatable = repeatable;
        this.listener = listener;
    }

    public int xid() {
        return xid;
    }

    MessageXdr placed() {
        return message instanceof MessageXdr placed ? placed : null;
    }
}
