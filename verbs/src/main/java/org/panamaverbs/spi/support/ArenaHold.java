package org.panamaverbs.spi.support;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ResourceException;

/**
 * Keeps the arena of registered memory from being closed: {@link Arena#close()} throws {@link IllegalStateException} while one is held.
 *
 * <p>The JDK has no call for that, but one guarantee: an arena cannot be closed while a native call runs that was given one of its
 * segments ({@link Linker}, "the linker guarantees that the arena is kept alive during the call"). So there is one thread per arena that
 * stands in such a call, C's {@code bsearch}, whose callback waits until the last hold is released. All registrations of an arena share
 * it. Segments that nobody can close, of the global arena and of automatic ones, are held by being referred to.
 * {@link org.panamaverbs.RegistrableArena} counts its holds itself, and needs no thread.
 */
public final class ArenaHold {
    /** How many closeable arenas of the JDK can have registered memory at a time. */
    public static final int MAXIMUM_ARENAS = 1024;

    private static final Map<MemorySegment.Scope, ArenaHold> HELD = new HashMap<>();
    /** The JDK's own names of what has no close; a scope by another name is held by a thread, which is never wrong. */
    private static final Set<String> NEVER_CLOSED = Set.of("GlobalSession", "ImplicitSession");

    /** {@code null} if it is a counted arena, or one that nobody can close. */
    private final MemorySegment.@Nullable Scope scope;
    /** The arena that counts its holds, or {@code null}. */
    private final @Nullable CountedArena counted;
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    /** Why the thread could not enter the call, or {@code null}. */
    private volatile @Nullable Throwable failure;
    /** Under the map's lock. */
    private int holders;

    private ArenaHold(MemorySegment.@Nullable Scope scope, @Nullable CountedArena counted) {
        this.scope = scope;
        this.counted = counted;
    }

    /**
     * Holds the arena of a segment.
     *
     * @param segment native memory that any thread may use
     * @return to be released once
     * @throws IllegalStateException if the arena is closed
     * @throws ResourceException     if {@value #MAXIMUM_ARENAS} arenas are held already, or no thread could be started
     */
    public static ArenaHold of(MemorySegment segment) {
        MemorySegment.Scope scope = segment.scope();
        if (NEVER_CLOSED.contains(scope.getClass().getSimpleName())) {
            return new ArenaHold(null, null);
        }
        CountedArena counted = CountedArena.of(scope);
        if (counted != null) {
            counted.hold();
            return new ArenaHold(null, counted);
        }
        synchronized (HELD) {
            ArenaHold hold = HELD.get(scope);
            if (hold == null) {
                if (HELD.size() >= MAXIMUM_ARENAS) {
                    throw new ResourceException("memory of " + MAXIMUM_ARENAS
                            + " arenas of the JDK is registered, which is the maximum, since each needs a thread: "
                            + "allocate what is registered from a RegistrableArena, of which there may be any number");
                }
                hold = new ArenaHold(scope, null);
                hold.start(segment);
                HELD.put(scope, hold);
            }
            hold.holders++;
            return hold;
        }
    }

    /** Releases it; when the last hold of an arena is released it can be closed from the moment that this returns. */
    public void release() {
        if (counted != null) {
            counted.release();
        }
        if (scope == null) {
            return;
        }
        synchronized (HELD) {
            if (--holders > 0) {
                return;
            }
            HELD.remove(scope);
            released.countDown();
            awaitUninterruptibly(left);
        }
    }

    private void start(MemorySegment segment) {
        try {
            // The stack has the JVM's size: options and agents can make the first call of a function need much of it.
            Thread.ofPlatform().daemon().name("panama-verbs-arena").start(() -> stand(segment));
        } catch (OutOfMemoryError e) {
            throw new ResourceException("no thread could be started to hold an arena: " + e.getMessage());
        }
        awaitUninterruptibly(entered);
        if (left.getCount() == 0) {
            throw failure instanceof RuntimeException exception ? exception
                    : new IllegalStateException("an arena cannot be held: " + failure, failure);
        }
    }

    /** By the thread: enters the call, and comes back when released. The thread that waits for it reports a failure. */
    private void stand(MemorySegment segment) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment callback = Native.callback(this, arena);
            MemorySegment element = arena.allocate(1);
            MemorySegment found = (MemorySegment) Native.BSEARCH.invokeExact(segment, element, 1L, 1L, callback);
            assert found.equals(element);
        } catch (Throwable e) {
            failure = e;
        } finally {
            // In this order: the thread that waits until this one has entered then sees that it has left.
            left.countDown();
            entered.countDown();
        }
    }

    /** The callback, within the call. */
    @SuppressWarnings("unused") // by the handle
    private int compare(MemorySegment key, MemorySegment element) {
        entered.countDown();
        awaitUninterruptibly(released);
        return 0;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@code void *bsearch(const void *key, const void *base, size_t nmemb, size_t size, int (*compar)(const void *, const void *))}. */
    @SuppressWarnings("restricted")
    private static final class Native {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final FunctionDescriptor COMPARE = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                ValueLayout.ADDRESS);
        static final MethodHandle BSEARCH = LINKER.downcallHandle(LINKER.defaultLookup().find("bsearch").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        private static final MethodHandle ON_COMPARE;

        static {
            try {
                ON_COMPARE = MethodHandles.lookup().findVirtual(ArenaHold.class, "compare",
                        MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        static MemorySegment callback(ArenaHold hold, Arena arena) {
            return LINKER.upcallStub(ON_COMPARE.bindTo(hold), COMPARE, arena);
        }
    }
}
