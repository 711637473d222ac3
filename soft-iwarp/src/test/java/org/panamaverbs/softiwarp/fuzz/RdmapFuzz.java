package org.panamaverbs.softiwarp.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: messages of RDMAP, one at a time, to a victim that has memory of all kinds, receives, Reads and atomics under way. For each
 * message a few lines say, by RFC 5040, 7.2 and RFC 7306, 8.2, which error it leads to: the victim must come to the same, and its Terminate
 * must have the headers that belong to it. The bytes are
 *
 * <pre>
 * 0 receives, Reads, extensions 8 | then messages: kind 8, fields of that kind
 * </pre>
 */
public final class RdmapFuzz {
    private static final int MOST_MESSAGES = 64;
    private static final int DEPTH = 4;
    private static final int RECEIVE = 40;
    private static final int READ = 24;
    private static final int WINDOW = 64;
    private static final int READ_REQUEST = 28;
    private static final int ATOMIC_REQUEST = 52;
    private static final int LONGEST_TERMINATE = 96;
    /** Not known: the error is the peer's, or depends on more than is modelled here. */
    private static final int ANY = -2;
    private static final Agreement TERMS = new Agreement(false, false, DEPTH, DEPTH, true, DEPTH, DEPTH, ReadyIndication.NONE, new byte[0]);

    private final FuzzInput in;
    private final FedChannel channel = new FedChannel();
    private final boolean extensions;
    private final Victim victim;
    private final Attacker peer = new Attacker(false, false);
    private int receives;
    private final Deque<Attacker.Asked> asked = new ArrayDeque<>();
    /** The payload of the last Read Request, which a Terminate repeats. */
    private byte[] request = {};

    private RdmapFuzz(FuzzInput in) {
        this.in = in;
        int mode = in.octet();
        extensions = (mode & 1) == 0;
        victim = new Victim(TERMS, true, false, extensions, 1460, channel);
        receives = mode >> 1 & 3;
        for (int i = 0; i < receives; i++) {
            victim.postReceive(RECEIVE);
        }
        victim.postBind(0, 0, WINDOW, Access.REMOTE_WRITE, Access.REMOTE_READ);
        victim.postBind(1, WINDOW, WINDOW, Access.REMOTE_WRITE, Access.REMOTE_READ);
        for (int i = 0; i < (mode >> 3 & 3); i++) {
            boolean atomic = extensions && (mode >> 5 & 1 << i) != 0;
            victim.postRead(atomic ? Operation.FETCH_AND_ADD : Operation.READ, READ, 0, 7, 7);
        }
        victim.loop().run();
        peer.receive(channel.takeWritten());
        asked.addAll(peer.asked);
        victim.check();
    }

    /** Runs one input; throws if the victim comes to another error than the RFCs have. */
    public static void fuzzerTestOneInput(byte[] input) {
        try (Complaints complaints = new Complaints()) {
            RdmapFuzz run = new RdmapFuzz(new FuzzInput(input));
            try (Victim victim = run.victim) {
                for (int i = 0; run.in.hasMore() && i < MOST_MESSAGES && victim.stream().state() == StreamState.RTS; i++) {
                    run.play(run.in.octet());
                }
                victim.end();
            }
            complaints.check();
        }
    }

    private void play(int kind) {
        switch (kind % 10) {
            case 0 -> write(kind);
            case 1, 2 -> send(kind);
            case 3 -> readRequest(kind);
            case 4 -> atomicRequest(kind);
            case 5 -> readResponse(kind);
            case 6 -> atomicResponse(kind);
            case 7 -> immediate(kind);
            case 8 -> terminate();
            default -> stranger();
        }
    }

    // Messages, and what they lead to.

