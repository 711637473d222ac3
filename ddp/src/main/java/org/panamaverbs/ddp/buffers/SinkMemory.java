package org.panamaverbs.ddp.buffers;

import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Native memory in which bytes wait for a sink, and the log of what the program's own code throws. Only the receiving thread uses it. */
public final class SinkMemory {
    private static final Logger LOG = LoggerFactory.getLogger(SinkMemory.class);
    /** How many failures of a socket's sinks and listeners are logged: a hostile sender could cause one for each datagram. */
    private static final int MOST_LOGGED = 10;
    private static final int LEAST = 64 * 1024;

    private final IntFunction<MemorySegment> allocator;
    private MemorySegment memory = MemorySegment.NULL;
    private int logged;

    /**
     * Makes one that has no memory yet.
     *
     * @param allocator allocates native memory of a number of bytes, which any thread may use
     */
    public SinkMemory(IntFunction<MemorySegment> allocator) {
        this.allocator = allocator;
    }

    /** Memory for one segment; the content of the last one is lost. */
    MemorySegment take(int length) {
        if (memory.byteSize() < length) {
            // Twice as much each time: the memory before is given back with the socket alone, and a peer can make each message longer by a byte.
            memory = allocator.apply(Math.max(Integer.highestOneBit(length - 1) << 1, LEAST));
        }
        return memory;
    }

    void onFailure(String origin, Throwable failure) {
        if (logged < MOST_LOGGED) {
            logged++;
            LOG.warn("{} threw an exception{}", origin, logged == MOST_LOGGED ? "; further ones of this socket are not logged" : "",
                    failure);
        }
    }
}
