package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.spi.support.Rollback;

/** A set of descriptors that is readable while one of them is (epoll(7)). A descriptor leaves the set when it is closed. */
public final class EpollSet implements AutoCloseable {
    private static final int TAKEN = 16;
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED;

    private final int number;
    /** By one thread at a time. */
    private final MemorySegment taken;
    private final MemorySegment errno;
    private final OwnedMemory memory = new OwnedMemory();

    /** Opens an empty one. */
    public EpollSet() {
        try (Rollback undo = new Rollback()) {
            undo.add(memory::close);
            taken = memory.allocate(TAKEN * SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
            errno = Native.newErrno(memory);
            number = SocketCalls.epollCreate1(errno, Libc.EPOLL_CLOEXEC());
            if (number < 0) {
                throw failure("epoll_create1", Native.errno(errno));
            }
            undo.commit();
        }
    }

    /** The exception of a call that opens a descriptor, or watches one. */
    public static VerbsException failure(String call, int error) {
        return ControlCall.failure("watch descriptors of events", call, error);
    }

    public int number() {
        return number;
    }

    /** Adds a descriptor for good. */
    public void add(int descriptor) {
        control(Libc.EPOLL_CTL_ADD(), descriptor, Libc.EPOLLIN());
    }

    /** Adds a descriptor, or adds it again, until {@link #take} has named it. */
    public void addOnce(int descriptor) {
        try {
            control(Libc.EPOLL_CTL_MOD(), descriptor, Libc.EPOLLIN() | Libc.EPOLLONESHOT());
        } catch (SystemException e) {
            if (e.errorNumber() != Errno.ENOENT) {
                throw e;
            }
            control(Libc.EPOLL_CTL_ADD(), descriptor, Libc.EPOLLIN() | Libc.EPOLLONESHOT());
        }
    }

    private void control(int operation, int descriptor, int events) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment failed = Native.newErrno(arena);
            MemorySegment event = arena.allocate(SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
            event.set(NUMBER, 0, events);
            event.set(NUMBER, SocketCalls.EPOLL_EVENT_DATA, descriptor);
            if (SocketCalls.epollCtl(failed, number, operation, descriptor, event) < 0) {
                throw failure("epoll_ctl", Native.errno(failed));
            }
        }
    }

    /** How many descriptors are readable, without waiting; {@link #taken} names them. For one thread at a time. */
    public int take() {
        return Math.max(0, SocketCalls.epollWait(errno, number, taken, TAKEN, 0));
    }

    public int taken(int index) {
        return taken.get(NUMBER, index * SocketCalls.EPOLL_EVENT_SIZE + SocketCalls.EPOLL_EVENT_DATA);
    }

    /** No thread takes from it any more. */
    @Override
    public void close() {
        Libc.close(number);
        memory.close();
    }
}
