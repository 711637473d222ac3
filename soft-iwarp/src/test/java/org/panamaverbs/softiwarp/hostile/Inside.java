package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.progress.EventLoop;

/** What a device keeps while connections exist, read as its loop's leader sees it. */
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
