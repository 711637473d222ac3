package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.Stage;

/**
 * The receiving half over a reliable, ordered byte stream: takes it apart into messages, and places and delivers them.
 *
 * <p>{@link #targets} says where the next bytes go, and {@link #onReceived} reports them; parsing can stop and go on at any byte. A payload
 * goes straight to its place, with the header of the next message behind it in the stage. Short messages arrive in the stage, many at a
 * time, and the reader copies their payload.
 *
 * <p>A decorated message that is dropped is skipped, and the stream goes on. An undecorated message that finds no receive is lost on a
 * transport that promises to lose nothing: that ends the stream, as does broken framing. After an error the reader takes no further bytes.
 */
public final class StreamReader {
    /** The bytes between two payloads: a length, and the longer header. */
    private static final int BETWEEN_PAYLOADS = Ddpp.LENGTH_SIZE + Ddpp.DECORATED_SIZE;
    /** The size of the stage once it has grown. */
    private static final int STAGE = 64 * 1024;
    private static final int FIRST_STAGE = 64;
    private static final int[] STAGES = { FIRST_STAGE, STAGE };
    /** A payload of this many bytes or more is worth a system call of its own; shorter ones are received many at a time. */
    private static final int LONG_PAYLOAD = 4096;
    /** After this many short messages in a row, one call receives as many bytes as the stage holds. */
    private static final int SHORT_RUN = 8;
    /** Short messages between two long ones, of at most this many bytes together, are received with the first one. */
    private static final int MOST_BETWEEN = 2048;

    private enum State {
        PREAMBLE, HEADER, PAYLOAD, SKIP
    }

    private final MessageReceiver receiver;
    private final Stage stage;

    private State state = State.PREAMBLE;
    private StreamError error = StreamError.NONE;
    /** Bytes of the payload under way that are not placed, or not skipped, yet. */
    private int left;
    /** Whether the payload under way goes straight to its place. */
    private boolean straight;
    /** How many of the bytes asked for go straight to their place. */
    private int direct;
    private long asked;
    private int shortRun;
    /** The bytes of short messages since the last long one, and those that came between the two long ones before. */
    private int shortBytes;
    private int gap;
    /** The bytes that show the error; {@code null} if there is none. */
    private byte[] evidence;

    /**
     * Makes a reader at the start of a stream.
     *
     * @param upper    the layer above
     * @param counters counts the messages
     * @param memory   allocates native memory that any thread may use
     */
    public StreamReader(UpperLayer upper, ReceptionCounters counters, SegmentAllocator memory) {
        this.receiver = new MessageReceiver(upper, counters);
        this.stage = new Stage(memory, STAGES);
    }

    /**
     * Says where the next bytes go.
     *
     * @param into is emptied, then receives at least one part
     */
    public void targets(IoVector into) {
        into.clear();
        direct = 0;
        if (state == State.PAYLOAD && straight && left > 0) {
            direct = (int) receiver.target().describe(into, left);
        }
        // If the vector has no room for all parts of the target, it has none for the stage either: bytes arrive in order.
        int wanted = stageBytes();
        stage.makeRoom(stage.filled() + wanted);
        if (stage.free() < wanted) {
            stage.compact();
        }
        into.add(stage.memory(), stage.tail(), Math.min(wanted, stage.free()));
        asked = into.bytes();
    }

    /** How many bytes the stage should receive. */
    private int stageBytes() {
        boolean skips = state == State.SKIP || state == State.PAYLOAD && !straight;
        if (skips || shortRun == SHORT_RUN) {
            return STAGE;
        }
        return state == State.PAYLOAD ? BETWEEN_PAYLOADS + gap : Math.max(1, BETWEEN_PAYLOADS - stage.filled());
    }

    /** How many bytes the last {@link #targets} asked for. If fewer are received, no more bytes are there. */
    public long asked() {
        return asked;
    }

