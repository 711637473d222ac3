package org.panamaverbs.rdmacore.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.rlimit;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.spi.Registrable;
import org.panamaverbs.statistics.PinnedMemory;

/** The holders of pinned memory, and the kernel's figures for the process: {@code ib_umem_get} compares VmPin with RLIMIT_MEMLOCK. */
public record LockedMemory(List<Holder> holders, OptionalLong pinnedByProcess, OptionalLong limit) implements PinnedMemory {
    /** The number of the capability CAP_IPC_LOCK. */
    private static final int IPC_LOCK = 14;
    private static final String ALL_USERS = "0 0 4294967295";

    /** Of the regions of a device. */
    public static LockedMemory of(Collection<?> regions) {
        List<String> status = read("/proc/self/status");
        List<Holder> holders = Registrable.holders(regions, region -> ((CoreMemoryRegion) region).pinnedBytes());
        return new LockedMemory(holders, pinned(status),
                isPrivileged(status, read("/proc/self/uid_map")) ? OptionalLong.empty() : mostLocked());
    }

    private static List<String> read(String path) {
        try {
            return Files.readAllLines(Path.of(path));
        } catch (IOException e) {
            // Without /proc the system does not say.
            return List.of();
        }
    }

    private static OptionalLong mostLocked() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = rlimit.allocate(arena);
            int error = Calls.GETRLIMIT.attempt(Libc.RLIMIT_MEMLOCK(), limit);
            long most = rlimit.rlim_cur(limit);
            return error != 0 || most == Libc.RLIM_INFINITY() ? OptionalLong.empty() : OptionalLong.of(most);
        }
    }

    /** "VmPin:      12 kB". */
    static OptionalLong pinned(List<String> status) {
        return value(status, "VmPin:").map(kibibytes -> OptionalLong.of(Long.parseLong(kibibytes) << 10)).orElse(OptionalLong.empty());
    }

    /** The kernel asks for the capability in the first user namespace: root of a container with users of its own has none there. */
    static boolean isPrivileged(List<String> status, List<String> users) {
        boolean isCapable = value(status, "CapEff:").filter(bits -> (Long.parseUnsignedLong(bits, 16) >>> IPC_LOCK & 1) != 0).isPresent();
        return isCapable && users.stream().anyMatch(line -> String.join(" ", line.trim().split(" +")).equals(ALL_USERS));
    }

    private static Optional<String> value(List<String> status, String name) {
        return status.stream().filter(line -> line.startsWith(name)).map(line -> line.substring(name.length()).trim().split(" ")[0])
                .findFirst();
    }

    @Override
    public String toString() {
        return describe();
    }
}
