package org.panamaverbs.softiwarp.startup;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: the peer's bytes at the start of MPA, for both roles. Whatever comes, there is an outcome, and it does not depend on how the
 * bytes are cut. No byte beyond the frame is asked for, and what this side sends is well-formed. The bytes are
 *
 * <pre>
 * 0 role, revision, CRC, answer, key, end 8 | IRD 8 | ORD 8 | private data 8 | pieces 8 | then what the peer sends; if bit 5 of the first
 * byte is 0, behind the key of a frame
 * </pre>
 */
public final class HandshakeFuzz {
    private static final int INITIATOR = 1;
    private static final int REVISION_2 = 1 << 1;
    private static final int CRC = 1 << 2;
    private static final int REJECTS = 1 << 3;
    private static final int ENDS = 1 << 4;
    private static final int WITHOUT_KEY = 1 << 5;
    private static final int DEPTH_LIMIT = 0x3FFF;
    private static final int MOST_PRIVATE_DATA = 508;
    private static final int LARGEST_START = Chopped.START_SIZE + 512;
    /** A Terminate without headers in its FPDU, and a Marker at most. */
    private static final int LARGEST_TERMINATE = 28 + 4;

    /** All that a handshake comes to, but for the words of a failure, which say how much had come. */
    private record Outcome(Handshake.State state, int taken, List<Byte> sent, List<Object> terms) {
    }

    private HandshakeFuzz() {
    }

    /** Runs one input; throws if the handshake breaks a rule. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        Terms terms = new Terms(has(mode, REVISION_2) ? 2 : 1, has(mode, CRC), in.octet(), in.octet(),
                Forge.payload(Math.min(2 * in.octet(), MOST_PRIVATE_DATA)));
        int most = 1 + in.octet();
        byte[] bytes = in.rest();
        if (!has(mode, WITHOUT_KEY)) {
            byte[] key = Arrays.copyOf(Chopped.frame(!has(mode, INITIATOR), 0, 0), 16);
            bytes = Forge.join(key, bytes);
        }
        Outcome whole = play(mode, terms, bytes, () -> Integer.MAX_VALUE);
        require(whole.equals(play(mode, terms, bytes, () -> 1)), "an outcome depends on how the bytes are cut");
        require(whole.equals(play(mode, terms, bytes, () -> most)), "an outcome depends on how the bytes are cut");
    }

    private static boolean has(int mode, int bit) {
        return (mode & bit) != 0;
    }

    private static Outcome play(int mode, Terms terms, byte[] bytes, IntSupplier pieces) {
        return has(mode, INITIATOR) ? playInitiator(new InitiatorHandshake(terms), mode, terms, bytes, pieces)
                : playResponder(new ResponderHandshake(), mode, terms, bytes, pieces);
    }

    private static Outcome playInitiator(InitiatorHandshake machine, int mode, Terms terms, byte[] bytes, IntSupplier pieces) {
        byte[] request = Chopped.drain(machine, pieces);
        require(request.length <= LARGEST_START, "a Request of " + request.length + " bytes");
        int taken = feed(machine, mode, bytes, pieces);
        byte[] terminate = {};
        if (machine.state() == Handshake.State.SENDING) {
            terminate = Chopped.drain(machine, pieces);
            require(terminate.length <= LARGEST_TERMINATE && machine.state() == Handshake.State.FAILED, "no Terminate of a start-up");
        }
        List<Object> agreed = switch (machine.state()) {
            case AGREED -> {
                Agreement agreement = machine.agreement();
                require(agreement.ird() == terms.ird() && agreement.ord() >= 0 && agreement.ord() <= terms.ord(), "agreed: " + agreement);
                yield terms(agreement);
            }
            case REJECTED -> {
                require(machine.rejectedIrd().orElse(0) < DEPTH_LIMIT && machine.rejectedOrd().orElse(0) < DEPTH_LIMIT, "depths");
                yield List.of(machine.rejectedIrd(), machine.rejectedOrd(), list(machine.rejection()));
            }
            default -> List.of();
        };
        return outcome(machine, mode, taken, Forge.join(request, terminate), agreed);
    }

    private static Outcome playResponder(ResponderHandshake machine, int mode, Terms terms, byte[] bytes, IntSupplier pieces) {
        int taken = feed(machine, mode, bytes, pieces);
        byte[] reply = {};
        List<Object> request = List.of();
        if (machine.state() == Handshake.State.REQUESTED) {
            require(machine.remoteIrd() <= DEPTH_LIMIT && machine.remoteOrd() <= DEPTH_LIMIT, "depths");
            request = List.of(machine.remoteIrd(), machine.remoteOrd(), list(machine.privateData()));
            if (has(mode, REJECTS)) {
                machine.reject(terms);
            } else {
                machine.accept(terms);
            }
            reply = Chopped.drain(machine, pieces);
            checkReply(reply, bytes, has(mode, REJECTS));
        }
        List<Object> agreed = machine.state() == Handshake.State.AGREED ? terms(machine.agreement()) : request;
        if (machine.state() == Handshake.State.AGREED) {
            int most = machine.remoteIrd() == DEPTH_LIMIT ? terms.ord() : Math.min(terms.ord(), machine.remoteIrd());
            require(machine.agreement().ord() == most, "agreed: " + machine.agreement());
        }
        return outcome(machine, mode, taken, reply, agreed);
    }

    /** A Reply repeats the revision, S and A of the Request, and does not negotiate a depth that the Request does not negotiate. */
    private static void checkReply(byte[] reply, byte[] request, boolean rejects) {
        int data = (reply[18] & 0xFF) << 8 | reply[19] & 0xFF;
        require(reply.length == Chopped.START_SIZE + data && data <= 512, "a Reply of " + reply.length + " bytes");
        require(reply[17] == request[17], "a Reply of another revision");
        require(has(reply[16], 0x20) == rejects, "R of the Reply");
        boolean enhanced = request[17] == 2 && has(request[16], 0x10);
        require(has(reply[16], 0x10) == enhanced, "S of the Reply");
        require(!has(reply[16], 0x80) && (reply[16] & 0x0F) == 0, "M or a reserved bit of the Reply");
        if (enhanced) {
            int ird = (request[20] & 0xFF) << 8 | request[21] & 0xFF;
            int ord = (request[22] & 0xFF) << 8 | request[23] & 0xFF;
            int ownIrd = (reply[20] & 0xFF) << 8 | reply[21] & 0xFF;
            int ownOrd = (reply[22] & 0xFF) << 8 | reply[23] & 0xFF;
            require((ird & 0x8000) == (ownIrd & 0x8000), "A of the Reply");
            require((ord & DEPTH_LIMIT) != DEPTH_LIMIT || (ownIrd & DEPTH_LIMIT) == DEPTH_LIMIT, "the IRD of the Reply");
            require((ird & DEPTH_LIMIT) != DEPTH_LIMIT || (ownOrd & DEPTH_LIMIT) == DEPTH_LIMIT, "the ORD of the Reply");
            require(rejects || (ird & DEPTH_LIMIT) == DEPTH_LIMIT || (ownOrd & DEPTH_LIMIT) <= (ird & DEPTH_LIMIT), "an ORD over the IRD");
        }
    }

