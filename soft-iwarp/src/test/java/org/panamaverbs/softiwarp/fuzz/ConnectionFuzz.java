package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: a whole connection. The start-up goes by the book; then a list of operations of the peer, of the victim's program and of the
 * network follows. Whatever the list: no byte changes that the peer may not change, no exception escapes, each request completes once and
 * in order, the loop comes to rest, no memory is kept, and the victim sends nothing that is not right. As long as the peer goes by the
 * book, its messages have their effect. The bytes are
 *
 * <pre>
 * 0 role and options 8 | IRD, ORD 8 | MULPDU and pieces 8 | then operations: kind 8, fields of that kind
 * </pre>
 */
public final class ConnectionFuzz {
    private static final int MOST_OPERATIONS = 100;
    private static final int[] MULPDUS = { 128, 131, 1460, 0x8000 };
    /** For {@link #written}: the last message was no Write. */
    private static final long NO_WRITE = -1;
    private static final Operation[] SENDS = { Operation.SEND, Operation.IMMEDIATE, Operation.WRITE, Operation.WRITE_IMMEDIATE };
    private static final Operation[] READS = { Operation.READ, Operation.READ, Operation.FETCH_AND_ADD, Operation.COMPARE_AND_SWAP };

    private final FuzzInput in;
    private final FedChannel channel = new FedChannel();
    private final boolean initiator;
    private final boolean extensions;
    /** Whether the peer sends no ready-to-receive indication. */
    private final boolean silent;
    private final Agreement agreement;
    private final Victim victim;
    private final Attacker peer;
    /** Whether all that the peer has sent goes by the book, so that the victim has no reason to end the connection. */
    private boolean exact = true;
    /** How many bytes of the next FPDUs wait for what comes after them. */
    private byte[] waiting = {};
    private int gather;
    /** Whether the connection broke, or the victim's loop gave it up. */
    private boolean isAbrupt;
    /** The view of an observer, if this run is compared with another one. */
    private final List<String> seen = new ArrayList<>();
    private final boolean twin;
    private int mutations;
    /** The length of the last message if it was a Write: Immediate Data behind it belongs to it (RFC 7306, 1). */
    private long written = NO_WRITE;
    /** Whether a Write of no bytes that comes now is a ready-to-receive indication (RFC 6581, 9.2), and no Write of the peer's program. */
    private boolean mayBeReady;

    private ConnectionFuzz(FuzzInput in, Arena arena, boolean twin, boolean single) {
        this.in = in;
        this.twin = twin;
        int mode = in.octet();
        int depths = in.octet();
        int cut = in.octet();
        initiator = (mode & 1) != 0;
        extensions = (mode & 16) == 0;
        silent = (mode & 32) != 0;
        agreement = StartUp.of(initiator, mode, 1 + depths % 4, 1 + (depths >> 4) % 4);
        channel.chop(single ? 1 : twin || cut < 64 ? Integer.MAX_VALUE : cut - 63);
        if (twin && !single) {
            channel.oneFpduAtATime();
        }
        mayBeReady = agreement.ready() == ReadyIndication.AWAITED || agreement.ready() == ReadyIndication.AWAITED_SEND;
        victim = new Victim(agreement, initiator, (mode & 8) != 0, extensions, MULPDUS[cut % MULPDUS.length], channel);
        peer = new Attacker(agreement.crc(), agreement.markers());
    }

    /** Runs one input; throws if the victim breaks a rule. */
    public static void fuzzerTestOneInput(byte[] input) {
        run(input, false, false);
    }

    /**
     * Runs one input in a way that may be compared with another run: FPDUs arrive one at a time, whole or byte by byte.
     *
     * @return what an observer sees after each operation
     */
    static List<String> runTwin(byte[] input, boolean single) {
        return run(input, true, single);
    }

    private static List<String> run(byte[] input, boolean twin, boolean single) {
        try (Arena arena = Arena.ofConfined(); Complaints complaints = new Complaints()) {
            ConnectionFuzz run = new ConnectionFuzz(new FuzzInput(input), arena, twin, single);
            try (Victim victim = run.victim) {
                run.play();
                run.end();
                victim.end();
                run.judge();
            }
            complaints.check();
            run.seen.addAll(run.victim.log());
            return run.seen;
        }
    }

