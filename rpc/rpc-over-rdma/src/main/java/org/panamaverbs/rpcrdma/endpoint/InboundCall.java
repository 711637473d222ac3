package org.panamaverbs.rpcrdma.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.wire.ChunkLists;

/** A call of the peer, from its receipt until its reply is sent. */
final class InboundCall {
    enum State {
        /** It is put together, or waits for memory: it is the endpoint's. */
        ARRIVING,
        /** The program has it, to answer or to drop it. */
        SERVED,
        /** Its reply is composed and posted, within one step. */
        REPLYING,
        /** Its reply is posted. */
        SENT,
        /** It holds nothing any more. */
        OVER
    }

    final int xid;
    final int version;
    final ChunkLists chunks = new ChunkLists();

    /** Memory that the call lies in, if it does not lie in the heap. */
    final List<Link.Memory> buffers = new ArrayList<>();
    int readsLeft;

    /** Its bytes in the count of {@link CallMemory}. */
    long memoryTaken;
    State state = State.ARRIVING;

    /** The reply, if it was made, and the caller that hears that it was sent. */
    ReplyMessage reply;
    Link.Done done;

    InboundCall(int xid, int version, ChunkLists chunks) {
        this.xid = xid;
        this.version = version;
        this.chunks.set(chunks);
    }

    void release() {
        buffers.forEach(Link.Memory::release);
        buffers.clear();
    }
}
