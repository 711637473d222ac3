package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.epoll.PeerWatch.Answer;

/** When a peer that has not acknowledged all is silent, from what the kernel says of its connection. Times are in seconds. */
class PeerWatchTest {
    private static final long PATIENCE = 20;
    private static final long LONG = 10 * PATIENCE;

    private final PeerWatch.Silence silence = new PeerWatch.Silence();

    /** It has room. */
    private Answer underWay(long now, long bytes, long answered) {
        return silence.judge(now, PATIENCE, true, bytes, 0, answered, 1, false);
    }

    /** It has no room, and data under way is to be sent again; or a probe is out. */
    private Answer withoutRoom(long now, long sent, long answered, int tried, boolean probes) {
        return silence.judge(now, PATIENCE, false, 7, sent, answered, tried, probes);
    }

    @Test
    void shouldCountFromTheLastNewAcknowledgement() {
        for (long now = 1; now < 10 + PATIENCE; now++) {
            assertEquals(Answer.WAITING, underWay(now, Math.min(now, 10), Math.max(0, now - 10)));
        }
        assertEquals(Answer.SILENT, underWay(10 + PATIENCE, 10, PATIENCE));
    }

    @Test
    void shouldNotEndWhileThePeerAcknowledges() {
        for (long now = 1; now < LONG; now++) {
            assertEquals(Answer.WAITING, underWay(now, now / 10, now % 10));
        }
    }

    /** It sends again and again what it has, with an old acknowledgement, and resets the connection late, or in vain. */
    @Test
    void shouldEndAPeerThatHearsNothing() {
        for (long now = 1; now <= PATIENCE; now++) {
            assertEquals(Answer.WAITING, underWay(now, 7, 0));
        }
        assertEquals(Answer.SILENT, underWay(1 + PATIENCE, 7, 0));
    }

    /** The interface is down: what is to be sent again never leaves. */
    @Test
    void shouldCountThoughNothingIsSent() {
        for (long now = 1; now <= PATIENCE; now++) {
            assertEquals(Answer.WAITING, silence.judge(now, PATIENCE, true, 7, 3 + now, 2 + now, 0, false));
        }
        assertEquals(Answer.SILENT, silence.judge(1 + PATIENCE, PATIENCE, true, 7, 4 + PATIENCE, 3 + PATIENCE, 0, false));
    }

    /** The same without room. */
    @Test
    void shouldCountAttemptsThatSendNothing() {
        assertEquals(Answer.WAITING, withoutRoom(10, 3, 2, 0, false));
        for (long now = 11; now < 11 + PATIENCE; now++) {
            assertEquals(Answer.WAITING, withoutRoom(now, now - 7, now - 8, 1, false));
        }
        assertEquals(Answer.SILENT, withoutRoom(11 + PATIENCE, 4 + PATIENCE, 3 + PATIENCE, 1, false));
    }

    /** Its window has closed over data under way: it answers each attempt, but acknowledges nothing new, and attempts become rare. */
    @Test
    void shouldKeepAPeerThatAnswersRareAttempts() {
        int tried = 0;
        long next = 2;
        long last = 1;
        for (long now = 2; now < LONG; now++) {
            if (now == next) {
                tried++;
                last = now;
                next = 2 * now;
            }
            assertEquals(Answer.WAITING, withoutRoom(now, now - last, now - last, tried, false));
        }
    }

    /** A thread that stood still cannot know; but one that always does must not keep a dead peer for ever. */
    @Test
    void shouldExcuseEachSilenceOnce() {
        underWay(1, 7, 0);
        assertEquals(Answer.WAITING, silence.excuse(underWay(1 + PATIENCE, 7, 0), true));
        assertEquals(Answer.SILENT, silence.excuse(underWay(2 + PATIENCE, 7, 0), true));
        assertEquals(Answer.WAITING, silence.excuse(underWay(3 + PATIENCE, 8, 0), true));
        assertEquals(Answer.WAITING, silence.excuse(underWay(3 + 2 * PATIENCE, 8, 0), true));
        assertEquals(Answer.SILENT, silence.excuse(underWay(4 + 2 * PATIENCE, 8, 0), false));
    }

    /** A probe of a closed window has no data. */
    @Test
    void shouldEndAPeerThatAnswersNoProbe() {
        for (long now = 1; now <= PATIENCE; now++) {
            assertEquals(Answer.WAITING, withoutRoom(now, 30 + now, 10 + now, 0, true));
        }
        assertEquals(Answer.SILENT, withoutRoom(1 + PATIENCE, 31 + PATIENCE, 11 + PATIENCE, 0, true));
    }

    @Test
    void shouldKeepAPeerThatAnswersProbes() {
        for (long now = 1; now < LONG; now++) {
            assertEquals(Answer.WAITING, withoutRoom(now, 30 + now, 0, 0, now % 3 == 0));
        }
    }
}
