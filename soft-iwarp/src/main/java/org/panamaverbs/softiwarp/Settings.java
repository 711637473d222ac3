package org.panamaverbs.softiwarp;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;

/** The provider's settings, and what they come to. */
record Settings(String transport, int progressThreads, boolean crc, int payload, boolean verifyBeforePlace, int mpaRevision,
        int requestTimeoutMillis, int busyPollMicros, String congestionControl) {
    /** The value of {@code payload} that fits FPDUs to TCP segments. */
    static final int SEGMENT = 0;
    /** The longest payload of an FPDU that fits both headers into the longest ULPDU that RFC 5044, 3 allows, kept to whole cache lines. */
    private static final int LARGEST_PAYLOAD = (Fpdu.MAXIMUM_ULPDU - Ddp.UNTAGGED_SIZE) / 64 * 64;

    private static final Setting<String> TRANSPORT = Setting.choice("panamaverbs.softiwarp.transport", "auto",
            "What carries TCP: epoll (Linux), nio (anywhere), memory (within one process); auto takes the first that works", "auto",
            "epoll",
            "nio", "memory");
    private static final Setting<Integer> PROGRESS_THREADS = Setting.integer("panamaverbs.softiwarp.progress-threads", 1, 1, 64,
            "Event loops, each with a thread; connections are spread over them");
    private static final Setting<Boolean> CRC = Setting.flag("panamaverbs.softiwarp.crc", true,
            "Whether this side asks for CRC-32C in every frame; it is used where either side does (RFC 5044, 4.4)");
    private static final Setting<Integer> FPDU = new Setting<>("panamaverbs.softiwarp.fpdu", Integer.toString(LARGEST_PAYLOAD),
            "128 to " + LARGEST_PAYLOAD + ", or segment",
            "The most payload of a frame, in bytes; segment fits each frame into a TCP segment, for hardware that asks for it",
            Settings::payload);
    private static final Setting<Boolean> VERIFY_BEFORE_PLACE = Setting.flag("panamaverbs.softiwarp.verify-before-place", false,
            "Whether a frame is placed only after its CRC was checked, at the price of a copy");
    private static final Setting<Integer> MPA_REVISION = Setting.integer("panamaverbs.softiwarp.mpa-revision", 2, 1, 2,
            "The MPA revision to connect with: 2 agrees on IRD and ORD and lets either side speak first (RFC 6581)");
    private static final Setting<Integer> REQUEST_TIMEOUT = Setting.integer("panamaverbs.softiwarp.request-timeout", 5000, 10, 600_000,
            "Milliseconds that a peer which connected may take to send its MPA Request");
    private static final Setting<Integer> BUSY_POLL = Setting.integer("panamaverbs.softiwarp.busy-poll", 50, 0, 10_000,
            "Microseconds that a thread which waits for a peer looks again and again before it sleeps, as long as that finds something "
                    + "(epoll, and more than one processor); 0 to sleep at once");
    private static final Setting<String> CONGESTION_CONTROL = Setting.text(EpollMultiplexer.CONGESTION_CONTROL, "",
            "the name of a TCP congestion control, or empty",
            "The TCP congestion control of every socket, cubic for example; empty leaves it to the system (epoll; nio cannot set it; memory has "
                    + "no TCP and ignores it)");

    static final List<Setting<?>> ALL = List.of(TRANSPORT, PROGRESS_THREADS, CRC, FPDU, VERIFY_BEFORE_PLACE, MPA_REVISION, REQUEST_TIMEOUT,
            BUSY_POLL, CONGESTION_CONTROL);

    static Settings of(Configuration configuration) {
        return new Settings(configuration.get(TRANSPORT), configuration.get(PROGRESS_THREADS), configuration.get(CRC),
                configuration.get(FPDU), configuration.get(VERIFY_BEFORE_PLACE), configuration.get(MPA_REVISION),
                configuration.get(REQUEST_TIMEOUT), configuration.get(BUSY_POLL), configuration.get(CONGESTION_CONTROL));
    }

    private static int payload(String text) {
        if (text.equals("segment")) {
            return SEGMENT;
        }
        int payload;
        try {
            payload = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("is neither a number nor segment", e);
        }
        if (payload < 128 || payload > LARGEST_PAYLOAD) {
            throw new IllegalArgumentException("is not between 128 and " + LARGEST_PAYLOAD);
        }
        return payload;
    }

    /** How long a thread that waits polls before it sleeps: not at all if no other processor could bring what it waits for. */
    long busyPollNanos() {
        return Runtime.getRuntime().availableProcessors() > 1 ? busyPollMicros * 1000L : 0;
    }

    /** The longest DDP segment to send over a path that takes TCP segments of this size. */
    int mulpdu(int segmentSize) {
        if (payload != SEGMENT) {
            return payload + Ddp.UNTAGGED_SIZE;
        }
        // RFC 5044, 4.5: MULPDU is EMSS - (6 + EMSS mod 4), and at least 128.
        return Math.clamp(segmentSize - (6 + segmentSize % 4), Fpdu.MINIMUM_MULPDU, Fpdu.MAXIMUM_ULPDU);
    }
}
