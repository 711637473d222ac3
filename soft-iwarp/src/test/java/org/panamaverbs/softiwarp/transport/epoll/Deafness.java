package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.posix.SocketCalls;

/** Makes a TCP socket lose all that arrives, as if the link were cut: by a filter (socket(7)), which anybody may attach. */
public final class Deafness {
    private static final int SO_ATTACH_FILTER = 26;
    private static final int MOST_DESCRIPTORS = 4096;
    /** Ends the filter, and says how much of the packet is kept. */
    private static final short BPF_RET = 0x06;

    private Deafness() {
    }

    public static void begin(int fd) {
        keep(fd, 0);
    }

    /** Another filter takes the place of the first: an emulator of processors has no call that detaches one. */
    public static void end(int fd) {
        keep(fd, -1);
    }

    /** @param bytes how much of each packet to keep at most; unsigned */
    private static void keep(int fd, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = arena.allocate(Long.BYTES, Long.BYTES);
            code.set(ValueLayout.JAVA_SHORT, 0, BPF_RET);
            code.set(ValueLayout.JAVA_INT, Integer.BYTES, bytes);
            MemorySegment program = arena.allocate(2 * Long.BYTES, Long.BYTES);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
            program.set(ValueLayout.ADDRESS, Long.BYTES, code);
            assertEquals(0, SocketCalls.setsockopt(Native.newErrno(arena), fd, Libc.SOL_SOCKET(), SO_ATTACH_FILTER, program,
                    (int) program.byteSize()));
        }
    }

    /** The descriptor of this process's socket that is connected with a peer. */
    public static int descriptor(InetSocketAddress peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = SocketAddresses.newStorage(arena);
            MemorySegment size = arena.allocate(ValueLayout.JAVA_INT);
            for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
                size.set(ValueLayout.JAVA_INT, 0, (int) address.byteSize());
                if (SocketCalls.getpeername(Native.newErrno(arena), fd, address, size) == 0
                        && (address.get(ValueLayout.JAVA_SHORT, 0) == Libc.AF_INET()
                                || address.get(ValueLayout.JAVA_SHORT, 0) == Libc.AF_INET6())
                        && SocketAddresses.decode(address).equals(peer)) {
                    return fd;
                }
            }
            throw new AssertionError("no socket is connected with " + peer);
        }
    }
}
