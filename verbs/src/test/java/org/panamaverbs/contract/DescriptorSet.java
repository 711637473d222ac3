package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/** The event loop of a program: a set of descriptors (epoll(7)), level-triggered. */
final class DescriptorSet implements AutoCloseable {
    private static final int READABLE = 1;
    private static final int ADD = 1;
    private static final int EVENTS = 64;
    /** {@code struct epoll_event} is packed on x86_64 alone. */
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");
    private static final long SIZE = PACKED ? 12 : 16;
    private static final long DATA = PACKED ? 4 : 8;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final MethodHandle create = link("epoll_create1", ValueLayout.JAVA_INT);
    private final MethodHandle control = link("epoll_ctl", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS);
    private final MethodHandle wait = link("epoll_wait", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT);
    private final MethodHandle close = link("close", ValueLayout.JAVA_INT);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment events = arena.allocate(EVENTS * SIZE, 8);
    private final int number;

    DescriptorSet() {
        number = call(create, 0);
        assertTrue(number >= 0, "no descriptor");
    }

    @SuppressWarnings("restricted") // the linker
    private static MethodHandle link(String name, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    private static int call(MethodHandle handle, Object... arguments) {
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Adds a descriptor; {@code name} is 0 or more. */
    void add(int descriptor, int name) {
        MemorySegment event = arena.allocate(SIZE, 8);
        event.set(INT, 0, READABLE);
        event.set(INT, DATA, name);
        assertTrue(call(control, number, ADD, descriptor, event) == 0, "epoll_ctl");
    }

    /** The names of some that are readable; none if the time is up. */
    int[] await(Duration limit) {
        int count = call(wait, number, events, EVENTS, (int) limit.toMillis());
        int[] names = new int[Math.max(0, count)];
        for (int i = 0; i < names.length; i++) {
            names[i] = events.get(INT, i * SIZE + DATA);
        }
        return names;
    }

    @Override
    public void close() {
        call(close, number);
        arena.close();
    }
}
