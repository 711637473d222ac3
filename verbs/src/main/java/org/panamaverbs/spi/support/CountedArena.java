package org.panamaverbs.spi.support;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A shared arena and the number of holds on it; {@link org.panamaverbs.RegistrableArena} is one for programs. */
public final class CountedArena {
    /** All that are open, so that a segment leads to its arena. */
    private static final Map<MemorySegment.Scope, CountedArena> OPEN = new ConcurrentHashMap<>();

    private final Arena arena = Arena.ofShared();
    /** -1 once it is closed. */
    private int holds;

    private CountedArena() {
    }

    /**
     * Makes one.
     *
     * @return it has no hold
     */
    public static CountedArena ofShared() {
        CountedArena counted = new CountedArena();
        OPEN.put(counted.arena.scope(), counted);
        return counted;
    }

    /** The arena of a scope, or {@code null} if it is of another kind. */
    static @Nullable CountedArena of(MemorySegment.Scope scope) {
        return OPEN.get(scope);
    }

    /**
     * The arena that memory comes from.
     *
     * @return to be closed by {@link #close} only
     */
    public Arena arena() {
        return arena;
    }

    /** {@return how many holds there are; 0 or more} */
    public synchronized int holds() {
        return Math.max(0, holds);
    }

    synchronized void hold() {
        if (holds < 0) {
            throw new IllegalStateException("the arena is closed");
        }
        holds++;
    }

    synchronized void release() {
        holds--;
    }

    /**
     * Closes the arena.
     *
     * @throws IllegalStateException if there is a hold, if memory is in use by a native call, or if it is closed already
     */
    public synchronized void close() {
        if (holds > 0) {
            throw new IllegalStateException("memory of the arena has " + holds + (holds == 1 ? " registration" : " registrations")
                    + ": close the memory regions, or their domain, before the arena");
        }
        arena.close();
        holds = -1;
        OPEN.remove(arena.scope());
    }
}
