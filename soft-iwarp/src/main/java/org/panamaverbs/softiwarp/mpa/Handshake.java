package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * The start of MPA, without I/O and without a clock (RFC 5044, 7.1; RFC 6581, 9): a Request from the {@link InitiatorHandshake}, a Reply
 * from the {@link ResponderHandshake}. Full operation begins at the next byte of each direction.
 *
 * <p>Inputs are {@code on…}, outputs are {@code poll…} and the getters, commands are verbs. {@link #pollTransmit} says what to send,
 * {@link #onSent} how many bytes of it went; {@link #pollReceive} says where the next bytes go, {@link #onReceived} how many came, and
 * {@link #onEndOfStream} that no more will come. The caller polls both after each input and each command, until both are empty or it has to
 * wait for the peer; {@link #state} says which. Bytes come and go in pieces of any size. The machine never asks for a byte beyond the
 * peer's frame, since that belongs to the stream that follows.
 *
 * <p>The last three states are outcomes: the machine asks for nothing and sends nothing any more. All that a peer does leads to an outcome,
 * never to an exception. A call that does not fit the state throws {@link IllegalStateException}, a count of bytes that the machine did not
 * ask for {@link IllegalArgumentException}; neither call changes anything. One thread at a time calls.
 */
public abstract sealed class Handshake permits InitiatorHandshake, ResponderHandshake {
    /** How far it is. */
    public enum State {
        /** Our frame is to be sent. */
        SENDING,
        /** The peer's frame is to be received. */
        RECEIVING,
        /** The Request is here: the program is to accept or reject. Of the responder. */
        REQUESTED,
        /** Both frames are exchanged, and {@link #agreement} says what follows. */
        AGREED,
        /** The responder's program rejected the connection, and the initiator knows, or will. */
        REJECTED,
        /** There will be no connection: {@link #failure} says why. */
        FAILED
    }

    private final SegmentAllocator memory;
    private final FrameReader reader;
    private final IoVector out = new IoVector(1);
    private State state;
    private Agreement agreement;
    private String failure;

    /** Makes one that is to receive a Request, or else a Reply. */
    Handshake(boolean request, SegmentAllocator memory) {
        this.memory = memory;
        this.reader = new FrameReader(request, memory);
        this.state = State.RECEIVING;
    }

    /** How far it is. */
    public final State state() {
        return state;
    }

    /**
     * What both sides agreed on; in {@link State#AGREED}.
     *
     * @throws IllegalStateException in any other state
     */
    public final Agreement agreement() {
        require(state == State.AGREED, "agreement");
        return agreement;
    }

    /**
     * Why there will be no connection: what came, and what to do. The peer's address is not in it. In {@link State#FAILED}.
     *
     * @throws IllegalStateException in any other state
     */
    public final String failure() {
        require(state == State.FAILED, "failure");
        return failure;
    }

    /** Says where the next bytes go: fills the vector anew, and leaves it empty if none are to be received now. */
    public final void pollReceive(IoVector into) {
        into.clear();
        if (state == State.RECEIVING) {
            into.add(reader.frame(), reader.filled(), reader.missing());
        }
    }

    /**
     * Bytes came, to where the last {@link #pollReceive} said.
     *
     * @param count 1 or more, and no more than were asked for
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

    /** What to send next; what is in it stays until {@link #onSent}. Empty if there is nothing to send now. */
    public final IoVector pollTransmit() {
        return out;
    }

    /**
     * Bytes of the last {@link #pollTransmit} were sent.
     *
     * @param count 1 or more, and no more than were in it
     * @throws IllegalStateException    if it was empty
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

    /** Why there will be no connection if the peer ends the stream now. */
    abstract String describeEnd();

    final SegmentAllocator memory() {
        return memory;
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
            throw new IllegalArgumentException(count + " bytes; asked for were " + most);
        }
    }
}
