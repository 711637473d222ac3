package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.SocketCalls;

/**
 * Stands between the epoll transport and the system, and answers some calls as a system in trouble does. It keeps to what Linux promises:
 * after a count that is short, or EAGAIN while a socket is ready, an edge follows; EINTR of connect and close comes after the call has done
 * its work.
 */
final class FaultySystem {
    /** The fate of a call: it fails with an error number, or moves fewer bytes than it could. */
    record Fault(int errno) {
        static final Fault SHORT = new Fault(0);

        boolean isShort() {
            return errno == 0;
        }

        @Override
        public String toString() {
            return isShort() ? "a short count" : Errno.name(errno);
        }
    }

    /** Decides. */
    interface Plan {
        /**
         * Called before each call, by any thread.
         *
         * @param call   the name of the system call
         * @param number how many calls of that name came since the last {@link #begin}, this one included
         * @return {@code null} to let it through
         */
        Fault at(String call, int number);
    }

    private static final boolean X86_64 = "amd64".equals(System.getProperty("os.arch"));
    private static final Map<Long, String> NUMBERS = X86_64 ? Map.of(45L, "recv", 44L, "send", 19L, "readv", 20L, "writev")
            : Map.of(207L, "recv", 206L, "send", 65L, "readv", 66L, "writev");
    /** Of {@code struct iovec}: the address, then the length. */
    private static final long ENTRY = 16;

    private static volatile Plan plan = (call, number) -> null;
    private static final Map<String, AtomicInteger> COUNTS = new ConcurrentHashMap<>();
    private static final AtomicInteger ALL = new AtomicInteger();
    private static final Queue<String> INJECTED = new ConcurrentLinkedQueue<>();
    /** Of watched sockets: the epoll set, the events and the token. */
    private static final Map<Integer, long[]> WATCHED = new ConcurrentHashMap<>();
    private static final ThreadLocal<MemorySegment> OWN = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(128, 16));
    private static volatile MethodHandle epollCtl;

    private FaultySystem() {
    }

    /** Puts itself there; the epoll transport must not have been used in this process. */
    static void install() {
        // Of the calling thread, which outlives all runs: so what runs leave behind shows.
        OWN.get();
        SocketCalls.interpose((name, call) -> {
            if (name.equals("epoll_ctl")) {
                epollCtl = call;
            }
            try {
                int count = call.type().parameterCount();
                MethodHandle real = call.asSpreader(Object[].class, count).asType(MethodType.methodType(Object.class, Object[].class));
                MethodHandle through = MethodHandles.lookup().findStatic(FaultySystem.class, "call",
                        MethodType.methodType(Object.class, String.class, MethodHandle.class, boolean.class, Object[].class));
                return MethodHandles.insertArguments(through, 0, name, real, call.type().returnType() == long.class)
                        .asCollector(Object[].class, count).asType(call.type());
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** From now on calls are counted from 1 and treated by this plan. */
    static void begin(Plan next) {
        plan = next;
        COUNTS.clear();
        ALL.set(0);
        INJECTED.clear();
    }

    /** From now on calls pass. They are still counted. */
    static void end() {
        plan = (call, number) -> null;
    }

    /** How many calls there were. */
    static int calls() {
        return ALL.get();
    }

    /** How many calls of a name there were. */
    static int calls(String name) {
        AtomicInteger count = COUNTS.get(name);
        return count == null ? 0 : count.get();
    }

    /** The counts of faults. */
    static Queue<String> injected() {
        return INJECTED;
    }

    @SuppressWarnings("unused") // by the handle
    private static Object call(String function, MethodHandle real, boolean isLong, Object[] arguments) throws Throwable {
        String name = function.equals("syscall") ? NUMBERS.getOrDefault((long) arguments[1], "another") : function;
        if (name.equals("strerror_r") || name.equals("free")) {
            return real.invokeExact(arguments);
        }
        ALL.incrementAndGet();
        int number = COUNTS.computeIfAbsent(name, key -> new AtomicInteger()).incrementAndGet();
        Fault fault = plan.at(name, number);
        if (fault == null) {
            Object result = real.invokeExact(arguments);
            watch(name, arguments, ((Number) result).longValue());
            return result;
        }
        if (fault.isShort()) {
            return shortened(name, number, real, arguments);
        }
        INJECTED.add(name + " " + number + ": " + fault);
        if (fault.errno() == Errno.EINTR && (name.equals("connect") || name.equals("close"))) {
            Object ignored = real.invokeExact(arguments);
        } else if (name.equals("close")) {
            // The kernel frees the number, whatever it returns (close(2)).
            Object ignored = real.invokeExact(arguments);
        } else if (fault.errno() == Errno.EAGAIN) {
            rearm(descriptor(arguments));
        }
        ((MemorySegment) arguments[0]).set(ValueLayout.JAVA_INT, 0, fault.errno());
        if (name.equals("calloc")) {
            return 0L;
        }
        if (isLong) {
            return -1L;
        }
        return -1;
    }

    private static int descriptor(Object[] arguments) {
        return (int) (long) arguments[2];
    }

    private static void watch(String name, Object[] arguments, long result) {
        if (name.equals("close")) {
            WATCHED.remove((int) arguments[1]);
        } else if (name.equals("epoll_ctl") && result == 0) {
            if ((int) arguments[2] == Libc.EPOLL_CTL_DEL()) {
                WATCHED.remove((int) arguments[3]);
            } else {
                MemorySegment event = (MemorySegment) arguments[4];
                WATCHED.put((int) arguments[3], new long[] { (int) arguments[1], event.get(ValueLayout.JAVA_INT_UNALIGNED, 0),
                        event.get(ValueLayout.JAVA_LONG_UNALIGNED, SocketCalls.EPOLL_EVENT_DATA) });
            }
        }
    }

    /** If the socket is ready, that is an edge again. */
    private static void rearm(int fd) throws Throwable {
        long[] watched = WATCHED.get(fd);
        if (watched != null) {
            MemorySegment own = OWN.get();
            MemorySegment event = own.asSlice(64, 32);
            event.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) watched[1]);
            event.set(ValueLayout.JAVA_LONG_UNALIGNED, SocketCalls.EPOLL_EVENT_DATA, watched[2]);
            int ignored = (int) epollCtl.invokeExact(own, (int) watched[0], Libc.EPOLL_CTL_MOD(), fd, event);
        }
    }

    private static Object shortened(String name, int number, MethodHandle real, Object[] arguments) throws Throwable {
        long most;
        if (name.endsWith("v") && !name.equals("recv")) {
            MemorySegment entries = (MemorySegment) arguments[3];
            most = shorter(entries.get(ValueLayout.JAVA_LONG, Long.BYTES));
            MemorySegment own = OWN.get().asSlice(96, ENTRY);
            own.set(ValueLayout.JAVA_LONG, 0, entries.get(ValueLayout.JAVA_LONG, 0));
            own.set(ValueLayout.JAVA_LONG, Long.BYTES, most);
            arguments[3] = own;
            arguments[4] = 1L;
        } else {
            most = shorter((long) arguments[4]);
            arguments[4] = most;
        }
        Object result = real.invokeExact(arguments);
        if (((Number) result).longValue() == most) {
            INJECTED.add(name + " " + number + ": " + most + " bytes");
            rearm(descriptor(arguments));
        }
        return result;
    }

    private static long shorter(long length) {
        return length <= 1 ? length : ThreadLocalRandom.current().nextLong(1, Math.min(length, 2000));
    }
}
