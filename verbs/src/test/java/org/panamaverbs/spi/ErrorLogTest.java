package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.statistics.DistinctError;

/** Errors are kept distinct, with their counts and times. */
class ErrorLogTest {
    private final ErrorLog log = new ErrorLog();

    private static Instant at(long second) {
        return Instant.ofEpochSecond(second);
    }

    @Test
    void shouldCountErrorsThatDifferInThePortAlone() {
        log.add("connection to 192.0.2.1:40001: lost", at(1));
        log.add("connection to 192.0.2.2:40001: lost", at(2));
        log.add("connection to 192.0.2.1:52000: lost", at(3));
        assertEquals(List.of(new DistinctError("connection to 192.0.2.1:52000: lost", 2, at(1), at(3)),
                new DistinctError("connection to 192.0.2.2:40001: lost", 1, at(2), at(2))), log.list());
    }

    @Test
    void shouldCountAsOneWhatItHasNoRoomFor() {
        for (int i = 0; i < ErrorLog.MOST + 3; i++) {
            log.add("error number " + i, at(i));
        }
        assertEquals(ErrorLog.MOST + 1, log.list().size());
        assertEquals(new DistinctError(ErrorLog.OTHERS + "error number 66", 3, at(64), at(66)), log.list().getFirst());
        log.add("error number 5", at(100));
        assertEquals(2, log.list().getFirst().count());
    }

    @Test
    void shouldCutLongTexts() {
        log.add("x".repeat(100_000), at(1));
        assertTrue(log.list().getFirst().text().length() <= 1000);
    }
}
