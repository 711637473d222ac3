package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * The start-up of MPA, without I/O and without a clock (RFC 5044, 7.1; RFC 6581, 9). The {@link InitiatorHandshake} sends a Request, and
 * the {@link ResponderHandshake} sends a Reply. Full operation begins at the next byte of each direction.
 *
 * <p>Inputs are {@code on…}, outputs are {@code poll…} and the getters, commands are verbs. {@link #pollTransmit} says what to send, and
 * {@link #onSent} reports how many bytes were sent. {@link #pollReceive} says where the next bytes go, {@link #onReceived} reports how many
 * came, and {@link #onEndOfStream} reports that no more will come. The caller polls both after each input and each command, until both are
 * empty or it must wait for the peer; {@link #state} says which. Bytes come and go in pieces of any size. The handshake never asks for a
 * byte beyond the peer's frame, since that byte belongs to the stream that follows.
 *
 * <p>The last three states are outcomes: the handshake asks for nothing more and sends nothing more. No input from a peer causes an
 * exception: each error of a peer leads to an outcome. A call that does not fit the state throws {@link IllegalStateException}. A count of
 * bytes that the handshake did not ask for throws {@link IllegalArgumentException}. Neither call changes anything. One thread at a time
 * calls. The frames are on the heap: no system call can take them as they are.
 */
public abstract sealed class Handshake permits InitiatorHandshake, ResponderHandshake {
    /** The states of a handshake. */
    public enum State {
        /** Our frame must be sent. */
        SENDING,
        /** The peer's frame must be received. */
        RECEIVING,
        /** For the responder: the Request is here, and the program must accept or reject it. */
        REQUESTED,
        /** Both frames are exchanged, and {@link #agreement} says what follows. */
        AGREED,
        /** The responder's program rejected the connection, and the Reply that says so is sent or received. */
        REJECTED,
        /** The handshake failed: {@link #failure} says why. */
        FAILED
    }

    private final FrameReader reader;
    private final IoVector out = new IoVector(1);
    private State state;
    private Agreement agreement;
    private String failure;

    /** Makes a handshake that receives a Request, or a Reply if {@code request} is {@code false}. */
    Handshake(boolean request) {
        this.reader = new FrameReader(request);
        this.state = State.RECEIVING;
    }

    /** The current state. */
    public final State state() {
        return state;
    }

    /**
     * The terms that both sides agreed on; in {@link State#AGREED}.
     *
     * @throws IllegalStateException in any other state
     */
    public final Agreement agreement() {
        require(state == State.AGREED, "agreement");
        return agreement;
    }

    /**
     * Why the handshake failed: the bytes that came, and what to do; without the peer's address. In {@link State#FAILED}.
     *
     * @throws IllegalStateException in any other state
     */
    public final String failure() {
        require(state == State.FAILED, "failure");
        return failure;
    }

    /** Says where the next bytes go: replaces the content of the vector, and leaves it empty if the handshake needs no bytes now. */
    public final void pollReceive(IoVector into) {
        into.clear();
        if (state == State.RECEIVING) {
            into.add(reader.frame(), reader.filled(), reader.missing());
        }
    }

    /**
     * Bytes have come, into the vector of the last {@link #pollReceive}.
     *
     * @param count 1 or more, and not more than were asked for
     * @throws IllegalStateException    if none were asked for
     * @throws IllegalArgumentException for any other number
     */
    public final void onReceived(long count) {
        require(state == State.RECEIVING, "onReceived");
        check(count, reader.missing());
        String fault = reader.onReceived((int) count);
        if (fault != null) {
            fail(fault);
        } else if (reader.missing() == 0) {
            onFrame(reader);
        }
    }

    /**
     * The peer ended its direction of the stream.
     *
     * @throws IllegalStateException after an outcome
     */
    public final void onEndOfStream() {
        require(state == State.SENDING || state == State.RECEIVING || state == State.REQUESTED, "onEndOfStream");
        fail(describeEnd());
    }

    /** The bytes to send next. The content stays until {@link #onSent}; it is empty if there is nothing to send now. */
    public final IoVector pollTransmit() {
        return out;
    }

    /**
     * Bytes of the last {@link #pollTransmit} were sent.
     *
     * @param count 1 or more, and not more than were in the vector
     * @throws IllegalStateException    if the vector was empty
     * @throws IllegalArgumentException for any other number
     */
    public final void onSent(long count) {
        require(state == State.SENDING, "onSent");
        check(count, out.bytes());
        out.consume(count);
        if (out.size() == 0) {
            onFrameSent();
        }
    }

    /** The peer's frame is whole. */
    abstract void onFrame(FrameReader frame);

    /** Our frame is sent. */
    abstract void onFrameSent();

    /** Why the handshake fails if the peer ends the stream now. */
    abstract String describeEnd();

    /** The memory of the peer's frame, whose fields the agreement has. */
    final SegmentAllocator spareMemory() {
        return SegmentAllocator.prefixAllocator(reader.frame().fill((byte) 0));
    }

    /** How many bytes of the peer's frame have come. */
    final int filled() {
        return reader.filled();
    }

    final void send(MemorySegment frame) {
        out.add(frame, 0, frame.byteSize());
        state = State.SENDING;
    }

    final void move(State next) {
        state = next;
    }

    final void agree(Agreement agreed) {
        agreement = agreed;
        state = State.AGREED;
    }

    final void fail(String reason) {
        out.clear();
        failure = reason;
        state = State.FAILED;
    }

    final void require(boolean fits, String call) {
        if (!fits) {
            throw new IllegalStateException(call + " in state " + state);
        }
    }

    private static void check(long count, long most) {
        if (count < 1 || count > most) {
            throw new IllegalArgumentException("the caller reports " + count + " bytes; the handshake asked for " + most);
        }
    }
}