    // The list of operations.

    private void play() {
        victim.check();
        ready();
        for (int i = 0; in.hasMore() && i < MOST_OPERATIONS; i++) {
            operation(in.octet());
            listen();
        }
        flush();
        listen();
    }

    /** The ready-to-receive indication of a peer that is the initiator, unless it leaves that out (RFC 6581, 9.2). */
    private void ready() {
        boolean sends = agreement.ready() == ReadyIndication.AWAITED_SEND;
        if (!initiator && !silent) {
            deliver(sends ? peer.untagged(true, Attacker.SEND, 0, 0, new byte[0]) : Attacker.zeroLength(0), true);
            listen();
            if (sends) {
                notWritten();
            } else {
                wrote(0);
            }
        } else {
            // Then the first Send of no bytes is taken for one.
            exact = !sends;
        }
    }

    private void operation(int kind) {
        switch (kind % 32) {
            case 0, 1 -> write();
            case 2, 3 -> send();
            case 4 -> readRequest();
            case 5 -> atomicRequest();
            case 6 -> answer(true);
            case 7 -> answer(false);
            case 8 -> immediate();
            case 9 -> terminate();
            case 10 -> deliver(Attacker.tagged((kind & 32) != 0, in.octet(), stag(), offset(), in.take(in.octet())), false);
            case 11 -> foreign();
            case 12 -> deliver(in.take(in.octet()), false);
            case 13 -> raw(in.take(in.octet()));
            case 14 -> mutations += 1 + in.below(2);
            case 15, 16, 17 -> victim.postReceive(in.below(Victim.SLOT + 1));
            case 18, 19 -> postSend();
            case 20, 21 -> postRead();
            case 22 -> bind();
            case 23 -> invalidate();
            case 24 -> deregister();
            case 25 -> chop(1 + in.octet());
            case 26 -> gather = (twin ? 0 : 1) * (1 + in.below(8));
            case 27 -> stopOrGo();
            case 28 -> victim.loop().sleep(in.octet() * 50_000_000L);
            case 29 -> writeOn();
            case 30 -> {
                deliver(Attacker.zeroLength(in.octet()), true);
                wrote(0);
            }
            default -> ending(in.octet());
        }
    }

    private void chop(int most) {
        if (!twin) {
            channel.chop(most);
        }
    }

    /** The bytes that the victim has sent, and the changes of its memory. */
    private void listen() {
        victim.loop().run();
        byte[] bytes = channel.takeWritten();
        if (twin) {
            seen.add(victim.stream().state() + " " + TerminateCode.describe(victim.errorCode()) + ", " + HexFormat.of().formatHex(bytes));
        }
        peer.receive(bytes);
        victim.check();
        require(peer.immediates >= victim.immediates(), "Immediate Data that was sent is lost");
        if (exact && victim.stream().state() != StreamState.RTS) {
            throw new AssertionError(
                    "the victim ended a connection whose peer goes by the book: " + TerminateCode.describe(victim.errorCode()));
        }
    }

    private int stag() {
        return victim.regions.stag(in.octet());
    }

    /** An address in or near memory that an STag names. */
    private long offset() {
        int choice = in.octet();
        return choice == 255 ? in.number() : victim.regions.base(choice) + (short) in.word();
    }

    // The peer.

