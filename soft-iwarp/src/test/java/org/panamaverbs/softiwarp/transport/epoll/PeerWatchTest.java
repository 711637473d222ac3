package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.epoll.PeerWatch.Answer;

/** When a peer that has not acknowledged all is silent, from what the kernel says of its connection. Times are in seconds. */
class PeerWatchTest {
    private static final long PATIENCE = 20;

    private final PeerWatch.Silence silence = new PeerWatch.Silence();

    /** Asks each second; the peer answered last at this time, and each second something is sent. */
    private long silentAfter(long lastAnswer) {
        for (long now = 1; now < 100; now++) {
            long answered = now - Math.min(now, lastAnswer);
            if (silence.judge(now, PATIENCE, 0, answered, 1, false) == Answer.SILENT) {
                return now;
            }
        }
        return -1;
    }

    @Test
    void shouldCountFromTheFirstThingThatIsNotAnswered() {
        assertEquals(10 + 1 + PATIENCE, silentAfter(10));
    }

    @Test
    void shouldNotEndWhileThePeerAnswers() {
        assertEquals(-1, silentAfter(100));
    }

    /** The interface is down: what is to be sent again never leaves, so the last acknowledgement stays younger than the last segment. */
    @Test
    void shouldCountAttemptsThatSendNothing() {
        assertEquals(Answer.WAITING, silence.judge(10, PATIENCE, 3, 2, 0, false));
        for (long now = 11; now < 11 + PATIENCE; now++) {
            assertEquals(Answer.WAITING, silence.judge(now, PATIENCE, now - 7, now - 8, 1, false));
        }
        assertEquals(Answer.SILENT, silence.judge(11 + PATIENCE, PATIENCE, 4 + PATIENCE, 3 + PATIENCE, 1, false));
    }

    /** Its window has closed over data under way: it answers each attempt, but acknowledges nothing new, and attempts become rare. */
    @Test
    void shouldKeepAPeerThatAnswersRareAttempts() {
        int tried = 0;
        long next = 2;
        long last = 1;
        for (long now = 2; now < 10 * PATIENCE; now++) {
            if (now == next) {
                tried++;
                last = now;
                next = 2 * now;
            }
            assertEquals(Answer.WAITING, silence.judge(now, PATIENCE, now - last, now - last, tried, false));
        }
    }

    /** A probe of a closed window has no data. */
    @Test
    void shouldEndAPeerThatAnswersNoProbe() {
        for (long now = 1; now <= PATIENCE; now++) {
            assertEquals(Answer.WAITING, silence.judge(now, PATIENCE, 30 + now, 10 + now, 0, true));
        }
        assertEquals(Answer.SILENT, silence.judge(1 + PATIENCE, PATIENCE, 31 + PATIENCE, 11 + PATIENCE, 0, true));
    }
}
