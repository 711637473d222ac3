package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * The start-up of a run: the handshakes of both sides, whose frames are cut at random, and what they agree on, held against the setup. Our
 * sides ask for no Markers and offer every ready-to-receive indication. On their way the frames become those of peers that do otherwise.
 */
final class Opening {
    private final Setup setup;
    private final SplittableRandom random;
    private final Agreement[] agreements = new Agreement[2];

    Opening(Setup setup, SplittableRandom random) {
        this.setup = setup;
        this.random = random;
        byte[][] data = { privateData(), privateData() };
        InitiatorHandshake client = new InitiatorHandshake(terms(0, data[0]));
        ResponderHandshake server = new ResponderHandshake();
        deliver(foreign(taken(client), true), server);
        require(server.state() == Handshake.State.REQUESTED, "the server is " + server.state());
        server.accept(terms(1, data[1]));
        deliver(foreign(taken(server), false), client);
        agreements[0] = agreement(client);
        agreements[1] = agreement(server);
        check(data);
    }

    /** The terms that a side agreed to. */
    Agreement of(int index) {
        return agreements[index];
    }

    private byte[] privateData() {
        byte[] data = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(MpaStart.MAXIMUM_PRIVATE_DATA - MpaStart.ENHANCED_SIZE)];
        random.nextBytes(data);
        return data;
    }

    private Terms terms(int index, byte[] data) {
        return new Terms(setup.revision(), setup.asksForCrc(index), setup.ird(index), setup.ord(index), data);
    }

    /** The frame that a side sends. */
    private byte[] taken(Handshake from) {
        byte[] frame = {};
        while (from.pollTransmit().bytes() > 0) {
            IoVector out = from.pollTransmit();
            int count = 1 + random.nextInt((int) out.length(0));
            byte[] longer = Arrays.copyOf(frame, frame.length + count);
            MemorySegment.copy(out.segment(0), ValueLayout.JAVA_BYTE, out.offset(0), longer, frame.length, count);
            frame = longer;
            from.onSent(count);
        }
        return frame;
    }

    private void deliver(byte[] frame, Handshake to) {
        IoVector into = new IoVector(1);
        int done = 0;
        while (done < frame.length) {
            to.pollReceive(into);
            require(into.bytes() > 0, "a handshake that wants " + done + " of " + frame.length + " bytes");
            int count = 1 + random.nextInt((int) Math.min(into.length(0), frame.length - done));
            MemorySegment.copy(frame, done, into.segment(0), ValueLayout.JAVA_BYTE, into.offset(0), count);
            done += count;
            to.onReceived(count);
        }
        to.pollReceive(into);
        require(into.bytes() == 0, "a handshake that wants more than its frame");
    }

    /** The frame as a peer sends it that asks for Markers, and that has the ready-to-receive indications of the setup. */
    private byte[] foreign(byte[] bytes, boolean request) {
        MemorySegment frame = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        // Whoever sends this frame wants the other side to put Markers into its FPDUs.
        int markers = setup.marked(request ? 1 : 0) ? MpaStart.MARKERS : 0;
        MpaStart.put(frame, 0, request, MpaStart.flags(frame, 0) | markers, MpaStart.revision(frame, 0), MpaStart.privateLength(frame, 0));
        if (setup.revision() == MpaStart.ENHANCED_REVISION) {
            MpaStart.depths(frame, 0, MpaStart.ird(frame, 0) & ~taboo(MpaStart.PEER_TO_PEER, MpaStart.RTR_SEND),
                    MpaStart.ord(frame, 0) & ~tabooOfOrd());
        }
        return frame.toArray(ValueLayout.JAVA_BYTE);
    }

    private int taboo(int peerToPeer, int send) {
        return switch (setup.ready()) {
            case NONE -> peerToPeer | send;
            // So the Read is the only one, for which the responder must have room.
            case READ -> send;
            default -> 0;
        };
    }

    private int tabooOfOrd() {
        return switch (setup.ready()) {
            case NONE, SEND -> MpaStart.RTR_WRITE | MpaStart.RTR_READ;
            case READ -> MpaStart.RTR_WRITE;
            default -> 0;
        };
    }

    private static Agreement agreement(Handshake side) {
        require(side.state() == Handshake.State.AGREED,
                "a side is " + side.state() + (side.state() == Handshake.State.FAILED ? ": " + side.failure() : ""));
        return side.agreement();
    }

    private void check(byte[][] data) {
        boolean enhanced = setup.revision() == MpaStart.ENHANCED_REVISION;
        // A responder serves a Read that is the only ready-to-receive indication (RFC 6581, 9.1).
        int served = enhanced && setup.ready() == ReadyIndication.READ ? Math.max(1, setup.ird(1)) : setup.ird(1);
        int[] irds = { setup.ird(0), served };
        for (int i = 0; i < 2; i++) {
            Agreement agreement = agreements[i];
            require(agreement.crc() == setup.crc(), "CRCs of " + i);
            require(agreement.markers() == setup.marked(i), "Markers of " + i);
            require(agreement.enhanced() == enhanced, "the revision of " + i);
            require(Arrays.equals(agreement.privateData(), data[1 - i]), "private data for " + i);
            require(agreement.ird() == irds[i], "the IRD of " + i);
            require(agreement.ord() == (enhanced ? Math.min(setup.ord(i), irds[1 - i]) : setup.ord(i)), "the ORD of " + i);
        }
        require(agreements[0].ready() == setup.ready(), "the client's ready-to-receive indication is " + agreements[0].ready());
        ReadyIndication awaited = switch (setup.ready()) {
            case NONE -> ReadyIndication.NONE;
            case READ -> ReadyIndication.AWAITED;
            default -> ReadyIndication.AWAITED_SEND;
        };
        require(agreements[1].ready() == awaited, "the server awaits " + agreements[1].ready());
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError("the handshake: " + otherwise);
        }
    }
}
