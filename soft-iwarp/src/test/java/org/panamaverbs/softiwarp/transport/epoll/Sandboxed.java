package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.panamaverbs.Configuration;

/**
 * A process in which the kernel refuses some system calls, as in a sandbox whose rules are older than these calls (seccomp(2)): runs a
 * {@link FaultScenario} twice. Run by {@link SandboxTest}.
 */
final class Sandboxed {
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final int PR_SET_SECCOMP = 22;
    private static final long SECCOMP_MODE_FILTER = 2;
    private static final int SECCOMP_RET_ERRNO = 0x50000;
    private static final int SECCOMP_RET_ALLOW = 0x7fff0000;
    /** {@code struct sock_filter}: code 16, jt 8, jf 8, k 32. */
    private static final long INSTRUCTION = 8;
    private static final int LOAD_WORD = 0x20;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;
    /** Offsets in {@code struct seccomp_data}: the number of the call, and the low half of its first argument. */
    private static final int NUMBER = 0;
    private static final int FIRST_ARGUMENT = 16;
    /** socket(2) on x86_64 is refused for this family alone. */
    private static final int SOCKET = 41;
    private static final int AF_UNIX = 1;

    private Sandboxed() {
    }

    /** Arguments: the transport, the error number, and the number of each call that the kernel refuses. */
    public static void main(String[] arguments) throws Throwable {
        int error = Integer.parseInt(arguments[1]);
        int[] calls = List.of(arguments).subList(2, arguments.length).stream().mapToInt(Integer::parseInt).toArray();
        // Threads that this one starts inherit the filter.
        refuse(calls, error);
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", arguments[0]).build();
        MemorySegment memory = Arena.global().allocate(FaultScenario.memorySize(), 64);
        for (int i = 0; i < 2; i++) {
            List<Throwable> failures = new FaultScenario(configuration, memory).run();
            if (!failures.isEmpty()) {
                failures.forEach(Throwable::printStackTrace);
                System.exit(1);
            }
        }
        System.out.println("survived");
        System.exit(0);
    }

    @SuppressWarnings("restricted") // prctl(2)
    private static void refuse(int[] calls, int error) throws Throwable {
        Arena arena = Arena.global();
        MemorySegment filter = arena.allocate(INSTRUCTION * (3L * calls.length + 4), Long.BYTES);
        int length = 0;
        put(filter, length++, LOAD_WORD, 0, 0, NUMBER);
        for (int call : calls) {
            if (call == SOCKET) {
                put(filter, length++, JUMP_IF_EQUAL, 0, 3, call);
                put(filter, length++, LOAD_WORD, 0, 0, FIRST_ARGUMENT);
                put(filter, length++, JUMP_IF_EQUAL, 0, 1, AF_UNIX);
                put(filter, length++, RETURN, 0, 0, SECCOMP_RET_ERRNO | error);
                // The last of them: the number is no longer loaded.
            } else {
                put(filter, length++, JUMP_IF_EQUAL, 0, 1, call);
                put(filter, length++, RETURN, 0, 0, SECCOMP_RET_ERRNO | error);
            }
        }
        put(filter, length++, RETURN, 0, 0, SECCOMP_RET_ALLOW);
        // struct sock_fprog: the length 16, then the address
        MemorySegment program = arena.allocate(16, Long.BYTES);
        program.set(ValueLayout.JAVA_SHORT, 0, (short) length);
        program.set(ValueLayout.ADDRESS, 8, filter);
        Linker linker = Linker.nativeLinker();
        MethodHandle prctl = linker.downcallHandle(
                linker.defaultLookup().find("prctl").orElseThrow(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        if ((int) prctl.invokeExact(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0
                || (int) prctl.invokeExact(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program.address(), 0L, 0L) != 0) {
            System.out.println("no filter");
            System.exit(0);
        }
    }

    private static void put(MemorySegment filter, int index, int code, int ifTrue, int ifFalse, int k) {
        long at = index * INSTRUCTION;
        filter.set(ValueLayout.JAVA_SHORT, at, (short) code);
        filter.set(ValueLayout.JAVA_BYTE, at + 2, (byte) ifTrue);
        filter.set(ValueLayout.JAVA_BYTE, at + 3, (byte) ifFalse);
        filter.set(ValueLayout.JAVA_INT, at + 4, k);
    }
}