    private static int feed(Handshake machine, int mode, byte[] bytes, IntSupplier pieces) {
        int taken = Chopped.feed(machine, bytes, pieces);
        if (machine.state() == Handshake.State.RECEIVING && has(mode, ENDS)) {
            machine.onEndOfStream();
            require(machine.state() == Handshake.State.FAILED, "the end of the stream");
        }
        return taken;
    }

    private static Outcome outcome(Handshake machine, int mode, int taken, byte[] sent, List<Object> agreed) {
        Handshake.State state = machine.state();
        require(state != Handshake.State.SENDING && state != Handshake.State.REQUESTED, "it stays in " + state);
        require(state != Handshake.State.RECEIVING || !has(mode, ENDS), "it waits for more");
        if (state == Handshake.State.FAILED) {
            require(machine.failure().length() > 10, machine.failure());
            // How soon a wrong key shows depends on how the bytes are cut.
            return new Outcome(state, 0, list(sent), agreed);
        }
        return new Outcome(state, taken, list(sent), agreed);
    }

    private static List<Object> terms(Agreement agreed) {
        require(agreed.privateData().length <= 512, "private data");
        return List.of(agreed.crc(), agreed.markers(), agreed.ird(), agreed.ord(), agreed.enhanced(), agreed.irdNamed(), agreed.ordNamed(),
                agreed.ready(), list(agreed.privateData()));
    }

    private static List<Byte> list(byte[] bytes) {
        Byte[] boxed = new Byte[bytes.length];
        Arrays.setAll(boxed, i -> bytes[i]);
        return List.of(boxed);
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(Objects.requireNonNull(otherwise));
        }
    }
}