    /**
     * Bytes have come, in the order of the targets.
     *
     * @return why the stream must end, or {@link StreamError#NONE}
     */
    public StreamError onReceived(long count) {
        int placed = (int) Math.min(count, direct);
        if (placed > 0) {
            receiver.target().advance(placed);
            left -= placed;
        }
        stage.received((int) (count - placed));
        return parse();
    }

    /**
     * The memory of the targets could not be used, and nothing was received: skips a decorated message.
     *
     * @return why the stream must end, or {@link StreamError#NONE}
     */
    public StreamError onBadMemory() {
        if (state != State.PAYLOAD) {
            return fail(StreamError.BAD_MEMORY, 0);
        }
        receiver.onBadMemory();
        return onRefused(StreamError.BAD_MEMORY) ? parse() : error;
    }

    /**
     * The peer has ended its direction of the stream.
     *
     * @return {@link StreamError#NONE} if that is good order
     */
    public StreamError onEndOfStream() {
        return isAtBoundary() ? StreamError.NONE : fail(StreamError.TRUNCATED, stage.filled());
    }

    /** Whether the peer's preamble has come whole. */
    public boolean hasPreamble() {
        return state != State.PREAMBLE;
    }

    /** Whether the stream is between two messages. */
    public boolean isAtBoundary() {
        return error == StreamError.NONE && state == State.HEADER && stage.filled() == 0;
    }

    private StreamError parse() {
        boolean more = true;
        while (more && error == StreamError.NONE) {
            more = switch (state) {
                case PREAMBLE -> parsePreamble();
                case HEADER -> parseHeader();
                case PAYLOAD -> parsePayload();
                case SKIP -> skip();
            };
        }
        return error;
    }

    private boolean parsePreamble() {
        int here = Math.min(stage.filled(), Ddpp.PREAMBLE_SIZE);
        for (int i = 0; i < here; i++) {
            if (stage.memory().get(ValueLayout.JAVA_BYTE, stage.head() + i) != Ddpp.preamble(i)) {
                fail(StreamError.PREAMBLE, here);
                return false;
            }
        }
        if (here < Ddpp.PREAMBLE_SIZE) {
            return false;
        }
        stage.parsed(Ddpp.PREAMBLE_SIZE);
        state = State.HEADER;
        return true;
    }

    private boolean parseHeader() {
        int filled = stage.filled();
        MemorySegment memory = stage.memory();
        int at = stage.head() + Ddpp.LENGTH_SIZE;
        if (filled < Ddpp.LENGTH_SIZE) {
            return false;
        }
        int length = Ddpp.length(memory, stage.head());
        if (!Ddpp.isLength(length)) {
            fail(StreamError.LENGTH, filled);
            return false;
        }
        if (filled < Ddpp.LENGTH_SIZE + Ddpp.UNDECORATED_SIZE) {
            return false;
        }
        int size = Ddpp.size(Ddpp.kind(memory, at));
        StreamError broken = broken(memory, at, size, length);
        if (broken != StreamError.NONE) {
            fail(broken, filled);
            return false;
        }
        if (filled < Ddpp.LENGTH_SIZE + size) {
            return false;
        }
        onHeader(at, size, length);
        return true;
    }

    private static StreamError broken(MemorySegment memory, int at, int size, int length) {
        if (Ddpp.version(memory, at) != Ddpp.VERSION) {
            return StreamError.VERSION;
        } else if (size == 0) {
            return StreamError.KIND;
        }
        return length < size ? StreamError.SHORT : StreamError.NONE;
    }

    private void onHeader(int at, int size, int length) {
        Drop drop = receiver.check(stage.memory(), at, length);
        if (drop == Drop.NONE) {
            drop = receiver.place(stage.memory(), at);
        }
        left = length - size;
        learn(left);
        if (drop == Drop.NONE) {
            stage.parsed(Ddpp.LENGTH_SIZE + size);
            straight = receiver.target().isRegistered();
            state = State.PAYLOAD;
        } else if (onRefused(reason(drop))) {
            stage.parsed(Ddpp.LENGTH_SIZE + size);
        }
    }

