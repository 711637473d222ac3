package org.panamaverbs.ddp.transport.sctp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.panamaverbs.ddp.sctp.ActiveSession;
import org.panamaverbs.ddp.sctp.MessageReader;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.sctp.SctpSegments;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** One side of a DDP stream over an association, wired as the package comment of {@code sctp} says; one thread runs it. */
final class DdpSide implements UpperLayer {
    static final int STAG = 0x500;
    static final int SLOT = 100_000;
    static final int SLOTS = 20;

    /** A message to send: tagged into a slot of the peer's region, or untagged. */
    private record Message(boolean tagged, int octet, long slot, long from, int length) {
    }

    final MessageChannel channel;
    final Session session;
    final MessageReader reader;
    /** The messages that were delivered, in this order; and those that the peer is to deliver. */
    final List<String> delivered = new ArrayList<>();
    final List<String> expected = new ArrayList<>();
    final MemorySegment region;
    /** The bytes that the peer's region must hold at the end. */
    final MemorySegment model;
    private final RegisteredMemory registered;
    private final MemorySegment source;
    private final MemorySegment buffer;
    private final MemorySegment untagged;
    private final Queue<Message> messages = new ArrayDeque<>();
    private final DdpTransmitter transmitter;
    private final boolean ends;
    private Message current;
    private boolean broken;
    int error = TerminateCode.NONE;
    long sent;
    long received;
    boolean accepts = true;

    DdpSide(MessageChannel channel, boolean active, boolean ends, int mulpdu, Arena arena, Random random) {
        this.channel = channel;
        this.ends = ends;
        Outbound out = new Outbound(arena);
        session = active ? new ActiveSession(out, new byte[] { 1, 2, 3 }) : new PassiveSession(out);
        reader = new MessageReader(session, arena);
        reader.bind(new DdpReceiver(this, 1));
        transmitter = new DdpTransmitter(new SctpSegments(out, session, mulpdu), 1);
        region = arena.allocate(SLOT * SLOTS);
        registered = new RegisteredMemory(region, this, 0, 0, null);
        model = arena.allocate(SLOT * SLOTS);
        source = arena.allocate(2 * SLOT);
        untagged = arena.allocate(SLOT);
        buffer = arena.allocate(SctpSegments.LONGEST_MESSAGE);
        byte[] bytes = new byte[2 * SLOT];
        random.nextBytes(bytes);
        source.copyFrom(MemorySegment.ofArray(bytes));
    }

    void plan(int count, Random random) {
        for (int i = 0; i < count; i++) {
            int length = i % 10 == 0 || random.nextInt(8) == 0 ? random.nextInt(SLOT) : random.nextInt(3000);
            // A slot is written once: writes to one place may overtake each other.
            messages.add(new Message(i % 10 == 0 && i / 10 < SLOTS, random.nextInt(256), i / 10, random.nextInt(SLOT), length));
        }
    }

    /** Does what can be done without waiting. */
    void run() {
        if (broken || channel.finishConnect() != 1) {
            return;
        }
        receive();
        if (session.state() == Session.State.REQUESTED && accepts) {
            ((PassiveSession) session).accept(new byte[] { 4, 5 });
        }
        transmit();
    }

    private void receive() {
        int length = channel.receive(buffer);
        while (length > 0) {
            received++;
            error = reader.onMessage(buffer, length, channel.protocol(), channel.isUnordered());
            if (error >= 0) {
                session.fail("DDP error " + Integer.toHexString(error));
            }
            length = channel.receive(buffer);
        }
        if (length == MessageChannel.END_OF_ASSOCIATION || length == MessageChannel.BROKEN) {
            broken = true;
            session.onEndOfAssociation();
        }
    }

    private void transmit() {
        while (fill()) {
            Outbound out = session.pollTransmit();
            int taken = channel.send(out.memory(), out.length(), 0, out.protocol());
            if (taken != 1) {
                return;
            }
            sent++;
            out.onSent();
        }
    }

    private boolean fill() {
        if (!session.pollTransmit().isEmpty()) {
            return true;
        } else if (!session.isOpen()) {
            return false;
        } else if (!transmitter.isInMessage()) {
            current = messages.poll();
            if (current == null) {
                if (ends || session.isInputEnded()) {
                    session.terminate();
                }
                return !session.pollTransmit().isEmpty();
            }
            begin();
        }
        segment();
        return true;
    }

    private void begin() {
        if (current.tagged()) {
            transmitter.message().tagged(current.octet(), STAG, current.slot() * SLOT);
        } else {
            transmitter.message().untagged(current.octet(), 7, 0);
            expected.add(describe(current.octet(), 7, source.asSlice(current.from(), current.length())));
        }
        transmitter.message().source().wrap(source, current.from(), current.length());
        transmitter.begin();
    }

    private void segment() {
        long before = transmitter.message().source().position();
        boolean last = transmitter.sendSegment() == DdpTransmitter.Outcome.LAST;
        if (current.tagged()) {
            expected.add("tagged " + current.octet() + " " + last + " " + transmitter.payload());
            MemorySegment.copy(source, current.from() + before, model, current.slot() * SLOT + before, transmitter.payload());
        }
    }

    private static String describe(int octet, int word, MemorySegment bytes) {
        return "untagged " + octet + " " + word + " " + bytes.byteSize() + " " + Arrays.hashCode(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        return false;
    }

    @Override
    public boolean ownsBuffers(int queue) {
        return true;
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (stag != STAG || offset < 0 || offset > region.byteSize() - length) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        target.wrap(registered, offset, length);
        return TerminateCode.NONE;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        target.wrap(untagged, 0, SLOT);
        return TerminateCode.NONE;
    }

    @Override
    public int onChanged(int ulp) {
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    @Override
    public void onTooLong(int queue) {
        throw new AssertionError("too long");
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        delivered.add("tagged " + ulp + " " + last + " " + length);
        return TerminateCode.NONE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        delivered.add(describe(ulp, word, untagged.asSlice(0, length)));
        return TerminateCode.NONE;
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        throw new AssertionError("bad memory");
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        throw new AssertionError("bad memory");
    }
}
