package org.panamaverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.spi.support.CountedArena;

/**
 * A shared arena that knows how many registrations its memory has. {@link #close} is refused while there is one, as for each other arena
 * with registered memory. But this one needs no thread for that, as an arena of the JDK does: so there may be any number of
 * these, and the first registration of each is cheap.
 *
 * <p>It takes the place of {@link Arena#ofShared()}, for mapped files too ({@code FileChannel.map(mode, offset, size, arena)}).
 */
public final class RegistrableArena implements Arena {
    private final CountedArena counted = CountedArena.ofShared();

    private RegistrableArena() {
    }

    /**
     * Makes one.
     *
     * @return memory from it may be used by any thread, and is freed by {@link #close}
     */
    public static RegistrableArena ofShared() {
        return new RegistrableArena();
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return counted.arena().allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return counted.arena().scope();
    }

    /** {@return how many registrations its memory has now; 0 or more} */
    public int registrations() {
        return counted.holds();
    }

    /**
     * Frees the memory.
     *
     * @throws IllegalStateException if some of its memory is registered, or in use by a native call, or if it is closed already
     */
    @Override
    public void close() {
        counted.close();
    }
}
