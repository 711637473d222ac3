package org.panamaverbs.softiwarp.faults;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** A network interface whose cable is this program: Ethernet frames are read and written (linux/if_tun.h). Needs CAP_NET_ADMIN. */
@SuppressWarnings("restricted") // the linker
final class Tap {
    /** The longest frame, in bytes. */
    static final int FRAME = 2048;

    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;
    private static final long TUNSETIFF = 0x400454CAL;
    private static final short IFF_TAP = 0x0002;
    private static final short IFF_NO_PI = 0x1000;
    private static final long IFREQ_SIZE = 40;
    private static final long IFREQ_FLAGS = 16;

    private static final MethodHandle OPEN = link("open", 2,
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle IOCTL = link("ioctl", 2,
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    private static final MethodHandle READ = link("read", 3,
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle WRITE = link("write", 3,
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

    private final int fd;

    private Tap(int fd) {
        this.fd = fd;
    }

    private static MethodHandle link(String name, int fixed, FunctionDescriptor descriptor) {
        MemorySegment function = Linker.nativeLinker().defaultLookup().find(name).orElseThrow();
        return descriptor.argumentLayouts().size() > fixed
                ? Linker.nativeLinker().downcallHandle(function, descriptor, Linker.Option.firstVariadicArg(fixed))
                : Linker.nativeLinker().downcallHandle(function, descriptor);
    }

    /** Makes an interface in the network namespace of this process; it lasts as long as the process. */
    static Tap open(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) OPEN.invokeExact(arena.allocateFrom("/dev/net/tun"), O_RDWR | O_CLOEXEC);
            MemorySegment request = arena.allocate(IFREQ_SIZE, Long.BYTES);
            request.setString(0, name);
            request.set(ValueLayout.JAVA_SHORT, IFREQ_FLAGS, (short) (IFF_TAP | IFF_NO_PI));
            if (fd < 0 || (int) IOCTL.invokeExact(fd, TUNSETIFF, request) != 0) {
                throw new IOException("/dev/net/tun gives no interface " + name + ": this needs root, and a kernel with TUN");
            }
            return new Tap(fd);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for a frame; negative while the interface is down. */
    long read(MemorySegment into) {
        try {
            return (long) READ.invokeExact(fd, into, into.byteSize());
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a frame; negative while the interface is down. */
    long write(MemorySegment frame, long length) {
        try {
            return (long) WRITE.invokeExact(fd, frame, length);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
