package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.ddp.Placement;
import org.panamaverbs.softiwarp.memory.Crc32cView;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The receiving direction: takes the stream apart and puts payload in its place.
 *
 * <p>{@link #targets} says where the next bytes go, {@link #onReceived} that some came. Once a header is known, the rest of the payload
 * goes straight to its place, and only what follows it (padding, CRC, the next header) to the stage; small FPDUs arrive many at a time
 * in the stage and are copied from there, and so is the short rest of a message after a long one. Parsing goes on at any byte.
 */
public final class Inbound {
    /** Holds many small FPDUs. */
    private static final int STAGE_SIZE = 16 * 1024;
    /** Holds the longest FPDU whole, and more. */
    private static final int VERIFYING_STAGE_SIZE = 128 * 1024;
    /** What follows a payload before the next one can begin: padding, CRC, length, the longer header. */
    private static final int BETWEEN_PAYLOADS = Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE + Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE;
    /** Holds the most that is read at once until many are, twice; an idle connection needs no more. */
    private static final int FIRST_STAGE_SIZE = 2 * (BETWEEN_PAYLOADS + Receiver.CONTROL_SIZE);
    /** So many FPDUs below that in a row, and reading changes over to many at a time: a message's short rest is not enough. */
    private static final int SMALL_RUN = 8;
    /** Payloads from here on are worth a call of the system of their own; smaller ones are read many at a time. */
    private static final int LARGE_PAYLOAD = 4096;
    /** What is left of a message after its long FPDUs is received with the last of those, up to here: to copy it costs less than a call. */
    private static final int SHORT_REST = 512;

    private enum State {
        HEADER, PAYLOAD, TRAILER
    }

    private final Receiver receiver;
    private final Placement placement;
    private final Counters counters;
    private final boolean verifyBeforePlace;
    private final boolean crcEnabled;
    private final CRC32C crc = new CRC32C();

    private final SegmentAllocator memory;
    private MemorySegment stage;
    private Crc32cView stageWindow;
    private int stageSize;
    /** What of the stage is not yet parsed: [head, tail). */
    private int head;
    private int tail;

    private State state = State.HEADER;
    private int ulpduLength;
    private int payloadLength;
    /** Of the payload under way, what has not come yet. */
    private int left;
    /** Of the bytes now being received, how many go to the payload's place. */
    private int direct;
    private int smallRun;
    /** The length on the wire of the FPDU that came after the last long one, where that was a short rest; else 0. The next may be like it. */
    private int rest;
    private long lastCount;

    /** The header of the FPDU under way, kept for a Terminate. */
    private final MemorySegment header;
    private int headerSize;

    Inbound(Receiver receiver, StreamOptions options, Counters counters, SegmentAllocator memory) {
        this.receiver = receiver;
        this.placement = new Placement(receiver, Rdmap.QUEUES, Math.max(1, options.receiveElements()));
        this.counters = counters;
        this.verifyBeforePlace = options.verifyBeforePlace();
        this.crcEnabled = options.crc();
        this.memory = memory;
        this.header = memory.allocate(Ddp.UNTAGGED_SIZE);
        useStage(FIRST_STAGE_SIZE);
    }

    private void useStage(int size) {
        MemorySegment next = memory.allocate(size, 64);
        if (tail > head) {
            MemorySegment.copy(stage, head, next, 0, tail - head);
        }
        stage = next;
        stageWindow = new Crc32cView(next);
        stageSize = size;
        tail -= head;
        head = 0;
    }

    /** Says where the next bytes go: fills the emptied vector with at least one part. */
    void targets(IoVector into) {
        into.clear();
        if (tail == stageSize && stageSize == FIRST_STAGE_SIZE) {
            // It came full: many are on their way, or, where it is to be verified, one that is longer.
            useStage(verifyBeforePlace ? VERIFYING_STAGE_SIZE : STAGE_SIZE);
        } else if (head == tail) {
            head = 0;
            tail = 0;
        } else if (stageSize - tail < stageSize / 2) {
            MemorySegment.copy(stage, head, stage, 0, tail - head);
            tail -= head;
            head = 0;
        }
        direct = 0;
        int window = stageSize - tail;
        // Read Requests and Terminates are short, and go through the stage.
        if (state == State.PAYLOAD && left > 0 && placement.target().isRegistered()) {
            direct = (int) placement.target().describe(into, left);
            // A vector too short for all parts leaves none for the stage: what is read must be in order.
            window = direct < left ? 0 : Math.min(BETWEEN_PAYLOADS + rest, window);
            if (direct == left && smallRun == SMALL_RUN) {
                window = stageSize - tail;
            }
        } else if (!verifyBeforePlace && smallRun < SMALL_RUN) {
            // Only up to where the next payload begins, so that it is not staged.
            window = Math.max(1, BETWEEN_PAYLOADS + left - (tail - head));
        }
        if (window > 0) {
            into.add(stage, tail, window);
        }
        lastCount = into.bytes();
    }

    /** How many bytes the last {@link #targets} asked for: fewer received means that no more are there. */
    long asked() {
        return lastCount;
    }

    /**
     * Bytes came, in the order of the targets.
     *
     * @return the error, or none
     */
    int onReceived(long count) {
        counters.readCalls++;
        int placed = (int) Math.min(count, direct);
        if (placed > 0) {
            SgeCursor target = placement.target();
            if (crcEnabled && !target.update(crc, placed)) {
                return badMemory();
            }
            target.advance(placed);
            left -= placed;
            counters.bytesReceived += placed;
            counters.bytesPlacedDirectly += placed;
        }
        tail += (int) (count - placed);
        return parse();
    }

    private int parse() {
        while (true) {
            int error = TerminateCode.NONE;
            switch (state) {
                case HEADER -> {
                    if (!isHeaderHere()) {
                        return TerminateCode.NONE;
                    }
                    ulpduLength = Fpdu.length(stage, head);
                    error = tail - head >= Fpdu.size(ulpduLength) ? onFrame() : onHeader();
                }
                case PAYLOAD -> {
                    error = placeStaged();
                    if (error == TerminateCode.NONE && left > 0) {
                        return TerminateCode.NONE;
                    }
                    state = State.TRAILER;
                }
                case TRAILER -> {
                    if (tail - head < Fpdu.pad(ulpduLength) + Fpdu.CRC_SIZE) {
                        return TerminateCode.NONE;
                    }
                    error = onTrailer();
                }
            }
            if (error != TerminateCode.NONE) {
                return error;
            }
        }
    }

    private boolean isHeaderHere() {
        int here = tail - head;
        if (here < Fpdu.LENGTH_SIZE + Ddp.CONTROL_SIZE) {
            return false;
        }
        int size = Ddp.size(Ddp.control(stage, head + Fpdu.LENGTH_SIZE));
        int length = Fpdu.length(stage, head);
        if (length < size) {
            // An error, which onHeader reports.
            return true;
        }
        return here >= (verifyBeforePlace ? Fpdu.size(length) : Fpdu.LENGTH_SIZE + size);
    }

    /** A whole FPDU lies in the stage: it is taken apart there, and its checksum compared before. */
    private int onFrame() {
        int at = head + Fpdu.LENGTH_SIZE;
        int size = Ddp.size(Ddp.control(stage, at));
        headerSize = 0;
        if (ulpduLength < size) {
            return TerminateCode.MPA_MARKER;
        }
        int covered = Fpdu.LENGTH_SIZE + ulpduLength + Fpdu.pad(ulpduLength);
        if (crcEnabled) {
            crc.reset();
            stageWindow.update(crc, head, covered);
            if ((int) crc.getValue() != Fpdu.crc(stage, head + covered)) {
                return TerminateCode.MPA_CRC;
            }
        }
        begin(ulpduLength - size);
        int error = placement.onHeader(stage, at, payloadLength);
        if (error == TerminateCode.NONE && payloadLength > 0 && !place(at + size, payloadLength)) {
            keepHeader(at, size);
            return badMemory();
        }
        if (error == TerminateCode.NONE) {
            head += covered + Fpdu.CRC_SIZE;
            error = placement.onPlaced();
        }
        if (error != TerminateCode.NONE) {
            keepHeader(at, size);
        }
        return error;
    }

    private int onHeader() {
        int at = head + Fpdu.LENGTH_SIZE;
        int size = Ddp.size(Ddp.control(stage, at));
        headerSize = 0;
        if (ulpduLength < size) {
            return TerminateCode.MPA_MARKER;
        }
        keepHeader(at, size);
        begin(ulpduLength - size);
        left = payloadLength;
        if (crcEnabled) {
            crc.reset();
            stageWindow.update(crc, head, Fpdu.LENGTH_SIZE + size);
        }
        head += Fpdu.LENGTH_SIZE + size;
        state = State.PAYLOAD;
        return placement.onHeader(header, 0, payloadLength);
    }

    private void begin(int length) {
        if (payloadLength >= LARGE_PAYLOAD) {
            rest = length <= SHORT_REST ? Fpdu.size(ulpduLength) : 0;
        }
        payloadLength = length;
        smallRun = length >= LARGE_PAYLOAD ? 0 : Math.min(smallRun + 1, SMALL_RUN);
        counters.segmentsReceived++;
    }

    private void keepHeader(int at, int size) {
        MemorySegment.copy(stage, at, header, 0, size);
        headerSize = size;
    }

    private int placeStaged() {
        int here = Math.min(left, tail - head);
        if (here == 0) {
            return TerminateCode.NONE;
        }
        if (crcEnabled) {
            stageWindow.update(crc, head, here);
        }
        if (!place(head, here)) {
            return badMemory();
        }
        head += here;
        left -= here;
        return TerminateCode.NONE;
    }

    /** Copies staged payload to its place; {@code false} where that memory cannot be used any more. */
    private boolean place(int at, int length) {
        SgeCursor target = placement.target();
        if (!target.put(stage, at, length)) {
            return false;
        }
        if (target.isRegistered()) {
            counters.bytesReceived += length;
            counters.bytesStaged += length;
        }
        return true;
    }

    private int onTrailer() {
        int pad = Fpdu.pad(ulpduLength);
        if (crcEnabled) {
            stageWindow.update(crc, head, pad);
            if ((int) crc.getValue() != Fpdu.crc(stage, head + pad)) {
                return TerminateCode.MPA_CRC;
            }
        }
        head += pad + Fpdu.CRC_SIZE;
        state = State.HEADER;
        return placement.onPlaced();
    }

    /**
     * The memory of the payload under way cannot be used any more.
     *
     * @return the error to terminate with
     */
    int badMemory() {
        boolean send = placement.isFor(Rdmap.SEND_QUEUE);
        boolean response = Ddp.isTagged(Ddp.control(header, 0)) && Rdmap.opcode(Ddp.ulp(header, 0)) == Rdmap.READ_RESPONSE;
        receiver.onBadMemory(send, response);
        return send || response ? TerminateCode.RDMA_STREAM_CATASTROPHIC : TerminateCode.TAGGED_INVALID_STAG;
    }

    /** Whether the stream stands between two FPDUs, with no message half done. */
    boolean isAtBoundary() {
        return state == State.HEADER && head == tail && !placement.isUnderWay(Rdmap.SEND_QUEUE);
    }

    /** The header of the FPDU that an error was found in; its size is 0 where there was none. */
    MemorySegment header() {
        return header;
    }

    int headerSize() {
        return headerSize;
    }

    int ulpduLength() {
        return ulpduLength;
    }
}
