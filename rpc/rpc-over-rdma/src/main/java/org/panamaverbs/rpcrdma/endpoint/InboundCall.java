package org.panamaverbs.rpcrdma.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.wire.ChunkLists;

/** A call of the peer, from its receipt until its reply is sent. */
final class InboundCall {
    final int xid;
    final int version;
    final ChunkLists chunks = new ChunkLists();

    /** Memory that the call lies in, if it does not lie in the heap. */
    final List<Link.Memory> buffers = new ArrayList<>();
    int readsLeft;

    /** Its bytes in the count of {@link CallMemory}. */
    long memoryTaken;
    boolean replied;

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
