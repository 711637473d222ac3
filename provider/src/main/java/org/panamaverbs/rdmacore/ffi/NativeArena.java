package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ResourceException;
import org.panamaverbs.bindings.libc.Libc;

/**
 * Memory of a queue, by C's {@code calloc}. The arenas of the JDK take theirs from what {@code -XX:MaxDirectMemorySize} gives to the program,
 * and an automatic one gives it back only when the collector gets to it. This one gives it back when it is closed. Any thread may use it.
 */
@SuppressWarnings("restricted") // memory that native code hands out has no size
public final class NativeArena implements Arena {
    private final Arena life = Arena.ofShared();

    /**
     * Memory that is filled with zeros.
     *
     * @throws ResourceException if there is not so much
     */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment whole = callocate(byteSize + byteAlignment);
        long start = Math.ceilDiv(whole.address(), byteAlignment) * byteAlignment;
        try {
            return MemorySegment.ofAddress(start).reinterpret(byteSize, life, _ -> Libc.free(whole));
        } catch (RuntimeException | Error e) {
            Libc.free(whole);
            throw e;
        }
    }

    private static MemorySegment callocate(long size) {
        MemorySegment memory = Libc.calloc(1, size);
        if (memory.address() == 0) {
            throw new ResourceException("there are no " + size
                    + " bytes of memory for a queue: ask for a shorter one, with fewer elements or " + "inline bytes for each request");
        }
        return memory;
    }

    @Override
    public MemorySegment.Scope scope() {
        return life.scope();
    }

    @Override
    public void close() {
        life.close();
    }
}
