package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Takes the received stream apart into FPDUs (RFC 5044, 4) and has DDP place their payload.
 *
 * <p>{@link #targets} says where the next bytes go, {@link #onReceived} that some came; parsing goes on at any byte. A long payload goes
 * straight to its place, and only the bytes around it go to the stage. Short FPDUs arrive many at a time in the stage and are copied.
 *
 * <p>If CRCs are enabled, the reader does not trust a header before the check of its FPDU's CRC:
 * <ul>
 * <li>An FPDU whose place depends on its header ({@link DdpReceiver#isTrusted}) waits in the stage until it is whole and verified. The
 * payload of all others goes straight to its place.
 * <li>The last bytes of a message that a program may watch in memory stay in the stage until they are verified, and are placed last.
 * <li>The reader acts on an error in a header only after the check. If the CRC is wrong, the CRC is the cause.
 * <li>Payload for a mapped file is summed in the stage: another process may cut the file short, which would stop the JVM in the checksum.
 * </ul>
 */
public final class FpduReader {
    /** Most bytes that lie between two payloads: padding, CRC, length, the longer header. */
    private static final int BETWEEN_PAYLOADS = Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE + Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE;
    /** Holds two short control messages; an idle connection needs no more. */
    private static final int FIRST_STAGE = 2 * (BETWEEN_PAYLOADS + 128);
    /** Payloads of this length or more are worth a call of their own; shorter ones are received many at a time. */
    private static final int LONG_PAYLOAD = 4096;
    /** After so many short FPDUs in a row the reader receives as many as the stage holds. */
    private static final int SHORT_RUN = 8;
    /** Short FPDUs between two long ones, of so many bytes together, are received with the first: the copy costs less than a call. */
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
    /** The size of the FPDU that waits in the stage until it is whole; else 0. */
    private int awaited;
    private int ulpduLength;
    private int payloadLength;
    /** Bytes of the payload under way that are not placed, or, in REFUSED, not skipped. */
    private int left;
    /** How many of those stay in the stage until the CRC is verified. */
    private int held;
    /** Whether the payload under way goes straight to its place. */
    private boolean straight;
    /** The error of the header under way; in REFUSED. */
    private int refused;
    /** Of the bytes now being received, how many go straight to their place. */
    private int direct;
    private long asked;
    private int shortRun;
    /** Long FPDUs since short ones came between, and bytes of the short ones since the last long one. */
    private int longFpdus;
    private int shortBytes;
    /** What came lately and probably comes again: after so many long FPDUs, short ones of so many bytes. */
    private int period;
    private int gap;
    private boolean verified;

    /** The header of the FPDU under way, kept for a Terminate. */
    private final MemorySegment header;
    private int headerSize;

    /**
     * Makes the start of a stream.
     *
     * @param receiver          what places
     * @param crcEnabled        whether FPDUs carry a CRC that counts
     * @param verifyBeforePlace whether each FPDU is verified before a byte of it is placed
     * @param counters          counts
     * @param memory            gives native memory that any thread may use
     */
    public FpduReader(DdpReceiver receiver, boolean crcEnabled, boolean verifyBeforePlace, ReceiveCounters counters,
            SegmentAllocator memory) {
        this.receiver = receiver;
        this.crcEnabled = crcEnabled;
        this.verifyBeforePlace = verifyBeforePlace;
        this.counters = counters;
        this.stage = new Stage(memory, FIRST_STAGE);
        this.header = memory.allocate(Ddp.UNTAGGED_SIZE);
    }

    /**
     * Says where the next bytes go.
     *
     * @param into emptied; gets at least one part
     */
    public void targets(IoVector into) {
        into.clear();
        direct = 0;
        if (state == State.PAYLOAD && straight && left > held) {
            direct = (int) receiver.target().describe(into, left - held);
            // If the vector has no room for all parts of the place, nothing behind them can be received: bytes come in order.
            if (direct == left - held) {
                addStage(into, shortRun == SHORT_RUN ? Integer.MAX_VALUE : held + BETWEEN_PAYLOADS + expected());
            }
        } else {
            addStage(into, stageBytes() - stage.filled());
        }
        asked = into.bytes();
    }

    /** How many bytes are to be in the stage before the next payload that may go straight to its place. */
    private int stageBytes() {
        return switch (state) {
            case HEADER -> awaited > 0 ? awaited + BETWEEN_PAYLOADS
                    : shortRun == SHORT_RUN || crcEnabled && verifyBeforePlace ? Integer.MAX_VALUE : BETWEEN_PAYLOADS;
            case PAYLOAD -> receiver.target().isRegistered() ? Integer.MAX_VALUE : left + BETWEEN_PAYLOADS;
            case TRAILER -> held + BETWEEN_PAYLOADS;
            case REFUSED -> Integer.MAX_VALUE;
        };
    }

    /** Adds room in the stage: at least 1 byte, at most as many as wanted; as many as the stage has for the greatest number. */
    private void addStage(IoVector into, int wanted) {
        boolean many = wanted > Stage.LONGEST;
        // The stage grows for what must lie in it together, or after it came full.
        int needed = many ? stage.free() == 0 || state != State.HEADER ? Stage.MANY : 0 : stage.filled() + Math.max(1, wanted);
        stage.makeRoom(needed);
        into.add(stage.memory(), stage.tail(), many ? stage.free() : Math.min(stage.free(), Math.max(1, wanted)));
    }

    /** Bytes of the short FPDUs that probably follow the FPDU under way. */
    private int expected() {
        return payloadLength >= LONG_PAYLOAD && longFpdus == period ? gap : 0;
    }

    /** How many bytes the last {@link #targets} asked for: fewer received means that no more are there. */
    public long asked() {
        return asked;
    }

    /**
     * Bytes came, in the order of the targets.
     *
     * @return the error, or none
     */
    public int onReceived(long count) {
        counters.onCall();
        int placed = (int) Math.min(count, direct);
        if (placed > 0) {
            SgeCursor target = receiver.target();
            if (crcEnabled && !target.update(crc, placed)) {
                return onBadMemory();
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
            more = state != before || stage.filled() != filled;
        }
        return error;
    }

    private int parseHeader() {
        int filled = stage.filled();
        if (filled < Fpdu.LENGTH_SIZE + Ddp.CONTROL_SIZE) {
            return TerminateCode.NONE;
        }
        int at = stage.head() + Fpdu.LENGTH_SIZE;
        int size = Ddp.size(Ddp.control(stage.memory(), at));
        int length = Fpdu.length(stage.memory(), stage.head());
        if (length < size) {
            // No error number says this (RFC 5044, 8). A corrupt length is the likeliest cause, and the CRC would have shown it.
            headerSize = 0;
            return TerminateCode.MPA_CRC;
        }
        if (filled < Fpdu.LENGTH_SIZE + size) {
            return TerminateCode.NONE;
        }
        if (filled >= Fpdu.size(length)) {
            awaited = 0;
            return onWholeFpdu(at, size, length);
        }
        if (crcEnabled && (verifyBeforePlace || !receiver.isTrusted(stage.memory(), at))) {
            awaited = Fpdu.size(length);
            return TerminateCode.NONE;
        }
        return onHeader(at, size, length);
    }

    /** A whole FPDU lies in the stage: its CRC is checked before anything else. */
    private int onWholeFpdu(int at, int size, int length) {
        int covered = Fpdu.LENGTH_SIZE + length + Fpdu.pad(length);
        headerSize = 0;
        if (crcEnabled) {
            crc.reset();
            stage.update(crc, stage.head(), covered);
            if ((int) crc.getValue() != Fpdu.crc(stage.memory(), stage.head() + covered)) {
                return TerminateCode.MPA_CRC;
            }
        }
        verified = true;
        begin(size, length);
        int error = receiver.onHeader(stage.memory(), at, payloadLength);
        if (error != TerminateCode.NONE) {
            keepHeader(at, size);
            return refuse(error);
        }
        if (payloadLength > 0 && !place(at + size, payloadLength)) {
            keepHeader(at, size);
            return onBadMemory();
        }
        int head = stage.head();
        stage.parsed(covered + Fpdu.CRC_SIZE);
        error = onVerified();
        if (error != TerminateCode.NONE) {
            keepHeader(head + Fpdu.LENGTH_SIZE, size);
        }
        return error;
    }

    /** A header is here, and its FPDU may be placed as it comes. */
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
                return onBadMemory();
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
            return onBadMemory();
        }
        left = 0;
        held = 0;
        stage.parsed(covered + Fpdu.CRC_SIZE);
        state = State.HEADER;
        return onVerified();
    }

    /** Skips the payload of an FPDU whose header has an error, and acts on that once the CRC is checked. */
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

    /** Whether the CRC is right, with these further bytes of the stage. */
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
        // An error of the layer below comes without a header (RFC 5040, figure 10), and that header cannot be believed anyway.
        headerSize = 0;
        return TerminateCode.MPA_CRC;
    }

    private int refuse(int error) {
        receiver.onRefused(error);
        return error;
    }

    /** Copies payload from the stage to its place; {@code false} if that memory cannot be used any more. */
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
     * The memory of the payload under way cannot be used any more.
     *
     * @return the error to terminate with
     */
    public int onBadMemory() {
        return receiver.onBadMemory();
    }

    /** Whether an FPDU has come whole and with a right CRC, whatever its header says. */
    public boolean hasVerified() {
        return verified;
    }

    /** Whether the stream stands between two FPDUs and no message is half done. */
    public boolean isAtBoundary() {
        return state == State.HEADER && stage.filled() == 0 && !receiver.isInMessage();
    }

    /** The header of the FPDU that an error was found in. */
    public MemorySegment header() {
        return header;
    }

    /** Bytes of {@link #header()}; 0 if the error is not about a header. */
    public int headerSize() {
        return headerSize;
    }

    /** The length of the ULPDU that an error was found in. */
    public int ulpduLength() {
        return ulpduLength;
    }
}