    private void write(int kind) {
        int choice = in.octet();
        int length = (kind & 64) != 0 ? in.octet() : in.octet() % 16;
        long at = address(choice);
        int error = length == 0 ? TerminateCode.NONE : switch (fault(choice, at, length, true, false)) {
            case STAG, ACCESS -> TerminateCode.TAGGED_INVALID_STAG;
            case STREAM -> TerminateCode.TAGGED_STAG_NOT_OF_STREAM;
            case WRAP -> TerminateCode.TAGGED_TO_WRAP;
            case BOUNDS -> TerminateCode.TAGGED_BOUNDS;
            case NONE -> TerminateCode.NONE;
        };
        deliver(Attacker.tagged(true, Attacker.WRITE, victim.regions.stag(choice), at, new byte[length]), error);
    }

    private void send(int kind) {
        int opcode = 3 + (kind / 10) % 4;
        int choice = in.octet();
        int length = in.below(RECEIVE + 4);
        boolean invalidates = (opcode & 1) == 0;
        int error = TerminateCode.NONE;
        if (receives == 0) {
            error = TerminateCode.UNTAGGED_NO_BUFFER;
        } else if (length > RECEIVE) {
            error = TerminateCode.UNTAGGED_TOO_LONG;
        } else if (invalidates) {
            error = victim.regions.isKnown(choice)
                    ? victim.regions.mayInvalidate(choice) ? TerminateCode.NONE : TerminateCode.RDMA_CANNOT_INVALIDATE
                    : TerminateCode.RDMA_INVALID_STAG;
        }
        receives--;
        deliver(peer.untagged(true, 0x40 | opcode, invalidates ? victim.regions.stag(choice) : choice, 0, new byte[length]), error);
    }

    private void readRequest(int kind) {
        int choice = in.octet();
        int size = (kind & 32) != 0 ? in.integer() & 0xFFFF_FFF : in.octet() % 80;
        long at = address(choice);
        int length = (kind & 64) != 0 ? in.below(READ_REQUEST + 2) : READ_REQUEST;
        request = Attacker.readRequest(kind, kind, size, victim.regions.stag(choice), at);
        int error = length == READ_REQUEST ? size == 0 ? TerminateCode.NONE : readError(fault(choice, at, size, false, false))
                : length > READ_REQUEST ? TerminateCode.UNTAGGED_TOO_LONG : TerminateCode.RDMA_UNSPECIFIED;
        deliver(peer.untagged(true, Attacker.READ_REQUEST, 0, 1, Arrays.copyOf(request, length)), error);
    }

    private void atomicRequest(int kind) {
        int choice = in.octet();
        int operation = (kind & 32) != 0 ? in.octet() : 0;
        long at = address(choice);
        int length = (kind & 64) != 0 ? in.below(ATOMIC_REQUEST + 2) : ATOMIC_REQUEST;
        byte[] payload = Attacker.atomicRequest(operation, kind, victim.regions.stag(choice), at, 1, 0, 0, 0);
        int error;
        if (!extensions) {
            error = TerminateCode.RDMA_OPCODE;
        } else if (length != ATOMIC_REQUEST) {
            error = length > ATOMIC_REQUEST ? TerminateCode.UNTAGGED_TOO_LONG : TerminateCode.RDMA_UNSPECIFIED;
        } else if ((operation & 15) != 0 && (operation & 15) != 2) {
            error = TerminateCode.RDMA_OPCODE;
        } else {
            error = readError(fault(choice, at, Long.BYTES, false, true));
            error = error == TerminateCode.NONE && (at & 7) != 0 ? TerminateCode.RDMA_STREAM_CATASTROPHIC : error;
        }
        request = payload;
        deliver(peer.untagged(true, Attacker.ATOMIC_REQUEST, 0, 1, Arrays.copyOf(payload, length)), error);
    }

