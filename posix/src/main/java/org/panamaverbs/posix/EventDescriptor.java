package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntFunction;
import org.panamaverbs.bindings.libc.Libc;

/**
 * A descriptor that is readable or not, as the program says (eventfd(2)): to end a wait of another thread, or for an event loop. Raising and
 * clearing allocate nothing and never wait. No thread uses it while or after it is closed.
 */
public final class EventDescriptor implements AutoCloseable {
    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);
    /** The value read, which no thread looks at. */
    private static final MemorySegment UNREAD = Arena.global().allocate(ValueLayout.JAVA_LONG);

    private final int number;

    private EventDescriptor(int number) {
        this.number = number;
    }

    /**
     * Opens one that is not readable.
     *
     * @param failure makes the exception of an error number of {@link Errno}: a limit of descriptors, mostly
     */
    public static EventDescriptor open(IntFunction<? extends RuntimeException> failure) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            int number = SocketCalls.eventfd(errno, 0, Libc.EFD_CLOEXEC() | Libc.EFD_NONBLOCK());
            if (number < 0) {
                throw failure.apply(Native.errno(errno));
            }
            return new EventDescriptor(number);
        }
    }

    public int number() {
        return number;
    }

    /** Makes it readable. */
    public void raise() {
        long ignored = Libc.write(number, ONE, Long.BYTES);
    }

    /** Makes it not readable. */
    public void clear() {
        long ignored = Libc.read(number, UNREAD, Long.BYTES);
    }

    /** Makes it readable or not. */
    public void set(boolean readable) {
        if (readable) {
            raise();
        } else {
            clear();
        }
    }

    @Override
    public void close() {
        Libc.close(number);
    }
}
