package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.Stage;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Takes the received stream apart into FPDUs (RFC 5044, 4) and has DDP place their payload.
 *
 * <p>{@link #targets} says where the next bytes go, and {@link #onReceived} reports them; parsing can stop and go on at any byte. A long
 * payload goes straight to its place, and only the bytes around it go to the stage. Short FPDUs arrive in the stage, many at a time, and
 * the reader copies their payload.
 *
 * <p>If CRCs are enabled, the reader does not trust a header before the check of its FPDU's CRC:
 * <ul>
 * <li>An FPDU whose place depends on its header ({@link DdpReceiver#isTrusted}) waits in the stage until it is whole and verified. The
 * payload of all others goes straight to its place.
 * <li>If a program may poll memory for the end of a message, the last bytes of that message stay in the stage until they are verified.
 * They are placed last.
 * <li>The reader acts on an error in a header only after the check. If the CRC is wrong, the CRC is the cause.
 * <li>The checksum of payload for a mapped file is computed in the stage. If another process truncated the file during a checksum over the
 * file itself, the JVM would crash.
 * </ul>
 */
public final class FpduReader {
    /** The most bytes between two payloads: padding, CRC, length, the longer header. */
    private static final int BETWEEN_PAYLOADS = Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE + Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE;
    /** Holds two short control messages; an idle connection needs no more. */
    private static final int FIRST_STAGE = 2 * (BETWEEN_PAYLOADS + 128);
    /** A stage that holds many short FPDUs. */
    private static final int MANY = 16 * 1024;
    /** A stage that holds the longest FPDU whole, and more. */
    private static final int LONGEST_STAGE = 128 * 1024;
    private static final int[] STAGES = { FIRST_STAGE, MANY, LONGEST_STAGE };
    /**
     * A payload of this many bytes or more is worth a system call of its own. Shorter ones are received many at a time, and DDP places them in
     * one step if it can.
     */
    private static final int LONG_PAYLOAD = 4096;
    /** After this many short FPDUs in a row, one call receives as many bytes as the stage holds. */
    private static final int SHORT_RUN = 8;
    /** Short FPDUs after a long one, of at most this many bytes together, are received with it: the copy costs less than a system call. */
    private static final int MOST_BETWEEN = 2048;
    /** How many bytes at the end of a watched message are placed last. */
    private static final int PLACED_LAST = 64;

    private enum State {
        HEADER, PAYLOAD, TRAILER, REFUSED
    }

    private final DdpReceiver receiver;
    private final ReceiveCounters counters;
    private final boolean crcEnabled;
    private final boolean verifyBeforePlace;
    private final CRC32C crc = new CRC32C();
    private final Stage stage;

    private State state = State.HEADER;
    /** The size of the FPDU that waits in the stage until it is whole, or 0. */
    private int awaited;
    private int ulpduLength;
    private int payloadLength;
    /** Bytes of the payload under way that are not placed yet; in REFUSED, not skipped yet. */
    private int left;
    /** How many of the bytes left stay in the stage until the CRC is verified. */
    private int held;
    /** Whether the payload under way goes straight to its place. */
    private boolean straight;
    /** In REFUSED: the error of the header under way. */
    private int refused;
    /** How many of the bytes asked for go straight to their place. */
    private int direct;
    private long asked;
    private int shortRun;
    /** The number of long FPDUs since the last short ones, and the bytes of short FPDUs since the last long one. */
    private int longFpdus;
    private int shortBytes;
    /** The last pattern, which probably repeats: after {@code period} long FPDUs came {@code gap} bytes of short ones. */
    private int period;
    private int gap;
    private boolean verified;

    /** The header of the FPDU under way, kept for a Terminate. */
    private final MemorySegment header;
    private int headerSize;

    /**
     * Makes a reader at the start of a stream.
     *
     * @param receiver          places the payload
     * @param crcEnabled        whether the CRCs of FPDUs are checked
     * @param verifyBeforePlace whether each FPDU is verified before a byte of it is placed
     * @param counters          counts the FPDUs and bytes that the reader receives
     * @param memory            allocates native memory that any thread may use
     */
    public FpduReader(DdpReceiver receiver, boolean crcEnabled, boolean verifyBeforePlace, ReceiveCounters counters,
            SegmentAllocator memory) {
        this.receiver = receiver;
        this.crcEnabled = crcEnabled;
        this.verifyBeforePlace = verifyBeforePlace;
        this.counters = counters;
        this.stage = new Stage(memory, STAGES);
        this.header = memory.allocate(Ddp.UNTAGGED_SIZE);
    }

    /**
     * Says where the next bytes go.
     *
     * @param into is emptied, then receives at least one part
     */
    public void targets(IoVector into) {
        into.clear();
        direct = 0;
        if (state == State.PAYLOAD && straight && left > held) {
            direct = (int) receiver.target().describe(into, left - held);
            // Bytes arrive in order: if the vector has no room for all parts of the target, it must not get the stage after them.
            if (direct == left - held) {
                addStage(into, shortRun == SHORT_RUN ? Integer.MAX_VALUE : held + BETWEEN_PAYLOADS + expected());
            }
        } else {
            addStage(into, stageBytes() - stage.filled());
        }
        asked = into.bytes();
    }

    /** How many bytes the stage should hold before the next payload that may go straight to its place. */
    private int stageBytes() {
        if (shortRun == SHORT_RUN && awaited < LONG_PAYLOAD) {
            // Short FPDUs are received many at a time, wherever in one of them the stage begins.
            return Integer.MAX_VALUE;
        }
        return switch (state) {
            case HEADER -> {
                if (awaited > 0) {
                    yield awaited + BETWEEN_PAYLOADS;
                }
                yield crcEnabled && verifyBeforePlace ? Integer.MAX_VALUE : BETWEEN_PAYLOADS;
            }
            case PAYLOAD -> receiver.target().isRegistered() ? Integer.MAX_VALUE : left + BETWEEN_PAYLOADS;
            case TRAILER -> held + BETWEEN_PAYLOADS;
            case REFUSED -> Integer.MAX_VALUE;
        };
    }

    /** Adds free room of the stage: at least 1 byte, at most {@code wanted}; all of it if that exceeds {@link #LONGEST_STAGE}. */
    private void addStage(IoVector into, int wanted) {
        boolean many = wanted > LONGEST_STAGE;
        // The stage grows if it is full, or if it must hold all the wanted bytes together.
        int needed = many ? stage.free() == 0 || state != State.HEADER ? MANY : 0 : stage.filled() + Math.max(1, wanted);
        stage.makeRoom(needed);
        into.add(stage.memory(), stage.tail(), many ? stage.free() : Math.min(stage.free(), Math.max(1, wanted)));
    }

    /** Bytes of the short FPDUs that probably follow the FPDU under way. */
    private int expected() {
        return payloadLength >= LONG_PAYLOAD && longFpdus == period ? gap : 0;
    }

    /** How many bytes the last {@link #targets} asked for. If fewer are received, no more bytes are there. */
    public long asked() {
        return asked;
    }

    /**
     * Bytes have come, in the order of the targets.
     *
     * @return the error, or {@link TerminateCode#NONE}
     */
    public int onReceived(long count) {
        counters.onCall();
        int placed = (int) Math.min(count, direct);
        if (placed > 0) {
            SgeCursor target = receiver.target();
            if (crcEnabled && !target.update(crc, placed)) {
                return receiver.onBadMemory();
            }
            target.advance(placed);
            left -= placed;
            counters.onPlaced(placed);
        }
        stage.received((int) (count - placed));
        return parse();
    }

    private int parse() {
        int error = TerminateCode.NONE;
        boolean more = true;
        while (more && error == TerminateCode.NONE) {
            State before = state;
            int filled = stage.filled();
            error = switch (state) {
                case HEADER -> parseHeader();
                case PAYLOAD -> parsePayload();
                case TRAILER -> parseTrailer();
                case REFUSED -> skip();
            };
            // If the next thing is still a header, all that can be taken is taken.
            more = state != before || state != State.HEADER && stage.filled() != filled;
        }
        return error;
    }

    /**
     * Takes the whole FPDUs in the stage, and the header of the one behind them. This method is long on purpose: HotSpot compiles the code for
     * whole FPDUs once, and does not copy it into each caller (InliningTest).
     */
    private int parseHeader() {
        try {
            while (true) {
                MemorySegment memory = stage.memory();
                int head = stage.head();
                int filled = stage.filled();
                if (filled < Fpdu.LENGTH_SIZE + Ddp.CONTROL_SIZE) {
                    return TerminateCode.NONE;
                }
                int at = head + Fpdu.LENGTH_SIZE;
                int size = Ddp.size(Ddp.control(memory, at));
                int length = Fpdu.length(memory, head);
                if (length < size) {
                    // RFC 5044, 8 has no error code for this. The most likely cause is a corrupt length, which the CRC would have shown.
                    headerSize = 0;
                    return TerminateCode.MPA_CRC;
                }
                int whole = Fpdu.size(length);
                if (filled < whole) {
                    return filled < Fpdu.LENGTH_SIZE + size ? TerminateCode.NONE : onPartOfFpdu(at, size, length);
                }
                awaited = 0;
                headerSize = 0;
                if (crcEnabled) {
                    // Before anything else.
                    crc.reset();
                    stage.update(crc, head, whole - Fpdu.CRC_SIZE);
                    if ((int) crc.getValue() != Fpdu.crc(memory, head + whole - Fpdu.CRC_SIZE)) {
                        return TerminateCode.MPA_CRC;
                    }
                }
                verified = true;
                begin(size, length);
                int payload = length - size;
                if (payload < LONG_PAYLOAD && receiver.place(memory, at, payload)) {
                    counters.onStaged(payload);
                } else {
                    int error = placeByHeader(at, size);
                    if (error != TerminateCode.NONE) {
                        return error;
                    }
                }
                stage.parsed(whole);
                int error = onVerified();
                if (error != TerminateCode.NONE) {
                    keepHeader(at, size);
                    return error;
                }
            }
        } finally {
            receiver.endRun();
        }
    }

    /** A header is here, and not all that follows it. */
    private int onPartOfFpdu(int at, int size, int length) {
        if (crcEnabled && (verifyBeforePlace || !receiver.isTrusted(stage.memory(), at))) {
            awaited = Fpdu.size(length);
            return TerminateCode.NONE;
        }
        return onHeader(at, size, length);
    }

    /** Places the payload of a whole FPDU by the steps that serve all of them. */
    private int placeByHeader(int at, int size) {
        receiver.endRun();
        int error = receiver.onHeader(stage.memory(), at, payloadLength);
        if (error != TerminateCode.NONE) {
            keepHeader(at, size);
            return refuse(error);
        }
        if (payloadLength > 0 && !place(at + size, payloadLength)) {
            keepHeader(at, size);
            return receiver.onBadMemory();
        }
        return TerminateCode.NONE;
    }

    /** A header is here, and the payload of its FPDU may be placed as it comes. */
    private int onHeader(int at, int size, int length) {
        keepHeader(at, size);
        if (crcEnabled) {
            crc.reset();
            stage.update(crc, stage.head(), Fpdu.LENGTH_SIZE + size);
        }
        begin(size, length);
        left = payloadLength;
        stage.parsed(Fpdu.LENGTH_SIZE + size);
        int error = receiver.onHeader(header, 0, payloadLength);
        if (error == TerminateCode.NONE) {
            SgeCursor target = receiver.target();
            straight = target.isRegistered() && !(crcEnabled && target.isMapped());
            held = crcEnabled && receiver.isEndWatched() ? Math.min(PLACED_LAST, payloadLength) : 0;
            state = State.PAYLOAD;
            return TerminateCode.NONE;
        }
        if (!crcEnabled) {
            verified = true;
            return refuse(error);
        }
        refused = error;
        state = State.REFUSED;
        return TerminateCode.NONE;
    }

    private void begin(int size, int length) {
        int payload = length - size;
        ulpduLength = length;
        payloadLength = payload;
        if (payload < LONG_PAYLOAD) {
            shortRun = Math.min(shortRun + 1, SHORT_RUN);
            shortBytes = Math.min(shortBytes + Fpdu.size(length), MOST_BETWEEN + 1);
            return;
        }
        if (shortBytes > 0) {
            period = longFpdus;
            gap = shortBytes <= MOST_BETWEEN ? shortBytes : 0;
            longFpdus = 0;
        }
        longFpdus++;
        shortBytes = 0;
        shortRun = 0;
    }

    private void keepHeader(int at, int size) {
        MemorySegment.copy(stage.memory(), at, header, 0, size);
        headerSize = size;
    }

    private int parsePayload() {
        int here = Math.min(left - held, stage.filled());
        if (here > 0) {
            if (crcEnabled) {
                stage.update(crc, stage.head(), here);
            }
            if (!place(stage.head(), here)) {
                return receiver.onBadMemory();
            }
            stage.parsed(here);
            left -= here;
        }
        if (left == held) {
            state = State.TRAILER;
        }
        return TerminateCode.NONE;
    }

    private int parseTrailer() {
        int covered = held + Fpdu.pad(ulpduLength);
        if (stage.filled() < covered + Fpdu.CRC_SIZE) {
            return TerminateCode.NONE;
        }
        if (!isCrcRight(covered)) {
            return onWrongCrc();
        }
        if (held > 0 && !place(stage.head(), held)) {
            return receiver.onBadMemory();
        }
        left = 0;
        held = 0;
        stage.parsed(covered + Fpdu.CRC_SIZE);
        state = State.HEADER;
        return onVerified();
    }

    /** Skips the payload of an FPDU whose header has an error, and acts on the error after the CRC is checked. */
    private int skip() {
        int here = Math.min(left, stage.filled());
        stage.update(crc, stage.head(), here);
        stage.parsed(here);
        left -= here;
        int pad = Fpdu.pad(ulpduLength);
        if (left > 0 || stage.filled() < pad + Fpdu.CRC_SIZE) {
            return TerminateCode.NONE;
        }
        return isCrcRight(pad) ? refuse(refused) : onWrongCrc();
    }

    /** Adds the next {@code further} bytes of the stage to the checksum, and says whether the CRC after them is right. */
    private boolean isCrcRight(int further) {
        if (!crcEnabled) {
            verified = true;
            return true;
        }
        stage.update(crc, stage.head(), further);
        boolean right = (int) crc.getValue() == Fpdu.crc(stage.memory(), stage.head() + further);
        verified |= right;
        return right;
    }

    private int onWrongCrc() {
        // A Terminate for an error of MPA carries no header (RFC 5040, figure 10), and this header cannot be trusted anyway.
        headerSize = 0;
        return TerminateCode.MPA_CRC;
    }

    private int refuse(int error) {
        receiver.onRefused(error);
        return error;
    }

    /** Copies payload from the stage to its place; {@code false} if that memory can no longer be used. */
    private boolean place(int at, int length) {
        SgeCursor target = receiver.target();
        if (!target.put(stage.memory(), at, length)) {
            return false;
        }
        if (target.isRegistered()) {
            counters.onStaged(length);
        }
        return true;
    }

    private int onVerified() {
        counters.onFpdu();
        return receiver.onVerified();
    }

    /**
     * The memory of the payload under way can no longer be used.
     *
     * @return the error to terminate with
     */
    public int onBadMemory() {
        if (state == State.PAYLOAD || state == State.TRAILER) {
            return receiver.onBadMemory();
        }
        // Between two segments the reader reads into the stack's own memory alone. So the failure concerns no message, and no receive.
        headerSize = 0;
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    /** Whether a whole FPDU with a right CRC has come, even if its header has an error. */
    public boolean hasVerified() {
        return verified;
    }

    /** Whether the stream is between two FPDUs and no message is incomplete. */
    public boolean isAtBoundary() {
        return state == State.HEADER && stage.filled() == 0 && !receiver.isInMessage();
    }

    /** The header of the FPDU that has the error. */
    public MemorySegment header() {
        return header;
    }

    /** Bytes of {@link #header()}; 0 if the error is not about a header. */
    public int headerSize() {
        return headerSize;
    }

    /** The length of the ULPDU that has the error. */
    public int ulpduLength() {
        return ulpduLength;
    }
}