    private void readResponse(int kind) {
        Attacker.Asked oldest = asked.peek();
        int change = in.octet();
        int left = oldest == null || oldest.size < 0 ? 8 : oldest.size - oldest.answered;
        int length = (change & 1) != 0 ? in.below(2 * READ) : (kind & 32) != 0 ? left : Math.min(left, 5);
        boolean last = length == left ^ (change & 2) != 0;
        int stag = oldest == null || (change & 4) != 0 ? victim.regions.stag(in.octet()) : oldest.stag;
        long at = oldest == null ? 0 : oldest.offset + oldest.answered + ((change & 8) != 0 ? in.octet() : 0);
        int error;
        if (oldest == null || oldest.size < 0) {
            error = TerminateCode.RDMA_OPCODE;
        } else if (length > left || last != (length == left)) {
            error = TerminateCode.TAGGED_BOUNDS;
        } else if (length > 0 && stag != oldest.stag) {
            error = TerminateCode.TAGGED_INVALID_STAG;
        } else {
            error = length > 0 && at != oldest.offset + oldest.answered ? TerminateCode.TAGGED_BOUNDS : TerminateCode.NONE;
        }
        if (error == TerminateCode.NONE) {
            oldest.answered += length;
            if (last) {
                asked.remove();
            }
        }
        deliver(Attacker.tagged(last, Attacker.READ_RESPONSE, stag, at, new byte[length]), error);
    }

    private void atomicResponse(int kind) {
        Attacker.Asked oldest = asked.peek();
        boolean fits = oldest != null && oldest.size < 0;
        int change = in.octet();
        int length = (change & 1) != 0 ? in.below(16) : 12;
        int identifier = fits ? oldest.identifier ^ ((change & 2) != 0 ? kind : 0) : change;
        int error;
        if (!extensions) {
            error = TerminateCode.UNTAGGED_QUEUE;
        } else if (!fits) {
            error = TerminateCode.RDMA_OPCODE;
        } else if (length > 12) {
            error = TerminateCode.UNTAGGED_TOO_LONG;
        } else {
            error = length < 12 || identifier != oldest.identifier ? TerminateCode.RDMA_UNSPECIFIED : TerminateCode.NONE;
        }
        if (error == TerminateCode.NONE) {
            asked.remove();
        }
        byte[] payload = ByteBuffer.allocate(16).putInt(identifier).putLong(kind).array();
        deliver(peer.untagged(true, Attacker.ATOMIC_RESPONSE, 0, 3, Arrays.copyOf(payload, length)), error);
    }

    private void immediate(int kind) {
        int length = (kind & 64) != 0 ? in.below(12) : 8;
        int error = TerminateCode.NONE;
        if (!extensions) {
            error = TerminateCode.RDMA_OPCODE;
        } else if (receives == 0) {
            error = TerminateCode.UNTAGGED_NO_BUFFER;
        } else if (length != 8) {
            error = length > 8 ? TerminateCode.UNTAGGED_TOO_LONG : TerminateCode.RDMA_UNSPECIFIED;
        }
        receives--;
        deliver(peer.untagged(true, Attacker.IMMEDIATE + (kind >> 4 & 1), 0, 0, new byte[length]), error);
    }

    /** Whatever a Terminate says, the connection ends; only one that is too long is an error of the peer. */
    private void terminate() {
        byte[] payload = in.take(in.below(LONGEST_TERMINATE + 4));
        deliver(peer.untagged(true, Attacker.TERMINATE, 0, 2, payload),
                payload.length > LONGEST_TERMINATE ? TerminateCode.UNTAGGED_TOO_LONG : ANY);
    }

    /** Another version, opcode or queue. */
    private void stranger() {
        int ulp = in.octet();
        int bits = in.octet();
        int opcode = ulp & 15;
        boolean tagged = (bits & 1) != 0;
        int queue = bits >> 1 & 7;
        boolean known = tagged ? opcode == 0 || opcode == 2 : opcode < 12 && opcode != 0 && opcode != 2 && (extensions || opcode < 8);
        if (ulp >> 6 == 1 && known && (tagged || queue < 4)) {
            // The other kinds of message have these.
            return;
        }
        if (tagged) {
            deliver(Attacker.tagged(true, ulp, 0, 0, new byte[0]), ulp >> 6 != 1 ? TerminateCode.RDMA_VERSION : TerminateCode.RDMA_OPCODE);
            return;
        }
        int error;
        if (queue >= (extensions ? 4 : 3)) {
            error = TerminateCode.UNTAGGED_QUEUE;
        } else {
            error = ulp >> 6 != 1 ? TerminateCode.RDMA_VERSION : TerminateCode.RDMA_OPCODE;
        }
        int msn = queue < 4 ? peer.msn[queue] : 1;
        deliver(ByteBuffer.allocate(18).put((byte) 0x41).put((byte) ulp).putInt(0).putInt(queue).putInt(msn).putInt(0).array(), error);
    }

