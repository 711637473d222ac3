package org.panamaverbs.tools.cast;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The sender of a file with repair, without I/O and clock. {@link #poll} says what to do next; {@link #take} gives the octets to send;
 * {@link #onReport} takes what receivers say. Times are those of {@link System#nanoTime}. One thread at a time.
 *
 * <p>The file goes out once, and then in rounds: the union of the holes that the receivers have reported. The last message of each asks for
 * a notification, to which receivers answer. A round begins when all known receivers that are not whole have reported, or
 * {@value #GATHER_MILLIS} ms after the first of them has. While receivers are awaited, a lone notification goes out every
 * {@value #PROMPT_MILLIS} ms, so that a lost one or a lost answer does not end the repair. If a receiver that is known has not answered
 * the last round, the first one goes out after twice the time that answers have taken lately, and each further one later than the one
 * before: a repair of many rounds meets many such losses.
 *
 * <p>Any stranger can report. So there are limits: {@value #MOST_REPORTERS} receivers are known at most; repairs go to the destination of
 * the file alone, at its rate; one receiver gets {@value #MOST_FILES_EACH} times the file's size at most, and all together
 * {@value #MOST_FILES} times. The sender waits {@value #MOST_WAITING_SECONDS} s at most, and {@value #WAITING_BYTES_PER_SECOND} octets of
 * the file are worth one more second: the waits of all rounds together, and those for the checksums of receivers. So no report can hold the
 * sender, whatever it says.
 */
// Tested by RepairSimulationTest.
final class RepairSender {
    static final int MOST_REPORTERS = 1024;
    static final int MOST_FILES_EACH = 8;
    static final int MOST_FILES = 16;
    static final int GATHER_MILLIS = 5;
    static final int PROMPT_MILLIS = 200;
    static final int SOONEST_PROMPT_MILLIS = 10;
    static final int MOST_WAITING_SECONDS = 300;
    /** A slow disk, from which a receiver reads its file to check it. */
    static final int WAITING_BYTES_PER_SECOND = 10_000_000;

    /** Besides the multiples: a small file on a bad network. */
    private static final long ALLOWANCE = 1 << 20;
    private static final long GATHER = TimeUnit.MILLISECONDS.toNanos(GATHER_MILLIS);
    private static final long PROMPT = TimeUnit.MILLISECONDS.toNanos(PROMPT_MILLIS);
    private static final long SOONEST_PROMPT = TimeUnit.MILLISECONDS.toNanos(SOONEST_PROMPT_MILLIS);
    private static final long QUIET = TimeUnit.SECONDS.toNanos(1);
    private static final long GONE = TimeUnit.SECONDS.toNanos(30);

    /** The next thing to do. */
    enum Action {
        /** Take a piece and send it. */
        SEND,
        /** Send a notification without octets. */
        PROMPT,
        /** Wait for reports until the deadline. */
        WAIT,
        /** Send E, and end. */
        END
    }

    private final long size;
    private final int least;
    private final Map<InetSocketAddress, Reporter> reporters = new LinkedHashMap<>();
    private final RangeUnion round = new RangeUnion();
    private boolean checked;
    private int checksum;
    private boolean sending = true;
    private boolean over;
    /** In the file, or in the round. */
    private int range;
    private long at;
    private long pieceOffset;
    private long pieceLength;
    private boolean pieceIsLast;
    private long rounds;
    private long repaired;
    private long newsAt;
    private long promptedAt;
    /** How long after the last notification the next one goes out, if a receiver has not answered the round. */
    private long promptAfter = PROMPT;
    private boolean prompted;
    /** The longest times from the end of a round to an answer, without those that a prompt may have caused: after this round, and lately. */
    private long slowestOfRound;
    private long slowest;
    private long firstReportAt;
    private boolean wanted;
    private long deadline;
    /** How long the sender may still wait in all, without the wait under way. */
    private long mayWait;
    /** When the round ended. */
    private long waitsSince;
    private long ignored;

    /**
     * @param size  of the file
     * @param least how many receivers to wait for
     */
    RepairSender(long size, int least) {
        this.size = size;
        this.least = least;
        mayWait = TimeUnit.SECONDS.toNanos(MOST_WAITING_SECONDS + size / WAITING_BYTES_PER_SECOND);
        round.add(0, size);
    }

    /** The checksum of the file is known: before its last piece is taken. The receivers must have the same. */
    void onChecked(int value) {
        checked = true;
        checksum = value;
    }

    /** A receiver has sent an untagged message. */
    void onReport(long nanoTime, InetSocketAddress source, MemorySegment message) {
        byte kind = RepairMessage.kind(message);
        if (kind != RepairMessage.HOLES && (kind != RepairMessage.DONE || !checked)) {
            ignored++;
            return;
        }
        Reporter reporter = reporters.get(source);
        if (reporter == null) {
            if (reporters.size() == MOST_REPORTERS) {
                ignored++;
                return;
            }
            reporter = new Reporter(source);
            reporters.put(source, reporter);
        }
        if (!sending && !prompted && reporter.round() != rounds) {
            slowestOfRound = Math.max(slowestOfRound, nanoTime - promptedAt);
        }
        reporter.heard(nanoTime, sending ? rounds - 1 : rounds);
        if (kind == RepairMessage.DONE) {
            onDone(nanoTime, reporter, RepairMessage.checksum(message));
        } else {
            onHoles(nanoTime, reporter, message);
        }
    }

    private void onDone(long nanoTime, Reporter reporter, int itsChecksum) {
        Reporter.State next = itsChecksum == checksum ? Reporter.State.WHOLE : Reporter.State.DIFFERS;
        if (reporter.state() != next) {
            reporter.state(next);
            newsAt = nanoTime;
        }
    }

    private void onHoles(long nanoTime, Reporter reporter, MemorySegment message) {
        if (reporter.state() == Reporter.State.DIFFERS || reporter.state() == Reporter.State.EXHAUSTED) {
            return;
        }
        newsAt = nanoTime;
        reporter.state(Reporter.State.REPAIRING);
        if (!reporter.takeHoles(message, size)) {
            reporter.state(Reporter.State.DIFFERS);
        } else if (reporter.wants() && !wanted) {
            wanted = true;
            firstReportAt = nanoTime;
        }
    }

    /** Says what to do now. */
    Action poll(long nanoTime) {
        if (over) {
            return Action.END;
        }
        if (sending) {
            return Action.SEND;
        }
        if (wanted && (haveAllReported() || nanoTime - firstReportAt >= GATHER)) {
            beginRound();
            if (sending) {
                mayWait -= nanoTime - waitsSince;
                return Action.SEND;
            }
        }
        giveUpSilent(nanoTime);
        if (nanoTime - waitsSince >= mayWait) {
            exhaust();
            over = true;
            return Action.END;
        }
        if (isDone(nanoTime)) {
            over = true;
            return Action.END;
        }
        long pause = haveAllReported() ? PROMPT : promptAfter;
        if (nanoTime - promptedAt >= pause) {
            promptedAt = nanoTime;
            prompted = true;
            promptAfter = Math.min(2 * promptAfter, PROMPT);
            return Action.PROMPT;
        }
        deadline = promptedAt + pause;
        if (wanted && firstReportAt + GATHER - deadline < 0) {
            deadline = firstReportAt + GATHER;
        }
        return Action.WAIT;
    }

    /** After {@link Action#WAIT}: when to poll again, unless a report comes before. */
    long deadline() {
        return deadline;
    }

    private boolean haveAllReported() {
        for (Reporter reporter : reporters.values()) {
            if (reporter.isAwaited() && reporter.round() != rounds) {
                return false;
            }
        }
        return true;
    }

    private void beginRound() {
        wanted = false;
        round.clear();
        for (Reporter reporter : reporters.values()) {
            if (reporter.wants()) {
                reporter.addTo(round, most(MOST_FILES_EACH));
            }
        }
        round.merge();
        long octets = round.octets();
        if (octets > 0 && repaired + octets > most(MOST_FILES)) {
            exhaust();
        } else if (octets > 0) {
            repaired += octets;
            rounds++;
            range = 0;
            at = round.start(0);
            sending = true;
        }
    }

    private void exhaust() {
        reporters.values().stream().filter(Reporter::isAwaited).forEach(each -> each.state(Reporter.State.EXHAUSTED));
    }

    private long most(int files) {
        return size > (Long.MAX_VALUE - ALLOWANCE) / files ? Long.MAX_VALUE : size * files + ALLOWANCE;
    }

    private void giveUpSilent(long nanoTime) {
        for (Reporter reporter : reporters.values()) {
            if (reporter.isAwaited() && nanoTime - reporter.heardAt() >= GONE) {
                reporter.state(Reporter.State.SILENT);
            }
        }
    }

    private boolean isDone(long nanoTime) {
        if (nanoTime - newsAt < QUIET || wanted) {
            return false;
        }
        int whole = 0;
        for (Reporter reporter : reporters.values()) {
            if (reporter.isAwaited()) {
                return false;
            }
            if (reporter.state() == Reporter.State.WHOLE) {
                whole++;
            }
        }
        return whole >= least || nanoTime - newsAt >= GONE;
    }

    /**
     * After {@link Action#SEND}: takes the next octets to send.
     *
     * @param most how many at most; 1 or more
     */
    void take(long nanoTime, long most) {
        long end = round.end(range);
        pieceOffset = at;
        pieceLength = Math.min(most, end - at);
        at += pieceLength;
        if (at == end && range + 1 < round.count()) {
            range++;
            at = round.start(range);
        } else if (at == end) {
            sending = false;
            // Receivers have their time from now on.
            newsAt = nanoTime;
            waitsSince = nanoTime;
            promptedAt = nanoTime;
            prompted = false;
            slowest = Math.max(slowest / 2, slowestOfRound);
            slowestOfRound = 0;
            promptAfter = slowest == 0 ? PROMPT : Math.clamp(2 * slowest, SOONEST_PROMPT, PROMPT);
            firstReportAt = nanoTime;
        }
        pieceIsLast = !sending;
    }

    /** The offset of the piece that was taken. */
    long pieceOffset() {
        return pieceOffset;
    }

    /** Its length, which is 0 for an empty file. */
    long pieceLength() {
        return pieceLength;
    }

    /** Whether its message asks for a notification. */
    boolean pieceIsLast() {
        return pieceIsLast;
    }

    /** All receivers that have reported. */
    Collection<Reporter> reporters() {
        return reporters.values();
    }

    /** Whether enough receivers are whole, and all that have reported. */
    boolean isSuccess() {
        return reporters.size() >= least && reporters.values().stream().allMatch(each -> each.state() == Reporter.State.WHOLE);
    }

    /** How many octets went out again. */
    long repaired() {
        return repaired;
    }

    /** How many rounds of repair there were. */
    long rounds() {
        return rounds;
    }

    /** How many messages were no reports, or of more receivers than are known. */
    long ignored() {
        return ignored;
    }
}