    private void write() {
        int length = in.octet();
        int at = in.word() % (Regions.WRITABLE - length);
        byte[] payload = Attacker.pattern(length);
        deliver(Attacker.tagged(true, Attacker.WRITE, victim.regions.writable.stag(), victim.regions.writable.base() + at, payload), true);
        wrote(length);
        if (exact && isPrompt()) {
            listen();
            require(Arrays.equals(victim.regions.writable.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE), payload),
                    "a Write is lost");
        }
    }

    /** A long Write in segments, whose last one may be missing. */
    private void writeOn() {
        int parts = 1 + in.below(6);
        int length = in.octet() % 160;
        boolean ends = in.below(4) != 0;
        // Another message may follow a Write that is not whole, but not the end of the stream.
        exact &= ends;
        for (int i = 0; i < parts; i++) {
            deliver(Attacker.tagged(ends && i == parts - 1, Attacker.WRITE, victim.regions.writable.stag(),
                    victim.regions.writable.base() + (long) i * length, Attacker.pattern(length)), true);
        }
        wrote((long) parts * length);
    }

    private void wrote(long length) {
        written = mayBeReady && length == 0 ? NO_WRITE : length;
        mayBeReady = false;
    }

    private void send() {
        notWritten();
        int bits = in.octet();
        int length = in.below(Victim.SLOT + 1);
        int parts = 1 + (bits >> 6);
        int opcode = Attacker.SEND + (bits >> 2) % 4;
        // With Invalidate the victim decides whether the STag may be.
        boolean plain = opcode == Attacker.SEND || opcode == Attacker.SEND + 2;
        Victim.Received place = null;
        boolean fits = plain && exact && isPrompt() && victim.receivesOutstanding() > 0;
        exact &= fits;
        int word = plain ? bits : stag();
        byte[] payload = Attacker.pattern(length);
        int step = Math.max(1, length / parts);
        for (int at = 0; at < length || at == 0; at += step) {
            int end = Math.min(length, at + step);
            deliver(peer.untagged(end == length, opcode, word, 0, Arrays.copyOfRange(payload, at, end)), fits);
            if (end == length) {
                break;
            }
        }
        if (fits && exact && isPrompt()) {
            // A receive that is too short ends the connection.
            exact = false;
            listen();
            exact = victim.stream().state() == StreamState.RTS;
            for (Victim.Received next = victim.takeReceived(); next != null; next = victim.takeReceived()) {
                place = next;
            }
            require(!exact || place != null && place.length() == length
                    && Arrays.equals(payload, victim.landing().asSlice(place.offset(), length).toArray(ValueLayout.JAVA_BYTE)),
                    "a Send is lost");
        }
    }

    /** The next message is no Write. */
    private void notWritten() {
        written = NO_WRITE;
        mayBeReady = false;
    }

    private void readRequest() {
        notWritten();
        int bits = in.octet();
        if ((bits & 1) != 0) {
            int queue = (bits & 2) != 0 ? 1 : in.below(4);
            byte[] request = Attacker.readRequest(in.octet(), in.octet(), (bits & 4) != 0 ? in.integer() : in.octet(), stag(), offset());
            deliver(peer.untagged((bits & 8) == 0, Attacker.READ_REQUEST, 0, queue, Arrays.copyOf(request, 28 - (bits >> 4))), false);
            return;
        }
        int length = (bits & 32) != 0 ? in.word() % (Regions.READABLE - bits) : in.octet();
        boolean prompt = exact && isPrompt() && !channel.isStopped();
        exact &= prompt;
        int before = peer.read.size();
        deliver(peer.untagged(true, Attacker.READ_REQUEST, 0, 1, Attacker.readRequest(in.octet(), in.octet(), length,
                victim.regions.readable.stag(), victim.regions.readable.base() + bits)), prompt);
        if (prompt && exact && isPrompt()) {
            listen();
            require(peer.read.size() == before + length, "a Read is not answered");
        }
    }

    private void atomicRequest() {
        notWritten();
        int bits = in.octet();
        int operation = (bits & 1) != 0 ? in.octet() : (bits & 2) != 0 ? AtomicModel.COMPARE_SWAP : AtomicModel.FETCH_ADD;
        RegisteredMemory counter = victim.regions.counter;
        int stag = (bits & 4) != 0 ? stag() : counter.stag();
        long at = (bits & 8) != 0 ? offset() : counter.base() + 8 * (bits >> 5);
        int number = in.octet();
        int other = in.octet();
        long place = at - counter.base();
        boolean sound = stag == counter.stag() && place >= 0 && place <= counter.length() - Long.BYTES && place % Long.BYTES == 0;
        long old = sound ? counter.segment().get(ValueLayout.JAVA_LONG, place) : 0;
        long data = spread(number);
        long mask = AtomicModel.MASKS[number % AtomicModel.MASKS.length];
        long compareData = (other & 4) != 0 ? old : spread(other);
        long compareMask = AtomicModel.MASKS[other % AtomicModel.MASKS.length];
        byte[] request = Attacker.atomicRequest(operation, bits, stag, at, data, mask, compareData, compareMask);
        if ((bits & 16) != 0) {
            request = Arrays.copyOf(request, in.octet());
            sound &= request.length == 52;
        }
        sound &= extensions && (operation == AtomicModel.FETCH_ADD || operation == AtomicModel.COMPARE_SWAP) && exact && isPrompt()
                && !channel.isStopped();
        byte[] expected = counter.segment().toArray(ValueLayout.JAVA_BYTE);
        int before = peer.atomicResponses;
        deliver(peer.untagged(true, Attacker.ATOMIC_REQUEST, 0, 1, request), sound);
        if (sound && exact && isPrompt()) {
            listen();
            require(peer.atomicResponses == before + 1, "an atomic is not answered");
            require(peer.identifier == bits && peer.original == old, "an atomic was answered with " + peer.original + ", not " + old);
            long result = AtomicModel.result(operation, old, data, mask, compareData, compareMask);
            MemorySegment.ofArray(expected).set(ValueLayout.JAVA_LONG_UNALIGNED, place, result);
            require(Arrays.equals(expected, counter.segment().toArray(ValueLayout.JAVA_BYTE)), "the result of an atomic");
        }
    }

    /** Eight times the same octet. */
    private static long spread(int octet) {
        return octet * 0x0101_0101_0101_0101L;
    }

    /** Answers the oldest Read or atomic of the victim, by the book or not quite. */
    private void answer(boolean right) {
        Attacker.Asked oldest = peer.asked.peek();
        int bits = right ? 0 : in.octet();
        if (oldest == null) {
            if (!right) {
                deliver(Attacker.tagged(true, Attacker.READ_RESPONSE, victim.regions.stag(bits), victim.regions.base(bits),
                        Attacker.pattern(bits)), false);
            }
            return;
        }
        if (oldest.size < 0) {
            peer.asked.remove();
            // If answers wait to be delivered with this one, the oldest request is not the one that this one answers.
            boolean alone = isPrompt();
            long place = victim.oldestAnswer();
            long value = spread(in.octet()) >>> 4;
            byte[] payload = ByteBuffer.allocate(12).putInt(oldest.identifier ^ bits).putLong(value).array();
            deliver(peer.untagged(true, Attacker.ATOMIC_RESPONSE, 0, 3, (bits & 1) != 0 ? Arrays.copyOf(payload, bits) : payload), right);
            if (right && alone && exact && isPrompt()) {
                listen();
                require(victim.regions.sink.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, place) == value, "the answer to an atomic");
            }
            return;
        }
        int left = oldest.size - oldest.answered;
        // In parts, or all that is left.
        int length = right ? left == 0 ? 0 : 1 + in.octet() % left : left + (byte) in.octet();
        boolean last = right ? length == left : (bits & 1) != 0;
        long at = oldest.offset + oldest.answered + (right ? 0 : (bits & 2) == 0 ? 0 : (byte) in.octet());
        int stag = right || (bits & 4) == 0 ? oldest.stag : stag();
        deliver(Attacker.tagged(last, Attacker.READ_RESPONSE, stag, at, Attacker.pattern(Math.max(0, length))), right);
        oldest.answered += Math.max(0, length);
        if (last) {
            peer.asked.remove();
        }
        // Of a Read of no bytes the sink means nothing.
        if (right && exact && isPrompt() && length > 0) {
            listen();
            require(Arrays.equals(Attacker.pattern(length),
                    victim.regions.sink.segment().asSlice(at - victim.regions.sink.base(), length).toArray(ValueLayout.JAVA_BYTE)),
                    "the answer to a Read");
        }
    }

    private void immediate() {
        int bits = in.octet();
        boolean last = (bits & 2) == 0;
        byte[] payload = Attacker.pattern((bits & 4) == 0 ? Long.BYTES : bits >> 3);
        if (payload.length > 0) {
            payload[0] = (byte) bits;
        }
        boolean fits = extensions && last && payload.length == Long.BYTES && exact && isPrompt() && victim.receivesOutstanding() > 0;
        long behind = written;
        notWritten();
        while (victim.takeReceived() != null) {
            // The operations before.
        }
        deliver(peer.untagged(last, Attacker.IMMEDIATE + (bits & 1), bits, 0, payload), fits);
        if (fits && exact && isPrompt()) {
            listen();
            Victim.Received received = victim.takeReceived();
            require(received != null && received.immediate() != null && received.immediate() == ByteBuffer.wrap(payload).getLong(),
                    "Immediate Data is lost: " + received);
            boolean write = received.opcode() == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE;
            require(write == (behind >= 0) && received.length() == Math.max(0, behind),
                    "Immediate Data behind a Write of " + behind + " bytes (-1 for none): " + received);
        }
    }

    /** A Terminate, with the header of one of the victim's requests or with bytes of the fuzzer's choice. */
    private void terminate() {
        int bits = in.octet();
        ByteBuffer payload = ByteBuffer.allocate(128).putShort((short) in.word()).put((byte) in.octet()).put((byte) 0);
        if ((bits & 1) != 0) {
            payload.putShort((short) in.word()).put((byte) 0x41)
                    .put((byte) ((bits & 2) != 0 ? Attacker.READ_REQUEST : Attacker.ATOMIC_REQUEST)).putInt(0).putInt(1).putInt(in.below(6))
                    .putInt(0).put(in.take(28));
        } else {
            payload.put(in.take(in.below(100)));
        }
        int length = (bits & 4) != 0 ? in.below(128) : payload.position();
        deliver(peer.untagged(true, Attacker.TERMINATE, 0, 2, Arrays.copyOf(payload.array(), length)), false);
    }

    /** An untagged segment with fields of the fuzzer's choice. */
    private void foreign() {
        int bits = in.octet();
        int queue = (bits & 1) != 0 ? in.integer() : in.below(5);
        int number = (bits & 2) != 0 ? in.integer() : queue >= 0 && queue < 4 ? peer.msn[queue] : 1;
        byte[] payload = new byte[in.octet()];
        deliver(ByteBuffer.allocate(18 + payload.length).put((byte) ((bits & 4) != 0 ? in.octet() : 0x41)).put((byte) in.octet())
                .putInt(bits).putInt(queue).putInt(number).putInt((bits & 8) != 0 ? in.integer() : 0).array(), false);
    }

    /** Sends a segment in an FPDU; {@code legal} if the victim must take it. */
    private void deliver(byte[] ulpdu, boolean legal) {
        exact &= legal;
        byte[] fpdu = peer.fpdu(ulpdu);
        while (mutations > 0) {
            mutations--;
            exact = false;
            int at = in.word() % fpdu.length;
            fpdu[at] ^= (byte) in.octet();
            if (at % 4 != 0 && at < fpdu.length - 4) {
                peer.seal(fpdu);
            }
        }
        add(fpdu);
    }

    private void raw(byte[] bytes) {
        exact &= bytes.length == 0;
        add(bytes);
    }

    private void add(byte[] bytes) {
        byte[] all = Arrays.copyOf(waiting, waiting.length + bytes.length);
        System.arraycopy(bytes, 0, all, waiting.length, bytes.length);
        waiting = all;
        if (gather > 0) {
            gather--;
        }
        if (gather == 0) {
            flush();
        }
    }

    /** Whether what is sent arrives at once. */
    private boolean isPrompt() {
        return gather == 0 && !channel.isEnded();
    }

    private void flush() {
        channel.feed(waiting);
        waiting = new byte[0];
        signal(Multiplexer.READABLE);
    }

    private void signal(int events) {
        victim.loop().lead(() -> victim.driver().onReady(events));
        victim.loop().run();
        while (channel.isEdgeDue()) {
            victim.loop().lead(() -> victim.driver().onReady(Multiplexer.READABLE));
            victim.loop().run();
        }
    }

    // The victim's program.

    private void postSend() {
        int bits = in.octet();
        int flags = ((bits & 4) != 0 ? SendWorkRequest.SOLICITED : 0) | ((bits & 8) != 0 ? SendQueue.INVALIDATE : 0)
                | ((bits & 16) != 0 ? SendWorkRequest.FENCE : 0);
        // Without the extensions of RFC 7306 the API has no immediate data and no atomics.
        Operation operation = extensions ? SENDS[bits % SENDS.length] : bits % 2 == 0 ? Operation.SEND : Operation.WRITE;
        victim.postSend(operation, in.octet(), operation == Operation.SEND ? flags : flags & ~SendQueue.INVALIDATE, bits, bits);
    }

    private void postRead() {
        Operation operation = READS[in.below(READS.length)];
        victim.postRead(extensions ? operation : Operation.READ, in.below(Victim.SLOT + 1), in.below(4) == 0 ? SendWorkRequest.FENCE : 0,
                in.octet(), in.octet());
    }

    private void bind() {
        int bits = in.octet();
        int from = in.below(Regions.BACKING);
        int length = in.octet() % (Regions.BACKING - from + 1);
        // Length 0 binds to nothing; a window of type 2 that is bound already ends the connection.
        exact = false;
        victim.postBind(bits & 1, from, length, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    private void invalidate() {
        exact = false;
        victim.postInvalidate(stag());
    }

    private void deregister() {
        exact = false;
        victim.deregisterSpare();
    }

    // The network, and the end.

    private void stopOrGo() {
        if (channel.isStopped()) {
            channel.room(Long.MAX_VALUE);
            signal(Multiplexer.WRITABLE);
        } else {
            channel.room(in.octet());
        }
    }

    private void ending(int kind) {
        // Every message is whole, and every Read answered.
        boolean good = exact && isPrompt() && peer.asked.isEmpty() && !channel.isStopped();
        exact = false;
        switch (kind % 6) {
            case 0, 1 -> {
                flush();
                channel.end();
                signal(Multiplexer.READABLE);
                require(!good || victim.errorCode() == TerminateCode.NONE, "the peer's end in good order is an error");
            }
            case 2 -> {
                isAbrupt = true;
                channel.reset();
                signal(Multiplexer.READABLE | Multiplexer.WRITABLE);
            }
            case 3 -> victim.driver().disconnect();
            case 4 -> victim.driver().close();
            default -> {
                isAbrupt = true;
                victim.driver().closeNow();
            }
        }
    }

    /** The network works again; what was posted before a disconnect gets its time. */
    private void end() {
        exact = false;
        if (channel.isStopped() && in.octet() % 2 == 0) {
            stopOrGo();
        }
        listen();
    }

    /** The victim's last words. */
    private void judge() {
        peer.receive(channel.takeWritten());
        int code = victim.errorCode();
        boolean own = code != TerminateCode.NONE && code != TerminateCode.MPA_CLOSED && !victim.isErrorFromPeer();
        if (peer.terminate != null) {
            int expected = code == TerminateCode.NONE ? TerminateCode.LOCAL_CATASTROPHIC : code;
            require(peer.error() == expected && victim.terminate() == expected,
                    "a Terminate with " + TerminateCode.describe(peer.error()) + ", and the cause is " + TerminateCode.describe(code));
            require(!victim.isErrorFromPeer(), "a Terminate answers a Terminate");
            require(!TerminateCode.describe(expected).contains("unnamed"), TerminateCode.describe(expected));
        }
        // A responder may send nothing before it has an FPDU of the peer (RFC 5044, 7.1.2).
        boolean mayTell = !channel.hasStopped() && !isAbrupt && (initiator || !silent);
        require(!own || !mayTell || peer.terminate != null, "no Terminate for " + TerminateCode.describe(code));
        require(channel.hasStopped() || channel.isBroken() || !peer.isInFpdu(), "the stream ends in the middle of an FPDU");
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
