package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/**
 * The user time-out of a multiplexer's connections (RFC 9293, 3.9.1): breaks a connection if its peer acknowledges nothing for that time.
 * The selecting thread asks the kernel about each connection with data in flight ({@code TCP_INFO}), twenty times in the time-out, or once
 * a second if that is more often. Idle connections have no overhead.
 *
 * <p>The kernel's {@code TCP_USER_TIMEOUT} would also end the connection of a living peer that takes no data for so long: the kernel counts
 * from the moment when the window closed, although the peer answers each probe (tcp_probe_timer). Such a peer is stopped, or stands in a
 * debugger, or its program takes no indications. Here each answer of the peer counts while its window is closed.
 */
final class PeerWatch {
    private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(5);
    /** A peer with a closed window need not answer each probe: Linux answers one in half a second (net.ipv4.tcp_invalid_ratelimit). */
    private static final long PROBED = TimeUnit.SECONDS.toNanos(2);

    // struct tcp_info of linux/tcp.h: offsets of its fields, and the size that we ask for.
    private static final long INFO_SIZE = 232;
    private static final long RETRANSMITS = 2;
    private static final long PROBES = 3;
    private static final long UNACKED = 24;
    private static final long LAST_DATA_SENT = 44;
    private static final long LAST_ACK_RECEIVED = 56;
    private static final long BYTES_ACKED = 120;
    private static final long NOT_SENT = 144;
    private static final long WINDOW = 228;

    // Of endedByKeepAlive, made once: a connection may break for lack of memory.
    private static final MemorySegment GIVEN_UP = Arena.global().allocate(INFO_SIZE, Long.BYTES);
    private static final MemorySegment GIVEN_UP_SIZE = Arena.global().allocate(ValueLayout.JAVA_INT);

    private final long patience;
    private final long period;
    /** Whether a connection may have data in flight. Any thread sets it. */
    private volatile boolean wanted;

    // Only the selecting thread uses these.
    /** The time of the next question, or 0. */
    private long next;
    private final MemorySegment errno;
    private final MemorySegment info;
    /** The number of bytes of {@link #info} that the kernel has filled. */
    private final MemorySegment size;

    PeerWatch(TcpOptions options, SegmentAllocator memory) {
        patience = TimeUnit.MILLISECONDS.toNanos(options.userTimeoutMillis());
        period = Math.clamp(patience / 20, SHORTEST_PERIOD, LONGEST_PERIOD);
        errno = Native.newErrno(memory);
        info = memory.allocate(INFO_SIZE, Long.BYTES);
        size = memory.allocate(ValueLayout.JAVA_INT);
    }

    /** A connection has sent data; {@code true} if the caller must wake the selecting thread. */
    boolean want() {
        if (wanted || patience == 0) {
            return false;
        }
        wanted = true;
        return true;
    }

    /**
     * Asks the kernel, if it is time.
     *
     * @param timeoutNanos the time that the selecting thread wants to wait; negative for no limit
     * @return the time that it may wait
     */
    long limit(long timeoutNanos, EpollSlots slots) {
        if (!wanted) {
            next = 0;
            return timeoutNanos;
        }
        long nanoTime = System.nanoTime();
        if (next == 0) {
            next = nanoTime + period;
        } else if (nanoTime - next >= 0) {
            // If the whole machine stopped for a while, the kernel may not have processed answers that have come.
            boolean late = nanoTime - next > 2 * period;
            next = nanoTime + period;
            ask(nanoTime, late, slots);
        }
        long left = Math.max(0, next - nanoTime);
        return timeoutNanos < 0 ? left : Math.min(timeoutNanos, left);
    }

    private void ask(long nanoTime, boolean late, EpollSlots slots) {
        // Cleared first: a thread that sends meanwhile sets it again.
        wanted = false;
        // If a question fails, for lack of memory, the loop meets the failure, and the next question is about all connections again.
        boolean again = true;
        try {
            boolean waiting = false;
            for (int i = 0; i < slots.length(); i++) {
                EpollChannel channel = slots.channel(i);
                if (channel != null && channel.hasSent()) {
                    waiting |= channel.ask(this, nanoTime, late);
                }
            }
            again = waiting;
        } finally {
            if (again) {
                wanted = true;
            }
        }
    }

    /** The kernel's last answers about one connection. Only the selecting thread uses it. */
    static final class Silence {
        /** The time of the last question, or 0. */
        private long asked;
        /** The number of bytes that the peer had acknowledged then. */
        private long acknowledged;
        /** The kernel's attempts to send again, as of the last answer. */
        private int attempts;
        /** The time when the peer was first found silent, or 0. */
        private long begin;
        /** Whether this silence was excused. */
        private boolean spared;

