package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.SystemResource;
import org.panamaverbs.spi.support.Rollback;

/**
 * A file descriptor that is closed once nobody uses it. The kernel gives a closed descriptor's number to the next file opened, by anybody
 * in the process: a call that is under way, or about to be made, on another thread would then read or write a stranger's stream.
 */
public class Descriptor extends SystemResource {
    /**
     * For calls whose error no thread reads. Allocated early, so that a connection can end when no memory is left. Several threads may write
     * it at the same time.
     */
    public static final MemorySegment UNREAD = Native.newErrno(Arena.global());

    private final int fd;
    private final OwnedMemory memory = new OwnedMemory();

    public Descriptor(int fd) {
        this.fd = fd;
    }

    /** The number; to be used between {@link #acquire} and {@link #release} only. */
    public int fd() {
        return fd;
    }

    /** Memory of calls on the descriptor, given back with it: a thread uses it between {@link #acquire} and {@link #release} only. */
    public SegmentAllocator memory() {
        return memory;
    }

    /** Makes an object of the descriptor; closes the descriptor if that fails, since no other object has it yet. */
    public <T> T orClose(Supplier<T> maker) {
        try (Rollback undo = new Rollback()) {
            undo.add(this::close);
            T owner = maker.get();
            undo.commit();
            return owner;
        }
    }

    @Override
    protected void closeNow() {
        // Not repeated on EINTR: Linux has released the number by then (close(2)).
        SocketCalls.close(UNREAD, fd);
        memory.close();
    }
}
