package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.progress.EventLoop;

/** The things that a device keeps while connections exist, read as its loop's leader sees it. */
final class Inside {
    private Inside() {
    }

    /** The connections of all loops that move bytes or may. */
    static int drivers(Host host) throws ReflectiveOperationException {
        return count(host, "drivers");
    }

    /** The connections of all loops that are being established. */
    static int attempts(Host host) throws ReflectiveOperationException {
        return count(host, "attempts");
    }

    /** The queue pairs of the host's protection domain. */
    static int queuePairs(Host host) throws ReflectiveOperationException {
        return ((Collection<?>) field(field(host.domain, "queuePairs"), "open")).size();
    }

    /** Has all loops stand still until the latch opens. */
    static void hold(Host host, CountDownLatch until) throws ReflectiveOperationException {
        for (Object loop : (List<?>) field(host.device, "loops")) {
            CountDownLatch held = new CountDownLatch(1);
            ((EventLoop) loop).execute(() -> {
                held.countDown();
                await(until);
            });
            await(held);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Host.LIMIT.toNanos(), TimeUnit.NANOSECONDS), "nobody opened the latch");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until so many connection requests wait for the program. */
    static void awaitRequests(Listener listener, int count) throws ReflectiveOperationException {
        Object queue = field(listener, "queue");
        Lock lock = (Lock) field(queue, "lock");
        Collection<?> waiting = (Collection<?>) field(queue, "waiting");
        long begin = System.nanoTime();
        for (int size = -1; size < count;) {
            lock.lock();
            try {
                size = waiting.size();
            } finally {
                lock.unlock();
            }
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(), size + " requests wait");
        }
    }

    /** Waits until no more connections are there than so many, and none is being established. */
    static void awaitDrivers(Host host, int most) throws ReflectiveOperationException {
        long begin = System.nanoTime();
        while (drivers(host) > most || attempts(host) > 0) {
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(),
                    drivers(host) + " connections, " + most + " before; " + attempts(host) + " attempts");
            Thread.onSpinWait();
        }
    }

    private static int count(Host host, String name) throws ReflectiveOperationException {
        int[] count = new int[1];
        for (Object loop : (List<?>) field(host.device, "loops")) {
            Collection<?> counted = (Collection<?>) field(loop, name);
            ((EventLoop) loop).call(() -> count[0] += counted.size());
        }
        return count[0];
    }

    private static Object field(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }
}