    // Memory.

    private enum Fault {
        NONE, STAG, STREAM, ACCESS, WRAP, BOUNDS
    }

    private long address(int choice) {
        int far = in.octet();
        return far == 255 ? -in.octet() : victim.regions.base(choice) + (far < 128 ? far : (far - 192) * 8);
    }

    private Fault fault(int choice, long at, long size, boolean write, boolean atomic) {
        if (!victim.regions.isKnown(choice)) {
            return Fault.STAG;
        } else if (victim.regions.isForeign(choice)) {
            return Fault.STREAM;
        } else if (!victim.regions.allows(choice, write ? Access.REMOTE_WRITE : atomic ? Access.REMOTE_ATOMIC : Access.REMOTE_READ)) {
            return Fault.ACCESS;
        } else if (Long.compareUnsigned(at + size - 1, at) < 0) {
            return Fault.WRAP;
        }
        long within = at - victim.regions.begin(choice);
        return within >= 0 && size <= victim.regions.length(choice) && within <= victim.regions.length(choice) - size ? Fault.NONE
                : Fault.BOUNDS;
    }

    private static int readError(Fault fault) {
        return switch (fault) {
            case NONE -> TerminateCode.NONE;
            case STAG -> TerminateCode.RDMA_INVALID_STAG;
            case STREAM -> TerminateCode.RDMA_STAG_NOT_OF_STREAM;
            case ACCESS -> TerminateCode.RDMA_ACCESS;
            case WRAP -> TerminateCode.RDMA_TO_WRAP;
            case BOUNDS -> TerminateCode.RDMA_BOUNDS;
        };
    }

    // The result.

    private void deliver(byte[] segment, int expected) {
        channel.feed(peer.fpdu(segment));
        victim.loop().lead(() -> victim.driver().onReady(Multiplexer.READABLE));
        victim.loop().run();
        peer.receive(channel.takeWritten());
        victim.check();
        int error = victim.errorCode();
        if (expected != ANY && (error != expected || victim.isErrorFromPeer())) {
            throw new AssertionError("the message leads to " + text(error) + ", and the RFCs have " + text(expected));
        }
        if (error == TerminateCode.NONE || victim.isErrorFromPeer()) {
            require(peer.terminate == null, "a Terminate without an error of the peer");
            return;
        }
        require(peer.terminate != null && peer.error() == error, "no Terminate, or one with another error");
        checkHeaders(segment, error);
    }

    /** RFC 5040, figure 10: a Terminate of RDMAP or DDP has the DDP header, and a Read Request if it is one that is not allowed. */
    private void checkHeaders(byte[] segment, int error) {
        int bits = peer.terminate[2] & 0xFF;
        boolean tagged = segment[0] < 0;
        int header = tagged ? 14 : 18;
        require((bits & 0xC0) == 0xC0, "a Terminate without the DDP header");
        ByteBuffer fields = ByteBuffer.wrap(peer.terminate);
        require((fields.getShort(4) & 0xFFFF) == segment.length, "a segment length of " + fields.getShort(4));
        require(Arrays.equals(segment, 0, header, peer.terminate, 6, 6 + header), "the DDP header in the Terminate");
        boolean read = !tagged && (segment[1] & 15) == 1 && error >> 8 == 1;
        require((bits & 0x20) != 0 == read, "the RDMA header in the Terminate");
        require(!read || Arrays.equals(request, 0, 28, peer.terminate, 24, 52), "the Read Request in the Terminate");
    }

    private static String text(int error) {
        return error == TerminateCode.NONE ? "no error" : TerminateCode.describe(error);
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
