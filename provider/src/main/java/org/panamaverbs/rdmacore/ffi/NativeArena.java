package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.panamaverbs.ResourceException;

/**
 * Memory of a queue, by C's {@code calloc}. The arenas of the JDK take theirs from what {@code -XX:MaxDirectMemorySize} gives to the program,
 * and an automatic one gives it back only when the collector gets to it. This one gives it back when it is closed. Any thread may use it.
 */
@SuppressWarnings("restricted") // memory that native code hands out has no size
public final class NativeArena implements Arena {
    private static final MethodHandle CALLOC = find("calloc",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE = find("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

    private final Arena life = Arena.ofShared();

    private static MethodHandle find(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), descriptor);
    }

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
            return MemorySegment.ofAddress(start).reinterpret(byteSize, life, _ -> free(whole));
        } catch (RuntimeException | Error e) {
            free(whole);
            throw e;
        }
    }

    private static MemorySegment callocate(long size) {
        MemorySegment memory;
        try {
            memory = (MemorySegment) CALLOC.invokeExact(1L, size);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (memory.address() == 0) {
            throw new ResourceException(
                    "there are no " + size + " bytes of memory for a queue: ask for a shorter one, with fewer elements or "
                            + "inline bytes for each request");
        }
        return memory;
    }

    private static void free(MemorySegment memory) {
        try {
            FREE.invokeExact(memory);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
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
