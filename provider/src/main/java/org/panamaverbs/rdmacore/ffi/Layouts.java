package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;

/**
 * How the structs of libibverbs differ between processors. The bindings are those of x86_64. On aarch64 {@code pthread_mutex_t} has 48 bytes
 * instead of 40, so that all fields behind a mutex lie 8 bytes further; nothing else differs of the structs that this provider uses
 * ({@code ArchitecturesTest} asks a compiler).
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class Layouts {
    /** How much longer a mutex is than on x86_64, in bytes. */
    public static final long LONGER_MUTEX = longerMutex(System.getProperty("os.arch"));

    private Layouts() {
    }

    static long longerMutex(String architecture) {
        return architecture.equals("aarch64") ? 8 : 0;
    }

    /**
     * A struct that contains one mutex, for the generated accessors of the fields behind it.
     *
     * @param struct the struct
     * @param size   its size in the bindings
     */
    public static MemorySegment behindMutex(MemorySegment struct, long size) {
        return MemorySegment.ofAddress(struct.address() + LONGER_MUTEX).reinterpret(size);
    }
}
