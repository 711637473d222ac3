package org.panamaverbs.posix;

import java.nio.ByteOrder;

/**
 * What differs between processors, of all that we use of libc. {@code HeadersTest} has a compiler for each processor compare it.
 *
 * @param epollEventSize size in bytes of {@code struct epoll_event}, which is packed only on x86_64 (epoll_ctl(2), sys/epoll.h)
 * @param epollEventData offset of {@code data} in it; {@code events} is at 0
 * @param directory      {@code O_DIRECTORY}
 * @param noFollow       {@code O_NOFOLLOW}
 * @param recvfrom       the number of a system call (asm/unistd.h), as all that follow
 */
record Processor(long epollEventSize, long epollEventData, int directory, int noFollow, long recvfrom, long sendto, long readv, long writev,
        long recvmsg, long recvmmsg, long sendmmsg) {
    static final Processor X86_64 = new Processor(12, 4, 0x10000, 0x20000, 45, 44, 19, 20, 47, 299, 307);
    static final Processor AARCH64 = new Processor(16, 8, 0x4000, 0x8000, 207, 206, 65, 66, 212, 243, 269);
    /** As Linux has it where a processor has no numbers of its own. */
    static final Processor RISCV64 = new Processor(16, 8, 0x10000, 0x20000, 207, 206, 65, 66, 212, 243, 269);

    private static final String NAME = System.getProperty("os.arch");
    /** That of this machine, or that of x86_64 if {@link #isKnown} says that no call may be made. */
    static final Processor HERE = switch (NAME) {
        case "aarch64" -> AARCH64;
        case "riscv64" -> RISCV64;
        default -> X86_64;
    };

    /** Whether this machine runs Linux on a processor whose numbers are here. */
    static boolean isKnown() {
        return "Linux".equals(System.getProperty("os.name")) && (HERE != X86_64 || NAME.equals("amd64"))
                && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }
}
