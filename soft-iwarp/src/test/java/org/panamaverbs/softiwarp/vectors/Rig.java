package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.QueuePair;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveQueue;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * A connected stream without a network: bytes are fed at any chopping, what it sends is collected. All registered memory lies in one
 * ground, with guards between the regions.
 */
final class Rig {
    /** The byte that a guard is filled with. */
    static final byte GUARD = 0x5A;
    private static final MemorySegment FILLED = MemorySegment.ofArray(new byte[64 * 1024]).fill(GUARD);
    private static final int GUARD_SIZE = 64;
    static final int DEPTH = 128;
    private static final int VECTOR_PARTS = 32;

    /** How the stream is set up. */
    record Options(boolean crc, boolean verifyBeforePlace, int inboundReads, int outboundReads, int mulpdu, boolean markers,
            ReadyIndication ready, boolean extensions) {
        Options(boolean crc, boolean verifyBeforePlace, int inboundReads, int outboundReads) {
            this(crc, verifyBeforePlace, inboundReads, outboundReads, 0x8000, false, ReadyIndication.NONE);
        }

        Options(boolean crc, boolean verifyBeforePlace, int inboundReads, int outboundReads, int mulpdu, boolean markers,
                ReadyIndication ready) {
            this(crc, verifyBeforePlace, inboundReads, outboundReads, mulpdu, markers, ready, true);
        }

        /** A stream that has RFC 5040 alone. */
        Options withoutExtensions() {
            return new Options(crc, verifyBeforePlace, inboundReads, outboundReads, mulpdu, markers, ready, false);
        }

        static Options of(boolean crc) {
            return new Options(crc, false, 16, 16);
        }

        Options verifying() {
            return new Options(crc, true, inboundReads, outboundReads);
        }

        /** With Markers in all that it sends. */
        Options marked(int longest) {
            return new Options(crc, verifyBeforePlace, inboundReads, outboundReads, longest, true, ready);
        }

        Options ready(ReadyIndication indication) {
            return new Options(crc, verifyBeforePlace, inboundReads, outboundReads, mulpdu, markers, indication);
        }
    }

    /** A completion. */
    record Done(long id, CompletionStatus status, CompletionOpcode opcode, int vendorError, long length, boolean invalidated, int key) {
    }

    private final MemorySegment ground;
    private long used = GUARD_SIZE;
    private final List<RegisteredMemory> regions = new ArrayList<>();
    private final Object domain = new Object();
    private int nextStag = 0x100;
    private final StagTable<RegisteredMemory> table = new StagTable<>(() -> nextStag += 0x100, 1 << 12);
    private final CompletionBuffer completions;
    private final CompletionRing ring;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Stream stream;
    private final IoVector vector = new IoVector(VECTOR_PARTS);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private boolean silent;

    /** Connects one; {@code size} is the room for regions and their guards. */
    Rig(Options options, long size) {
        this(options, size, false);
    }