    private static StreamError reason(Drop drop) {
        return switch (drop) {
            case WITHOUT_RECEIVE -> StreamError.WITHOUT_RECEIVE;
            case TOO_LONG -> StreamError.TOO_LONG;
            default -> StreamError.BAD_MEMORY;
        };
    }

    /** The message under way is dropped and counted; {@code false} if the stream cannot go on without it. */
    private boolean onRefused(StreamError reason) {
        if (!receiver.isDecorated()) {
            fail(reason, stage.filled());
            return false;
        }
        state = State.SKIP;
        return true;
    }

    private void learn(int payload) {
        if (payload < LONG_PAYLOAD) {
            shortRun = Math.min(shortRun + 1, SHORT_RUN);
            shortBytes = Math.min(shortBytes + BETWEEN_PAYLOADS + payload, MOST_BETWEEN + 1);
        } else {
            gap = shortBytes <= MOST_BETWEEN ? shortBytes : 0;
            shortBytes = 0;
            shortRun = 0;
        }
    }

    private boolean parsePayload() {
        int here = Math.min(left, stage.filled());
        if (here > 0) {
            Drop drop = receiver.put(stage.memory(), stage.head(), here);
            if (drop != Drop.NONE) {
                return onRefused(StreamError.BAD_MEMORY);
            }
            stage.parsed(here);
            left -= here;
        }
        if (left > 0) {
            return false;
        }
        state = State.HEADER;
        return receiver.deliver() == Drop.NONE || receiver.isDecorated() || onRefused(StreamError.BAD_MEMORY);
    }

    private boolean skip() {
        int here = Math.min(left, stage.filled());
        stage.parsed(here);
        left -= here;
        if (left > 0) {
            return false;
        }
        state = State.HEADER;
        return true;
    }

    private StreamError fail(StreamError reason, int shown) {
        if (error == StreamError.NONE) {
            error = reason;
            evidence = new byte[Math.min(shown, BETWEEN_PAYLOADS)];
            MemorySegment.copy(stage.memory(), ValueLayout.JAVA_BYTE, stage.head(), evidence, 0, evidence.length);
        }
        return error;
    }

    /** Describes the error for a person, with its bytes, or returns {@code null} if there is none. Allocates: not for the hot path. */
    public String describe() {
        String bytes = evidence == null || evidence.length == 0 ? "nothing" : HexFormat.ofDelimiter(" ").formatHex(evidence);
        return switch (error) {
            case NONE -> null;
            case PREAMBLE -> "the peer's stream begins with " + bytes + ", and not with 44 44 50 50 2f 31 0d 0a (DDPP/1 CR LF)";
            case LENGTH -> "a message has the length " + Integer.toUnsignedString(Ddpp.length(MemorySegment.ofArray(evidence), 0))
                    + ", which must be " + Ddpp.LEAST_LENGTH + " to " + Ddpp.MOST_LENGTH + " (bytes: " + bytes + ")";
            case VERSION -> "a message has the version " + octet(0) + ", and not " + Ddpp.VERSION + " (bytes: " + bytes + ")";
            case KIND -> "a message has the kind " + (octet(1) & ~Ddpp.ORDERED) + ", which is neither decorated (" + Ddpp.DECORATED
                    + ") nor undecorated (" + Ddpp.UNDECORATED + ") (bytes: " + bytes + ")";
            case SHORT -> "a decorated message has the length " + Ddpp.length(MemorySegment.ofArray(evidence), 0) + ", less than its "
                    + Ddpp.DECORATED_SIZE + " bytes of header (bytes: " + bytes + ")";
            case WITHOUT_RECEIVE -> "an undecorated message of " + left + " bytes came, and no receive was posted";
            case TOO_LONG -> "an undecorated message of " + left + " bytes is longer than the posted receive";
            case BAD_MEMORY -> "the memory of a posted receive can no longer be used";
            case TRUNCATED -> hasPreamble() ? "the peer ended the stream within a message"
                    : "the peer ended the stream before its preamble was whole, after " + bytes;
        };
    }

    private int octet(int index) {
        return Byte.toUnsignedInt(evidence[Ddpp.LENGTH_SIZE + index]);
    }
}
