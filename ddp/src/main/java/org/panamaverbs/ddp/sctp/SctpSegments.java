package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * Puts DDP segments into DDP Segment Chunks (RFC 5043, 5.2.2): one segment is one SCTP message. The payload is copied behind its header,
 * because the JDK's channels send a message from one buffer. There is room for a segment while the session is open and the message before
 * it was sent. Only the transmitting thread uses it.
 */
public final class SctpSegments implements LowerLayer {
    /** The longest message in bytes, DDP-SSN included, that this layer sends or receives: longer than any IP packet can carry. */
    public static final int LONGEST_MESSAGE = 64 * 1024;
    /** The least maximum of a segment in bytes: it lets a control message have 512 bytes of private data (RFC 5043, 9). */
    public static final int LEAST_MULPDU = 516;
    /**
     * The most that this layer takes, where the MTU would allow more. Linux gives an association a receive window of 104 KiB, and delays the
     * acknowledgement of every other packet by 200 ms: so the window must hold several segments.
     */
    private static final int MOST_MULPDU = 32 * 1024;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    /** The common header of a packet and the header of a Data Chunk (RFC 4960, 3.1 and 3.3.1). */
    private static final int SCTP_HEADERS = 12 + 16;
    /** Room for a SACK Chunk with two gaps in the same packet (RFC 5043, 9: bundling of Control Chunks). */
    private static final int CONTROL_CHUNKS = 24;

    private final Outbound out;
    private final Session session;
    private final int mulpdu;
    private int headerSize;
    private int payload;

    /**
     * Makes the segments of a session.
     *
     * @param out     the session's
     * @param session decides when segments may leave
     * @param mulpdu  the longest DDP segment in bytes, header included; 516 to 32,768
     */
    public SctpSegments(Outbound out, Session session, int mulpdu) {
        if (mulpdu < LEAST_MULPDU || mulpdu > MOST_MULPDU) {
            throw new IllegalArgumentException("a segment has " + LEAST_MULPDU + " to " + MOST_MULPDU + " bytes at most, not " + mulpdu);
        }
        this.out = out;
        this.session = session;
        this.mulpdu = mulpdu;
    }

    /**
     * The longest segment that fits into an IP packet, with some room for SACKs: neither IP nor SCTP fragments it (RFC 5043, 9).
     *
     * @param mtu  of the path, or of the interface
     * @param ipv6 whether the packets are those of IPv6
     * @return bytes, 516 to 32,768
     */
    public static int mulpdu(int mtu, boolean ipv6) {
        int least = (ipv6 ? IPV6_HEADER : IPV4_HEADER) + SCTP_HEADERS + CONTROL_CHUNKS + SctpSegment.SSN_SIZE;
        // A Data Chunk is padded to a multiple of 4.
        int most = (mtu - least + SctpSegment.SSN_SIZE & ~3) - SctpSegment.SSN_SIZE;
        return Math.clamp(most, LEAST_MULPDU, MOST_MULPDU);
    }

    @Override
    public int mulpdu() {
        return mulpdu;
    }

    @Override
    public long beginSegment(int header, int length, SgeCursor source, boolean stable) {
        if (header + length > mulpdu) {
            // RFC 5043, 9: MUST reject.
            throw new IllegalArgumentException("the segment has " + (header + length) + " bytes; at most " + mulpdu + " fit");
        }
        if (!out.isEmpty() || !session.isOpen()) {
            return NO_ROOM;
        }
        headerSize = header;
        payload = length;
        out.begin(SctpSegment.SSN_SIZE + header + length);
        return SctpSegment.SSN_SIZE;
    }

    @Override
    public MemorySegment headers() {
        return out.memory();
    }

    @Override
    public boolean endSegment(SgeCursor source) {
        int at = SctpSegment.SSN_SIZE + headerSize;
        if (payload > 0 && !source.get(out.memory(), at, payload)) {
            return false;
        }
        out.end(at + payload, SctpSegment.PROTOCOL);
        return true;
    }
}
