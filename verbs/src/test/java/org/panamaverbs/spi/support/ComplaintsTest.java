package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A log that strangers cannot fill. */
class ComplaintsTest {
    private final List<String> lines = new ArrayList<>();
    private long now;

    private final Logger log = (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] { Logger.class },
            (proxy, method, arguments) -> lines.add(method.getName() + " " + arguments[0]) ? null : null);

    @Test
    void shouldLogAFewAndCountTheRest() {
        Complaints complaints = new Complaints(log, () -> now);
        for (int i = 0; i < 1000; i++) {
            complaints.warn("peer {}: {}", i, "bad");
        }
        assertEquals(LogLimit.MOST, lines.size());
        now += LogLimit.PERIOD;
        complaints.warn("again {} {}", 1, 2);
        assertEquals("warn {} further messages of this kind were not logged", lines.get(LogLimit.MOST));
        assertEquals("warn again {} {}", lines.get(LogLimit.MOST + 1));
        assertEquals(LogLimit.MOST + 2, lines.size());
    }

    /** The caller reports a failure and goes on: for want of memory the logger may fail as well. */
    @Test
    void shouldGoOnThoughTheLoggerFails() {
        Logger failing = (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] { Logger.class },
                (proxy, method, arguments) -> {
                    lines.add(method.getName());
                    throw new NoClassDefFoundError("of the test");
                });
        Complaints complaints = new Complaints(failing, () -> now);
        complaints.error("failed {}", 1, new IllegalStateException("a defect"));
        complaints.warn("peer {}: {}", 1, "bad");
        assertEquals(List.of("error", "warn"), lines);
    }

    /** A last handler logs by such messages: without memory it goes on. */
    @Test
    void shouldThrowNothingThroughAPreparedMessage() {
        Logger failing = (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] { Logger.class },
                (proxy, method, arguments) -> {
                    lines.add(method.getName() + " " + arguments[0]);
                    throw new OutOfMemoryError("of the test");
                });
        Complaints.Message message = new Complaints(failing, () -> now).message("turn {}");
        message.error(1, new OutOfMemoryError("of the test"));
        message.warn(1, 2);
        assertEquals(List.of("error turn {}", "warn turn {}"), lines);
    }

    /** Warnings and errors of one source count together. */
    @Test
    void shouldCountErrorsToo() {
        Complaints complaints = new Complaints(log, () -> now);
        for (int i = 0; i < LogLimit.MOST; i++) {
            complaints.warn("peer {}: {}", i, "bad");
        }
        complaints.error("failed {}", 1, new IllegalStateException("a defect"));
        assertEquals(LogLimit.MOST, lines.size());
        now += LogLimit.PERIOD;
        complaints.error("failed {}", 1, new IllegalStateException("a defect"));
        assertEquals("error failed {}", lines.getLast());
    }
}
