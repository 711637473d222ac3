package org.panamaverbs.tools.cast;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * The receiver of a repair, without I/O and clock. {@code on…} methods take what came and when; {@link #pollReport} says what to send to
 * {@link #target()}; {@link #deadline()} says when to call that at the latest. Times are those of {@link System#nanoTime}. One thread at a
 * time.
 *
 * <p>It reports at each notification, and after each {@value #SILENCE_MILLIS} ms in which nothing came: its holes, or that it is whole. It
 * reports to one sender at a time: to the first one whose octets came, until that one has been silent for a second. So a stranger cannot
 * turn the reports away from a sender that is at work. {@value #PAUSE_MILLIS} ms pass between two reports at least, so notifications cannot
 * make it send much.
 */
final class RepairReceiver {
    static final int SILENCE_MILLIS = 300;
    static final int PAUSE_MILLIS = 2;

    private static final long SILENCE = TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    private static final long GONE = TimeUnit.SECONDS.toNanos(1);

    private final Holes holes;
    private final long idle;
    private InetSocketAddress target;
    private long heardAt;
    private long dueAt;
    /** Whether a notification came that no report has answered yet. */
    private boolean asked;
    private long reportedAt;
    private int reports;
    private boolean checked;
    private int checksum;
    private boolean ended;
    private boolean endHasChecksum;
    private int endChecksum;

    /** @param idle how many nanoseconds the sender may be silent while octets are missing */
    RepairReceiver(Holes holes, long idle) {
        this.holes = holes;
        this.idle = idle;
    }

    /** Octets came from a source. */
    void onPlaced(long nanoTime, InetSocketAddress source) {
        if (hear(nanoTime, source) && !asked) {
            dueAt = nanoTime + SILENCE;
        }
    }

    /** The notification with the right identifier came from a source. */
    void onNotification(long nanoTime, InetSocketAddress source) {
        if (hear(nanoTime, source)) {
            asked = true;
            dueAt = reports > 0 && reportedAt + PAUSE - nanoTime > 0 ? reportedAt + PAUSE : nanoTime;
        }
    }

    /** An E came. */
    void onEnd(InetSocketAddress source, MemorySegment message) {
        if (source.equals(target) && !ended) {
            ended = true;
            endHasChecksum = RepairMessage.hasChecksum(message);
            endChecksum = endHasChecksum ? RepairMessage.checksum(message) : 0;
        }
    }

    /** The checksum of the whole file is known. */
    void onChecked(long nanoTime, int value) {
        checked = true;
        checksum = value;
        dueAt = nanoTime;
    }

    /** Whether the source is the sender that this reports to. */
    private boolean hear(long nanoTime, InetSocketAddress source) {
        if (target == null || !source.equals(target) && nanoTime - heardAt > GONE) {
            target = source;
            dueAt = nanoTime + SILENCE;
        } else if (!source.equals(target)) {
            return false;
        }
        heardAt = nanoTime;
        return true;
    }

    /** The destination of reports; {@code null} before anything came. */
    InetSocketAddress target() {
        return target;
    }

    /**
     * Writes the report that is due.
     *
     * @param into {@link RepairMessage#MOST} octets
     * @return its length, or 0 if none is due
     */
    int pollReport(long nanoTime, MemorySegment into) {
        if (target == null || ended || nanoTime - dueAt < 0) {
            return 0;
        }
        reportedAt = nanoTime;
        asked = false;
        reports++;
        dueAt = nanoTime + SILENCE;
        return checked ? RepairMessage.putChecksum(into, RepairMessage.DONE, checksum) : RepairMessage.putHoles(into, holes);
    }

    /** When to poll at the latest, and to ask {@link #isOver}; meaningless before anything came. */
    long deadline() {
        long over = heardAt + (checked ? GONE : idle);
        return over - dueAt < 0 ? over : dueAt;
    }

    /** Whether nothing is left to do: the sender has ended, or is silent for so long that it has left. */
    boolean isOver(long nanoTime) {
        if (ended) {
            return checked || holes.missing() > 0;
        }
        if (target == null || holes.missing() == 0 && !checked) {
            return false;
        }
        return nanoTime - heardAt >= (checked ? GONE : idle);
    }

    /** Whether the sender has ended with a checksum that is not the one of our file. */
    boolean differs() {
        return endHasChecksum && checked && endChecksum != checksum;
    }

    /** Whether the sender has said that it ends. */
    boolean hasEnded() {
        return ended;
    }

    int reports() {
        return reports;
    }
}
