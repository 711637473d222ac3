package org.panamaverbs.rpcrdma;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A caller's knowledge of a reply before it comes: memory that results are placed into, and how long the rest of the reply can be. Made by
 * {@link #none} and the methods that add to it; one object serves many calls, one after the other.
 */
public final class Placement {
    /** {@link #replyAtMost()} of a caller that does not know. */
    public static final int UNKNOWN = -1;

    private final List<MemorySegment> results = new ArrayList<>();
    private int replyAtMost = UNKNOWN;
    private boolean repeatable;

    private Placement() {
    }

    /**
     * No result is placed.
     *
     * @return a new object
     */
    public static Placement none() {
        return new Placement();
    }

    /**
     * Adds memory for a result: a Write chunk (RFC 8166, 3.4.6). The first is for the first eligible result of the reply, and so on. The
     * caller decodes these results by {@link OpaqueSegment}, in the same order and into the same memory.
     *
     * @param memory native memory, 1 to 2,147,483,647 bytes, as large as the result can be. Allocate it from an
     *               {@link org.panamaverbs.RegistrableArena}: a call with memory of a plain shared arena starts a thread to hold it
     * @return this
     */
    public Placement result(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() < 1 || memory.byteSize() > Integer.MAX_VALUE || memory.isReadOnly()) {
            throw new IllegalArgumentException(
                    "a result is placed into native, writable memory of 1 to 2,147,483,647 bytes, not into " + memory);
        }
        results.add(memory);
        return this;
    }

    /**
     * Says how long a reply can be without the results that are placed. If that does not fit into a message, the call offers a Reply chunk
     * (RFC 8166, 4.3.3). Without a word of the caller it offers one of the usual size, {@link RdmaRpcOptions#replySize}.
     *
     * @param bytes the length of the RPC reply with its header, 0 or more
     * @return this
     */
    public Placement replyAtMost(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a reply has 0 bytes or more, not " + bytes);
        }
        replyAtMost = bytes;
        return this;
    }

    /**
     * Says that the call may be executed twice. If the reply is longer than was said, a peer of version 2 answers how long it is, after it
     * executed the call; the call is then sent again with room for the reply.
     *
     * @return this
     */
    public Placement repeatable() {
        repeatable = true;
        return this;
    }

    /**
     * Takes all back.
     *
     * @return this
     */
    public Placement clear() {
        results.clear();
        replyAtMost = UNKNOWN;
        repeatable = false;
        return this;
    }

    /**
     * How long a reply can be.
     *
     * @return the length in bytes, or {@link #UNKNOWN}
     */
    public int replyAtMost() {
        return replyAtMost;
    }

    /**
     * Whether the call may be executed twice.
     *
     * @return {@code true} after {@link #repeatable}
     */
    public boolean isRepeatable() {
        return repeatable;
    }

    /**
     * Memory for results.
     *
     * @return the segments in the order of the results
     */
    public List<MemorySegment> results() {
        return List.copyOf(results);
    }
}
