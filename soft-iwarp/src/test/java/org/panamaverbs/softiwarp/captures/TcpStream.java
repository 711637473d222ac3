package org.panamaverbs.softiwarp.captures;

import java.util.Arrays;

/**
 * One direction of a TCP connection, put together from segments in any order: retransmissions and overlaps must repeat the same bytes, a
 * gap must be closed in the end. Sequence numbers wrap (RFC 9293, 3.4).
 */
final class TcpStream {
    private final int first;
    private byte[] bytes = new byte[1024];
    private boolean[] known = new boolean[1024];
    private int length;
    private int end = -1;

    /** Starts one; {@code syn} is the sequence number of the SYN. */
    TcpStream(int syn) {
        first = syn + 1;
    }

    /** A segment came. */
    void add(int sequence, byte[] payload) {
        if (payload.length == 0) {
            // An acknowledgement after the FIN counts it too.
            return;
        }
        int at = sequence - first;
        if (at < 0) {
            throw new IllegalStateException("a segment " + -at + " bytes before the SYN");
        }
        while (at + payload.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
            known = Arrays.copyOf(known, known.length * 2);
        }
        for (int i = 0; i < payload.length; i++) {
            if (known[at + i] && bytes[at + i] != payload[i]) {
                throw new IllegalStateException("byte " + (at + i) + " was sent twice, with different values");
            }
            bytes[at + i] = payload[i];
            known[at + i] = true;
        }
        length = Math.max(length, at + payload.length);
    }

    /** A FIN came; {@code sequence} is its own number. */
    void finish(int sequence) {
        end = sequence - first;
    }

    /** All that was sent. */
    byte[] bytes() {
        for (int i = 0; i < length; i++) {
            if (!known[i]) {
                throw new IllegalStateException("byte " + i + " of " + length + " is missing");
            }
        }
        if (end >= 0 && end != length) {
            throw new IllegalStateException("the stream ends at byte " + end + ", but " + length + " bytes came");
        }
        return Arrays.copyOf(bytes, length);
    }
}