        /**
         * Judges a peer that has not acknowledged all data. If data is in flight and the peer has room, only an acknowledgement of new data
         * counts: if one direction is cut, the peer hears nothing and repeats its old segments. If the peer has no room, each answer
         * counts. Times are in nanoseconds.
         *
         * @param open        whether data is in flight to a peer that has room
         * @param bytes       the number of bytes that the peer has acknowledged
         * @param sent        the age of the last segment with data that was sent, for the first time or again
         * @param answered    the age of the peer's last segment with an acknowledgement
         * @param retransmits how often the kernel has sent again since the last acknowledgement of new data
         * @param probes      whether a probe of a closed window has no answer yet
         */
        Answer judge(long nanoTime, long patience, boolean open, long bytes, long sent, long answered, int retransmits, boolean probes) {
            if (asked == 0) {
                attempts = 0;
            } else if (bytes != acknowledged || !open && nanoTime - asked > answered) {
                attempts = retransmits;
                restart();
            }
            asked = nanoTime;
            acknowledged = bytes;
            boolean waits = open || sent < answered || retransmits > attempts || probes;
            if (!waits) {
                restart();
            } else if (begin == 0) {
                begin = nanoTime;
            }
            return waits && nanoTime - begin >= patience ? Answer.SILENT : Answer.WAITING;
        }

        /**
         * Excuses a silence once. Under load the thread may stand still before each question: further excuses could keep a dead peer for ever.
         *
         * @param late whether the thread that asks stood still, so that acknowledgements may be there which the kernel has not taken yet
         */
        Answer excuse(Answer answer, boolean late) {
            if (answer != Answer.SILENT || !late || spared) {
                return answer;
            }
            spared = true;
            return Answer.WAITING;
        }

        /** All is acknowledged. */
        void end() {
            asked = 0;
            restart();
        }

        private void restart() {
            begin = 0;
            spared = false;
        }
    }

    /** The state of a connection by the kernel's answer. */
    enum Answer {
        /** The peer has acknowledged all data. */
        DONE,
        /** The peer has not acknowledged all data. */
        WAITING,
        /** The peer has acknowledged nothing for too long. */
        SILENT
    }

    /**
     * Asks the kernel about a connected socket.
     *
     * @param late whether this thread did not run for a while, so that there may be acknowledgements that the kernel has not processed yet
     */
    Answer ask(int fd, Silence silence, long nanoTime, boolean late) {
        Answer answer = ask(fd, silence, nanoTime);
        if (answer == Answer.DONE) {
            silence.end();
        }
        return silence.excuse(answer, late);
    }

    private Answer ask(int fd, Silence silence, long nanoTime) {
        size.set(ValueLayout.JAVA_INT, 0, (int) INFO_SIZE);
        if (SocketCalls.getsockopt(errno, fd, Libc.IPPROTO_TCP(), Libc.TCP_INFO(), info, size) != 0
                || size.get(ValueLayout.JAVA_INT, 0) <= LAST_ACK_RECEIVED) {
            return Answer.DONE;
        }
        // Older kernels return fewer fields: before Linux 4.6 not the bytes that wait for the window, before 5.4 not the window.
        int unacknowledged = info.get(ValueLayout.JAVA_INT, UNACKED);
        if (unacknowledged == 0 && (!has(NOT_SENT, Integer.BYTES) || info.get(ValueLayout.JAVA_INT, NOT_SENT) == 0)) {
            return Answer.DONE;
        }
        boolean open = unacknowledged != 0 && has(WINDOW, Integer.BYTES) && info.get(ValueLayout.JAVA_INT, WINDOW) != 0;
        boolean probes = info.get(ValueLayout.JAVA_BYTE, PROBES) != 0;
        return silence.judge(nanoTime, probes ? Math.max(patience, PROBED) : patience, open,
                has(BYTES_ACKED, Long.BYTES) ? info.get(ValueLayout.JAVA_LONG, BYTES_ACKED) : 0, milliseconds(LAST_DATA_SENT),
                milliseconds(LAST_ACK_RECEIVED), Byte.toUnsignedInt(info.get(ValueLayout.JAVA_BYTE, RETRANSMITS)), probes);
    }

    /**
     * Whether a connection that the kernel has given up had nothing to acknowledge, so that keep-alive ended it. The kernel has emptied its
     * queue by then; but it still knows how often it sent again, and that it held data back for a peer without room. Any thread may call it.
     */
    static boolean endedByKeepAlive(int fd) {
        synchronized (GIVEN_UP) {
            GIVEN_UP_SIZE.set(ValueLayout.JAVA_INT, 0, (int) INFO_SIZE);
            return SocketCalls.getsockopt(Descriptor.UNREAD, fd, Libc.IPPROTO_TCP(), Libc.TCP_INFO(), GIVEN_UP, GIVEN_UP_SIZE) == 0
                    && GIVEN_UP_SIZE.get(ValueLayout.JAVA_INT, 0) >= NOT_SENT + Integer.BYTES
                    && GIVEN_UP.get(ValueLayout.JAVA_BYTE, RETRANSMITS) == 0 && GIVEN_UP.get(ValueLayout.JAVA_INT, NOT_SENT) == 0;
        }
    }

    private boolean has(long field, int bytes) {
        return size.get(ValueLayout.JAVA_INT, 0) >= field + bytes;
    }

    private long milliseconds(long field) {
        return TimeUnit.MILLISECONDS.toNanos(Integer.toUnsignedLong(info.get(ValueLayout.JAVA_INT, field)));
    }
}
