package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * Receives a Request or a Reply, in pieces of any size, and reads its fields. It never asks for a byte beyond the frame, since that byte
 * belongs to the stream that follows.
 */
final class FrameReader {
    private static final int CAPACITY = MpaStart.SIZE + MpaStart.MAXIMUM_PRIVATE_DATA;
    private static final int SHOWN = 32;

    private final MemorySegment frame;
    private final boolean request;
    private int filled;

    /** Makes a reader that waits for a Request, or for a Reply if {@code request} is {@code false}. */
    FrameReader(boolean request) {
        this.frame = MemorySegment.ofArray(new byte[CAPACITY]);
        this.request = request;
    }

    /** The memory that the bytes go to. */
    MemorySegment frame() {
        return frame;
    }

    /** How many bytes have come. */
    int filled() {
        return filled;
    }

    /** How many bytes are still missing, as far as is known; 0 if the frame is whole. */
    int missing() {
        int size = filled < MpaStart.SIZE ? MpaStart.SIZE : MpaStart.SIZE + MpaStart.privateLength(frame, 0);
        return size - filled;
    }

    /**
     * Bytes have come, 1 to {@link #missing}.
     *
     * @return the reason if this is not an MPA frame, as soon as the bytes show it; else {@code null}
     */
    String onReceived(int count) {
        filled += count;
        int key = Math.min(filled, MpaStart.KEY_SIZE);
        if (MpaStart.matches(frame, 0, key, request) < key) {
            return "not an MPA peer: it " + (request ? "began" : "answered") + " with " + shown() + ", not \""
                    + new String(MpaStart.key(request), StandardCharsets.US_ASCII) + "\"";
        }
        if (filled >= MpaStart.SIZE && MpaStart.privateLength(frame, 0) > MpaStart.MAXIMUM_PRIVATE_DATA) {
            return "invalid MPA frame: " + MpaStart.privateLength(frame, 0) + " bytes of private data; at most "
                    + MpaStart.MAXIMUM_PRIVATE_DATA + " are allowed";
        }
        return null;
    }

    /** The first bytes, for a message: as text, with a dot for each that is not printable, and in hexadecimal. */
    private String shown() {
        StringBuilder text = new StringBuilder("\"");
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < Math.min(filled, SHOWN); i++) {
            int value = Byte.toUnsignedInt(frame.get(ValueLayout.JAVA_BYTE, i));
            text.append(value >= ' ' && value < 0x7F && value != '"' && value != '\\' ? (char) value : '.');
            numbers.append(i == 0 ? "" : " ").append("%02x".formatted(value));
        }
        return text.append("\" (").append(numbers).append(')').toString();
    }

    // The methods below need a whole frame.

    /** The revision of MPA. */
    int revision() {
        return MpaStart.revision(frame, 0);
    }

    /** Whether a flag is set. */
    boolean has(int flag) {
        return (MpaStart.flags(frame, 0) & flag) != 0;
    }

    /** Whether the private data begins with the IRD and ORD. Before revision 2 the bit is reserved and ignored. */
    boolean isEnhanced() {
        return revision() >= MpaStart.ENHANCED_REVISION && has(MpaStart.ENHANCED);
    }

    /** Why no connection can follow this frame, as far as the same rules hold for both kinds of frame; {@code null} if one can. */
    String objection() {
        if (isEnhanced() && MpaStart.privateLength(frame, 0) < MpaStart.ENHANCED_SIZE) {
            return "the peer's " + name() + " claims to contain IRD and ORD, but is too short for them";
        }
        return null;
    }

    /** The name of this kind of frame. */
    String name() {
        return request ? "Request" : "Reply";
    }

    private boolean hasDepths() {
        return isEnhanced() && MpaStart.privateLength(frame, 0) >= MpaStart.ENHANCED_SIZE;
    }

    /** The word of A, B and the IRD. A frame without it counts as one that does not negotiate the IRD. */
    int irdWord() {
        return hasDepths() ? MpaStart.ird(frame, 0) : MpaStart.DEPTH;
    }

    /** The word of C, D and the ORD. A frame without it counts as one that does not negotiate the ORD. */
    int ordWord() {
        return hasDepths() ? MpaStart.ord(frame, 0) : MpaStart.DEPTH;
    }

    /** The IRD, or empty if the frame does not name one. */
    OptionalInt ird() {
        return depth(irdWord());
    }

    /** The ORD, or empty if the frame does not name one. */
    OptionalInt ord() {
        return depth(ordWord());
    }

    private static OptionalInt depth(int word) {
        int depth = word & MpaStart.DEPTH;
        return depth == MpaStart.DEPTH ? OptionalInt.empty() : OptionalInt.of(depth);
    }

    /** Whether the frame asks for the peer-to-peer model. */
    boolean isPeerToPeer() {
        return (irdWord() & MpaStart.PEER_TO_PEER) != 0;
    }

    /** The private data without IRD and ORD. */
    byte[] privateData() {
        int skip = isEnhanced() ? MpaStart.ENHANCED_SIZE : 0;
        int length = MpaStart.privateLength(frame, 0);
        return length < skip ? new byte[0] : frame.asSlice(MpaStart.SIZE + skip, length - skip).toArray(ValueLayout.JAVA_BYTE);
    }
}
