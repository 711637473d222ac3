package org.panamaverbs.softiwarp;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.softiwarp.cm.AdmissionLimits;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;

/** The settings of the provider, and the values that follow from them. Sockets of DDP share those of the event loops and of TCP. */
public record Settings(String transport, int progressThreads, String crc, int payload, boolean verifyBeforePlace, int mpaRevision,
        int requestTimeoutMillis, int busyPollMicros, TcpOptions tcp, boolean extensions, int sharePercent, String capture,
        int captureSnaplen, int captureMebibytes, AdmissionLimits limits) {
    /** The value of {@code payload} that makes each FPDU fit into one TCP segment. */
    static final int SEGMENT = 0;
    /** The largest payload that fits with either DDP header into the longest ULPDU of RFC 5044, 3: whole cache lines of 64 bytes. */
    private static final int LARGEST_PAYLOAD = (Fpdu.MAXIMUM_ULPDU - Ddp.UNTAGGED_SIZE) / 64 * 64;

    private static final Setting<String> TRANSPORT = Setting.choice("panamaverbs.softiwarp.transport", "auto",
            "Transport: epoll (TCP, Linux), nio (TCP, any system) or shared-memory (peers of this user on this machine, Linux); auto takes shared-memory with peers that offer it and epoll with others, or nio if there is no epoll",
            "auto", "shared-memory", "epoll", "nio");
    private static final Setting<Integer> PROGRESS_THREADS = Setting.integer("panamaverbs.softiwarp.progress-threads", 1, 1, 64,
            "Number of event loops, each with a thread of its own. Completion queues, with their connections, are spread over them");
    private static final Setting<String> CRC = Setting.choice("panamaverbs.softiwarp.crc", "auto",
            "Whether this side asks for a CRC-32C in every frame; frames have CRCs if either side asks (RFC 5044, 7.1.1). auto: unless the bytes never leave this machine's memory, as over shared memory and between loopback addresses",
            "auto", "on", "off");
    private static final Setting<Integer> FPDU = new Setting<>("panamaverbs.softiwarp.fpdu", Integer.toString(LARGEST_PAYLOAD),
            "128 to " + LARGEST_PAYLOAD + ", or segment",
            "Maximum payload of a frame, in bytes; segment: each frame fits into one TCP segment, which some hardware needs",
            Settings::payload);
    private static final Setting<Boolean> VERIFY_BEFORE_PLACE = Setting.flag("panamaverbs.softiwarp.verify-before-place", false,
            "Check the CRC of each frame before its bytes are placed, at the cost of a copy");
    private static final Setting<Integer> MPA_REVISION = Setting.integer("panamaverbs.softiwarp.mpa-revision", 2, 1, 2,
            "MPA revision to connect with; revision 2 negotiates IRD and ORD, and lets either side send first (RFC 6581)");
    private static final Setting<Integer> REQUEST_TIMEOUT = Setting.integer("panamaverbs.softiwarp.request-timeout", 5000, 10, 600_000,
            "Milliseconds in which a peer that has connected must send its MPA Request");
    private static final Setting<Integer> BUSY_POLL = Setting.integer("panamaverbs.softiwarp.busy-poll", 50, 0, 10_000,
            "Microseconds for which a waiting thread busy-polls before it sleeps (epoll only). The thread busy-polls less often while it finds "
                    + "nothing, and never on a single processor; 0: it sleeps at once");
    private static final Setting<String> CONGESTION_CONTROL = Setting.text(TcpOptions.CONGESTION_CONTROL, "",
            "the name of a TCP congestion control, or empty",
            "TCP congestion control of every socket, for example cubic; empty: that of the system. Only epoll can set it: nio refuses");
    private static final Setting<Boolean> EXTENSIONS = Setting.flag("panamaverbs.softiwarp.rfc7306", true,
            "The device has immediate data and atomics (RFC 7306). The protocol does not negotiate them: a peer that lacks them ends the "
                    + "connection when the program posts one");

    private static final Setting<Integer> SHARED_RECEIVE_SHARE = Setting.integer("panamaverbs.softiwarp.shared-receive-share", 100, 1, 100,
            "Percent of a shared receive queue that one queue pair may hold. A connection whose next message needs more ends "
                    + "(RFC 5042, 6.4.3.1)");
    private static final Setting<String> CAPTURE = Setting.text("panamaverbs.softiwarp.capture", "", "the name of a file, or empty",
            "File for a capture of all connections, in the format pcapng, for Wireshark and pverbs decode; empty: no capture");
    private static final Setting<Integer> CAPTURE_SNAPLEN = Setting.integer("panamaverbs.softiwarp.capture-snaplen", 262_144, 68, 262_144,
            "Bytes of each packet to keep in a capture, headers included. Wireshark does not show the frames in a packet that was cut");
    private static final Setting<Integer> CAPTURE_SIZE = Setting.integer("panamaverbs.softiwarp.capture-size", 1024, 1, 1 << 20,
            "Largest size of a capture in MiB; then the capture ends");

    private static final Setting<Integer> START_UPS = Setting.integer("panamaverbs.softiwarp.start-ups", AdmissionLimits.USUAL.startUps(),
            1, 1 << 20,
            "Start-ups of a listener at a time: peers that have connected, and that the program has neither accepted nor rejected yet. One "
                    + "more replaces the oldest that has not sent its whole MPA Request; if there is none, the new peer is refused");
    private static final Setting<Integer> START_UPS_OF_PEER = Setting.integer("panamaverbs.softiwarp.start-ups-per-peer",
            AdmissionLimits.USUAL.startUpsOfPeer(), 1, 1 << 20,
            "The limit of start-ups for the peers of one IPv4 address, or of one IPv6 network of 64 bits");
    private static final Setting<Integer> CONNECTIONS = Setting.integer("panamaverbs.softiwarp.connections", 0, 0, 1 << 20,
            "Connections of a listener at a time, start-ups included; further peers are refused; 0: no limit");
    private static final Setting<Integer> CONNECTIONS_OF_PEER = Setting.integer("panamaverbs.softiwarp.connections-per-peer", 0, 0, 1 << 20,
            "The limit of connections for the peers of one IPv4 address, or of one IPv6 network of 64 bits; 0: no limit");

    static final List<Setting<?>> ALL = List.of(TRANSPORT, PROGRESS_THREADS, CRC, FPDU, VERIFY_BEFORE_PLACE, MPA_REVISION, REQUEST_TIMEOUT,
            BUSY_POLL, CONGESTION_CONTROL, TcpOptions.KEEPALIVE, TcpOptions.USER_TIMEOUT, EXTENSIONS, SHARED_RECEIVE_SHARE, CAPTURE,
            CAPTURE_SNAPLEN, CAPTURE_SIZE, START_UPS, START_UPS_OF_PEER, CONNECTIONS, CONNECTIONS_OF_PEER);

    /** The settings as they stand. */
    public static Settings of(Configuration configuration) {
        return new Settings(configuration.get(TRANSPORT), configuration.get(PROGRESS_THREADS), configuration.get(CRC),
                configuration.get(FPDU), configuration.get(VERIFY_BEFORE_PLACE), configuration.get(MPA_REVISION),
                configuration.get(REQUEST_TIMEOUT), configuration.get(BUSY_POLL),
                new TcpOptions(configuration.get(CONGESTION_CONTROL), configuration.get(TcpOptions.KEEPALIVE),
                        configuration.get(TcpOptions.USER_TIMEOUT)),
                configuration.get(EXTENSIONS), configuration.get(SHARED_RECEIVE_SHARE), configuration.get(CAPTURE),
                configuration.get(CAPTURE_SNAPLEN), configuration.get(CAPTURE_SIZE), new AdmissionLimits(configuration.get(START_UPS),
                        configuration.get(START_UPS_OF_PEER), configuration.get(CONNECTIONS), configuration.get(CONNECTIONS_OF_PEER)));
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

    /**
     * How long a waiting thread busy-polls before it sleeps.
     *
     * @return nanoseconds; 0 for not at all
     */
    public long busyPollNanos() {
        return busyPollMicros * 1000L;
    }

    /** Whether this side asks for CRCs on a channel. */
    boolean asksForCrc(Channel channel) {
        return crc.equals("auto") ? !channel.staysInMemory() : crc.equals("on");
    }

    /** The most receives of a shared receive queue that one queue pair may hold: 1 or more. */
    int share(int depth) {
        return Math.max(1, (int) (depth * (long) sharePercent / 100));
    }

    /**
     * Whether FPDUs fit into TCP segments. They do if the setting says so, and for a peer that asks for Markers: Markers serve hardware that
     * takes FPDUs out of order, from segments that begin with an FPDU (RFC 5044, 4.3 and 4.5).
     */
    boolean followsSegments(boolean markers) {
        return markers || payload == SEGMENT;
    }

    /** The longest DDP segment to send, in bytes with its header, over a path that takes TCP segments of this size. */
    int mulpdu(int segmentSize, boolean markers) {
        int most = payload == SEGMENT ? Fpdu.MAXIMUM_ULPDU : payload + Ddp.UNTAGGED_SIZE;
        return followsSegments(markers) ? Math.min(most, Fpdu.mulpdu(segmentSize, markers)) : most;
    }
}