    /** Connects one; if {@code responder}, it may send nothing before the first FPDU of the peer is here. */
    Rig(Options options, long size, boolean responder) {
        Arena arena = Arena.ofAuto();
        ground = arena.allocate(size, 64);
        ground.fill(GUARD);
        completions = CompletionBuffer.allocate(arena, 4 * DEPTH);
        ring = new CompletionRing(arena.allocate(CompletionBuffer.SIZE * 4 * DEPTH, 8), 4 * DEPTH, () -> {
        });
        sends = new SendQueue(DEPTH, 1, 0, arena, true, ring, Origin.of(1));
        receives = new ReceiveQueue(DEPTH, 2, ring, Origin.of(1));
        StreamResources resources = new StreamResources(table, domain, this, sends, receives, new InboundReads(options.inboundReads()),
                new OutboundReads(options.outboundReads()));
        stream = new Stream(resources,
                new StreamOptions(options.crc(), options.markers(), options.mulpdu(), options.verifyBeforePlace(), 1, options.extensions()),
                arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 4));
        stream.connect(responder, options.ready());
    }

    /** The room that a region of this length takes up. */
    static long room(long length) {
        return length + 2 * GUARD_SIZE + 64;
    }

    Stream stream() {
        return stream;
    }

    /** Registers fresh memory of any length, 0 included, filled with the guard's value. No peer may invalidate it. */
    RegisteredMemory region(long length, Access... rights) {
        return region(null, length, rights);
    }

    /** The same, which the peer of this stream may invalidate. */
    RegisteredMemory advertised(long length, Access... rights) {
        return region(this, length, rights);
    }

    /** The same, which the peer of another stream may invalidate. */
    RegisteredMemory advertisedElsewhere(long length, Access... rights) {
        return region(new Object(), length, rights);
    }

    /** The same, which no peer may invalidate and only that of this stream may use. */
    RegisteredMemory scoped(long length, Access... rights) {
        return region(null, this, length, rights);
    }

    /** The same, which only the peer of another stream may use, and invalidate. */
    RegisteredMemory scopedElsewhere(long length, Access... rights) {
        Object other = new Object();
        return region(other, other, length, rights);
    }

    private RegisteredMemory region(Object invalidator, long length, Access... rights) {
        return region(invalidator, null, length, rights);
    }

    private RegisteredMemory region(Object invalidator, Object scope, long length, Access... rights) {
        MemorySegment segment = ground.asSlice(used, length);
        used = (used + length + GUARD_SIZE + 63) / 64 * 64;
        assertTrue(used <= ground.byteSize(), "the ground is too small");
        RegisteredMemory memory = new RegisteredMemory(segment, domain, Access.bits(rights), segment.address(), invalidator, scope);
        assertTrue(table.add(memory));
        regions.add(memory);
        return memory;
    }

    /** Registers memory that belongs to other queue pairs than this. */
    RegisteredMemory foreignRegion(long length, Access... rights) {
        RegisteredMemory memory = new RegisteredMemory(Arena.ofAuto().allocate(length), new Object(), Access.bits(rights));
        assertTrue(table.add(memory));
        return memory;
    }

    /** Makes a memory window of the stream's domain, bound to nothing. */
    Window window(boolean ofOneStream) {
        return Window.allocate(table, domain, ofOneStream);
    }

    /** Makes a memory window of another domain. */
    Window foreignWindow(boolean ofOneStream) {
        return Window.allocate(table, new Object(), ofOneStream);
    }

    /** Posts the binding of a window to a part of a region. */
    void bind(long id, Window window, RegisteredMemory region, long offset, long length, Access... rights) {
        long sequence = sends.claim(id);
        sends.bind(sequence, window, region, offset, length, Access.bits(rights), QueuePair.SIGNALED);
        sends.publish(sequence);
        transmit();
    }

    /** Posts that a key is no longer valid. */
    void invalidate(long id, int key) {
        long sequence = sends.claim(id);
        sends.describe(sequence, SendQueue.Operation.LOCAL_INVALIDATE, 0, 0, key, QueuePair.SIGNALED);
        sends.publish(sequence);
        transmit();
    }

    void receive(long id, RegisteredMemory memory) {
        long sequence = receives.claim(id);
        receives.element(sequence, memory, 0, memory.length());
        receives.publish(sequence);
    }

    /** Posts a Read of the peer's memory into all of a region. */
    void read(long id, RegisteredMemory sink, long remoteAddress, int remoteKey) {
        long sequence = sends.claim(id);
        sends.describe(sequence, SendQueue.Operation.READ, sink.length(), remoteAddress, remoteKey, QueuePair.SIGNALED);
        sends.element(sequence, sink, 0, sink.length());
        sends.publish(sequence);
        transmit();
    }

    /** Posts an atomic whose result lands at the start of a region; {@link #transmit} is left to the caller. */
    void atomic(long id, SendQueue.Operation operation, RegisteredMemory sink, long remoteAddress, int remoteKey, long... operands) {
        long sequence = sends.claim(id);
        sends.describe(sequence, operation, 8, remoteAddress, remoteKey, QueuePair.SIGNALED);
        sends.operands(sequence, operands[0], operands[1], operands[2], operands[3]);
        sends.element(sequence, sink, 0, 8);
        sends.publish(sequence);
    }

    /** Posts an Immediate Data message; {@link #transmit} is left to the caller. */
    void immediate(long id, long immediate, int flags) {
        long sequence = sends.claim(id);
        sends.describe(sequence, SendQueue.Operation.IMMEDIATE, 0, 0, 0, QueuePair.SIGNALED | flags);
        sends.immediate(sequence, immediate);
        sends.publish(sequence);
    }

    /** Posts a Write of all of a region with immediate data; {@link #transmit} is left to the caller. */
    void writeImmediate(long id, RegisteredMemory source, long remoteAddress, int remoteKey, long immediate) {
        long sequence = sends.claim(id);
        sends.describe(sequence, SendQueue.Operation.WRITE_IMMEDIATE, source.length(), remoteAddress, remoteKey, QueuePair.SIGNALED);
        sends.immediate(sequence, immediate);
        sends.element(sequence, source, 0, source.length());
        sends.publish(sequence);
    }

    /** Posts a Send of all of a region; {@link #transmit} is left to the caller. */
    void send(long id, RegisteredMemory source) {
        post(id, SendQueue.Operation.SEND, source, 0, 0, 0);
    }

    /** Posts a Write of all of a region; {@link #transmit} is left to the caller. */
    void write(long id, RegisteredMemory source, long remoteAddress, int remoteKey) {
        post(id, SendQueue.Operation.WRITE, source, remoteAddress, remoteKey, 0);
    }

    /** Posts a Send with flags of the API or of the send queue; {@link #transmit} is left to the caller. */
    void send(long id, RegisteredMemory source, int flags, int invalidated) {
        post(id, SendQueue.Operation.SEND, source, 0, invalidated, flags);
    }

    private void post(long id, SendQueue.Operation operation, RegisteredMemory source, long remoteAddress, int remoteKey, int flags) {
        long sequence = sends.claim(id);
        sends.describe(sequence, operation, source.length(), remoteAddress, remoteKey, QueuePair.SIGNALED | flags);
        sends.element(sequence, source, 0, source.length());
        sends.publish(sequence);
    }

    /** Ends a registration, as closing a region does. */
    void deregister(RegisteredMemory memory) {
        assertTrue(table.remove(memory));
    }

    /** Has bytes arrive in one go, as far as the stream asks for them; stops where the stream ends. */
    void feed(byte[] bytes, int from, int to) {
        feed(bytes, from, to, () -> {
        });
    }

    /** The same; {@code arrived} runs when bytes are where the stream wanted them and before the stream hears of them. */
    void feed(byte[] bytes, int from, int to, Runnable arrived) {
        int at = from;
        while (at < to && stream.state().receives()) {
            stream.pollReceive(vector);
            assertTrue(vector.bytes() > 0, "asked for nothing");
            int count = (int) Math.min(to - at, vector.bytes());
            scatter(bytes, at, count);
            arrived.run();
            stream.onReceived(count);
            at += count;
            if (!silent) {
                transmit();
            }
        }
    }

    void feed(byte[] bytes) {
        feed(bytes, 0, bytes.length);
    }

    private void scatter(byte[] bytes, int from, int count) {
        int done = 0;
        for (int i = 0; done < count; i++) {
            int chunk = (int) Math.min(count - done, vector.length(i));
            MemorySegment.copy(bytes, from + done, vector.segment(i), ValueLayout.JAVA_BYTE, vector.offset(i), chunk);
            done += chunk;
        }
    }

    /** From now on nothing is sent by {@link #feed}, as if the network took no more. */
    void silence() {
        silent = true;
    }

    /** Collects all that the stream has to send, as its driver does. */
    void transmit() {
        transmit(Long.MAX_VALUE);
    }

    /** Collects at most so many bytes of what the stream has to send, as if the network took no more. */
    void transmit(long most) {
        long left = most;
        while (true) {
            if (stream.isCutDue()) {
                stream.cut();
            } else {
                stream.flushLate();
            }
            IoVector out = stream.pollTransmit();
            if (stream.isCutDue()) {
                continue;
            }
            if (out.size() == 0 || left == 0) {
                return;
            }
            long count = Math.min(left, out.bytes());
            long rest = count;
            for (int i = 0; rest > 0; i++) {
                long chunk = Math.min(rest, out.length(i));
                sent.writeBytes(out.segment(i).asSlice(out.offset(i), chunk).toArray(ValueLayout.JAVA_BYTE));
                rest -= chunk;
            }
            stream.onSent(count);
            left -= count;
        }
    }

    /** The bytes that it has sent. */
    byte[] bytesSent() {
        return sent.toByteArray();
    }

    /** The segments that it has sent. */
    List<Segment> sent() {
        List<Segment> segments = new ArrayList<>();
        MemorySegment all = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(sent.size()).put(sent.toByteArray()).flip());
        for (long at = 0; at < all.byteSize(); at = segments.getLast().end()) {
            segments.add(new Segment(all, at));
        }
        return segments;
    }

    List<Done> completions() {
        List<Done> done = new ArrayList<>();
        ring.poll(completions);
        while (completions.next()) {
            done.add(new Done(completions.id(), completions.status(), completions.opcode(), completions.vendorError(),
                    completions.byteLength(), completions.hasInvalidatedKey(), completions.invalidatedKey()));
        }
        return done;
    }

    /** Asserts that exactly one completion is there: a receive that Immediate Data took. */
    void assertImmediate(long id, CompletionOpcode opcode, long length, long immediate) {
        assertEquals(1, ring.poll(completions));
        assertTrue(completions.next());
        assertEquals(id, completions.id());
        assertEquals(CompletionStatus.SUCCESS, completions.status());
        assertEquals(opcode, completions.opcode());
        assertEquals(length, completions.byteLength());
        assertTrue(completions.hasImmediate64());
        assertEquals(immediate, completions.immediate64());
        assertTrue(completions.hasImmediate());
        assertEquals((int) (immediate >>> 32), completions.immediate());
    }

    /** Ends the stream as its driver does. */
    void end() {
        stream.onEndOfStream();
        transmit();
        stream.flushReceiving();
        stream.onFinished();
        assertEquals(StreamState.CLOSED, stream.state());
    }

    /** Asserts that nothing was written outside of the regions. */
    void assertGuards() {
        long at = 0;
        for (RegisteredMemory region : regions) {
            long start = region.segment().address() - ground.address();
            assertGuard(at, start);
            at = start + region.length();
        }
        assertGuard(at, ground.byteSize());
    }

    private void assertGuard(long from, long to) {
        assertFilled(ground.asSlice(from, to - from));
    }

    /** Asserts that memory still has the guard's value. */
    static void assertFilled(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += FILLED.byteSize()) {
            long length = Math.min(FILLED.byteSize(), memory.byteSize() - at);
            long wrong = memory.asSlice(at, length).mismatch(FILLED.asSlice(0, length));
            if (wrong >= 0) {
                throw new AssertionError("byte " + (at + wrong) + " of " + memory.byteSize() + " was written");
            }
        }
    }
}
