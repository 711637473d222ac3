package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Takes the messages of one SCTP stream in any order, has DDP place their payload, and delivers them in the order of their DDP-SSNs
 * (RFC 5043, 6.1 and 10).
 *
 * <p>The payload of a tagged segment that comes ahead of its turn is placed at once, if its header alone says where
 * ({@link DdpReceiver#isPlacedAlone}); its delivery waits. Its place must be registered memory. Any other message that is ahead waits whole. So does a tagged segment that
 * cannot be placed: its error counts when its turn comes. What waits is bounded in number and in bytes: a peer that exceeds the bounds, or
 * uses a DDP-SSN twice, breaks the session.
 *
 * <p>One thread at a time uses it. Nothing is allocated for a message, but for memory of messages that wait, which is reused, and for
 * private data.
 */
public final class MessageReader {
    /** The result of {@link #onMessage} if the session failed: {@link Session#failure} says why. */
    public static final int SESSION_FAILED = -2;
    /** How many DDP-SSNs a message may be ahead: as many chunks as Linux receives ahead of one that is missing. */
    public static final int WINDOW = 4096;
    /** The most memory for messages that wait, in bytes. */
    public static final long MOST_BYTES = 4 << 20;

    private final Session session;
    private final int window;
    private final Waiting waiting;
    private DdpReceiver receiver;
    private int nextSsn;
    private long placedAhead;
    private long waited;

    /**
     * Makes the reader of a new session.
     *
     * @param session receives the control messages
     * @param memory  allocates native memory that any thread may use
     */
    public MessageReader(Session session, SegmentAllocator memory) {
        this(session, WINDOW, MOST_BYTES, memory);
    }

    /**
     * Makes the reader of a new session.
     *
     * @param session receives the control messages
     * @param window  how many DDP-SSNs a message may be ahead; a power of 2, at most 32,768
     * @param bytes   the most memory for messages that wait
     * @param memory  allocates native memory that any thread may use
     */
    MessageReader(Session session, int window, long bytes, SegmentAllocator memory) {
        this.session = session;
        this.window = window;
        this.waiting = new Waiting(window, bytes, memory);
    }

    /**
     * Gives the segments a receiver. Segments that came before, ahead of the message that established the session, are handled now. Once
     * the session is established, it must be called before the next message.
     *
     * @param segments places and delivers them
     * @return as {@link #onMessage}
     */
    public int bind(DdpReceiver segments) {
        receiver = segments;
        return drain(TerminateCode.NONE);
    }

    /**
     * A message has come.
     *
     * @param message   begins with the message
     * @param length    bytes of the message
     * @param protocol  its Payload Protocol Identifier
     * @param unordered whether its chunk was unordered
     * @return {@link TerminateCode#NONE}; an error of DDP, after which the caller ends the session by {@link Session#fail}; or
     *         {@link #SESSION_FAILED}
     */
    public int onMessage(MemorySegment message, int length, int protocol, boolean unordered) {
        if (session.isOver()) {
            return TerminateCode.NONE;
        }
        String fault = unordered ? fault(message, length, protocol) : "the peer sent an ordered SCTP Data Chunk";
        if (fault != null) {
            return fail(fault);
        }
        int ssn = SctpSegment.ssn(message, 0);
        int ahead = SctpSegment.distance(nextSsn, ssn);
        if (ahead >= window) {
            return fail("the peer sent DDP-SSN " + ssn + ", which is none of the " + window + " from " + nextSsn + " on");
        } else if (ahead > 0) {
            return keep(message, length, protocol, ssn);
        }
        int error = handle(message, length, protocol);
        nextSsn = nextSsn + 1 & SctpSegment.SSN_MASK;
        return drain(error);
    }

    /** Handles the messages that waited, as long as the next one in turn is there. */
    private int drain(int before) {
        int error = before;
        while (error == TerminateCode.NONE && waiting.holds(nextSsn) && !isHeld()) {
            error = handleKept(nextSsn);
            waiting.remove(nextSsn);
            nextSsn = nextSsn + 1 & SctpSegment.SSN_MASK;
        }
        return error;
    }

    private boolean isHeld() {
        return receiver == null && session.state() == Session.State.ESTABLISHED && waiting.protocol(nextSsn) != SctpControl.PROTOCOL;
    }

    /** A message was longer than any that may come, so that a part of it is lost. */
    public int onTooLong() {
        return session.isOver() ? TerminateCode.NONE
                : fail("the peer sent a message of more than " + SctpSegments.LONGEST_MESSAGE + " bytes");
    }

    /** Why a message of any DDP-SSN breaks the session, or {@code null}. */
    private static String fault(MemorySegment message, int length, int protocol) {
        if (protocol == SctpSegment.PROTOCOL) {
            int segment = length - SctpSegment.SSN_SIZE;
            return segment < Ddp.CONTROL_SIZE || segment < Ddp.size(Ddp.control(message, SctpSegment.SSN_SIZE))
                    ? "the peer sent a DDP Segment Chunk of " + length + " bytes, which has no room for the DDP header" : null;
        } else if (protocol != SctpControl.PROTOCOL) {
            return "the peer sent a message with payload protocol identifier " + Integer.toUnsignedString(protocol)
                    + "; DDP over SCTP has 16 and 17";
        } else if (length < SctpControl.SIZE) {
            return "the peer sent a DDP Stream Session Control message of " + length + " bytes";
        }
        int function = SctpControl.function(message, 0);
        int most = function == SctpControl.TERMINATE ? 0 : SctpControl.MAXIMUM_PRIVATE_DATA;
        if (function < SctpControl.INITIATE || function > SctpControl.TERMINATE) {
            return "the peer sent a DDP Stream Session Control message with function code " + function;
        }
        return length - SctpControl.SIZE > most ? "the peer sent " + (length - SctpControl.SIZE) + " bytes of private data with a DDP "
                + SctpControl.name(function) + "; at most " + most + " are legal" : null;
    }

    private int fail(String reason) {
        session.fail(reason);
        return SESSION_FAILED;
    }

    /** Keeps a message that is ahead of its turn, and places what can be placed. */
    private int keep(MemorySegment message, int length, int protocol, int ssn) {
        waiting.base(nextSsn);
        if (waiting.holds(ssn)) {
            return fail("the peer sent DDP-SSN " + ssn + " twice");
        } else if (session.isInputEnded()) {
            return fail("the peer sent DDP-SSN " + ssn + " after its DDP Session Terminate");
        } else if (protocol == SctpSegment.PROTOCOL && session.state() == Session.State.ESTABLISHED && isPlaced(message, length)) {
            placedAhead++;
            int at = SctpSegment.SSN_SIZE;
            int control = Ddp.control(message, at);
            waiting.addPlaced(ssn, control, Ddp.ulp(message, at), Ddp.stag(message, at), Ddp.taggedOffset(message, at),
                    length - at - Ddp.size(control));
        } else if (waiting.add(ssn, message, length, protocol)) {
            waited++;
        } else {
            return fail("the messages behind DDP-SSN " + nextSsn + ", which is missing, need more memory than they get");
        }
        return TerminateCode.NONE;
    }

    private boolean isPlaced(MemorySegment message, int length) {
        int at = SctpSegment.SSN_SIZE;
        if (receiver == null || !receiver.isPlacedAlone(message, at)) {
            return false;
        }
        int payload = length - at - Ddp.TAGGED_SIZE;
        // The layer above has memory of its own for one segment only: what goes there waits.
        return receiver.onHeader(message, at, payload) == TerminateCode.NONE
                && (payload == 0 || receiver.target().isRegistered() && receiver.target().put(message, at + Ddp.TAGGED_SIZE, payload));
    }

    /** Handles a message whose turn it is. */
    private int handle(MemorySegment message, int length, int protocol) {
        if (protocol == SctpControl.PROTOCOL) {
            return onControl(message, 0, length);
        }
        int error = onHeader(message, 0, length);
        if (error != TerminateCode.NONE) {
            return error;
        }
        int at = SctpSegment.SSN_SIZE + Ddp.size(Ddp.control(message, SctpSegment.SSN_SIZE));
        return at == length || receiver.target().put(message, at, length - at) ? receiver.onVerified() : receiver.onBadMemory();
    }

    /** Handles a message that waited. */
    private int handleKept(int ssn) {
        int protocol = waiting.protocol(ssn);
        int length = waiting.length(ssn);
        if (protocol == Waiting.PLACED) {
            return session.onSegment()
                    ? receiver.onPlaced(waiting.control(ssn), waiting.ulp(ssn), waiting.stag(ssn), waiting.taggedOffset(ssn), length)
                    : SESSION_FAILED;
        }
        MemorySegment start = waiting.start(ssn);
        long at = waiting.startAt(ssn);
        if (protocol == SctpControl.PROTOCOL) {
            return onControl(start, at, length);
        }
        int error = onHeader(start, at, length);
        if (error != TerminateCode.NONE) {
            return error;
        }
        int skip = SctpSegment.SSN_SIZE + Ddp.size(Ddp.control(start, at + SctpSegment.SSN_SIZE));
        return waiting.place(ssn, skip, receiver.target()) ? receiver.onVerified() : receiver.onBadMemory();
    }

    private int onControl(MemorySegment message, long at, int length) {
        if (!session.onControl(SctpControl.function(message, at), SctpControl.privateData(message, at, length))) {
            return SESSION_FAILED;
        }
        return TerminateCode.NONE;
    }

    private int onHeader(MemorySegment message, long at, int length) {
        if (!session.onSegment()) {
            return SESSION_FAILED;
        }
        long header = at + SctpSegment.SSN_SIZE;
        int payload = length - SctpSegment.SSN_SIZE - Ddp.size(Ddp.control(message, header));
        int error = receiver.onHeader(message, header, payload);
        if (error != TerminateCode.NONE) {
            receiver.onRefused(error);
        }
        return error;
    }

    /** Whether no message waits for its turn, and no DDP message is incomplete. */
    public boolean isAtBoundary() {
        return waiting.isEmpty() && (receiver == null || !receiver.isInMessage());
    }

    /** How many segments were placed ahead of their turn. */
    public long placedAhead() {
        return placedAhead;
    }

    /** How many messages waited whole for their turn. */
    public long waited() {
        return waited;
    }
}
