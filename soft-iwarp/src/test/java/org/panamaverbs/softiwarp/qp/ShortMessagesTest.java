package org.panamaverbs.softiwarp.qp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.testing.Proofs;

/**
 * Short Sends and Writes, which DDP sends in one step, beside the same requests in a mapped file, which it cuts into segments like any other
 * message: the bytes, the completions and the counters are the same after each step. Which requests are short: ShortRequestsTest.
 */
class ShortMessagesTest {
    private static final int SIZE = 1 << 16;
    private static final int DEPTH = 16;
    private static final int ORD = 3;
    private static final int INLINE = 512;
    private static final int LONGEST = 3000;
    private static final int STEPS = 80;
    private static final int RUNS = Proofs.run() ? 2000 : 200;
    private static final long BASE = 0x10_0000;
    private static final int RIGHTS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_ATOMIC;
    private static final Operation[] OPERATIONS = { Operation.SEND, Operation.SEND, Operation.WRITE, Operation.WRITE, Operation.SEND,
            Operation.WRITE, Operation.WRITE_IMMEDIATE, Operation.IMMEDIATE, Operation.READ, Operation.FETCH_AND_ADD };

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    /** One of the two. */
    private static final class Side {
        private final boolean inlines;
        private final boolean crc;
        private final StagTable<RegisteredMemory> table = new StagTable<>(() -> 0x100, 1 << 4);
        private final RegisteredMemory memory;
        private final Completions completions = Completions.allocate(4 * DEPTH);
        private final CompletionRing ring = new CompletionRing(4 * DEPTH, () -> {
        });
        private final OutboundReads reads = new OutboundReads(ORD);
        private final InboundReads asked = new InboundReads(4);
        private final SendQueue sends;
        private final Stream stream;
        private final IoVector arriving = new IoVector(16);
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final List<String> done = new ArrayList<>();
        private int requests;
        private int atomics;

        Side(MemorySegment segment, boolean inlines, boolean crc, int mulpdu, ReadyIndication ready) {
            this.inlines = inlines;
            this.crc = crc;
            Arena own = Arena.ofAuto();
            segment.copyFrom(MemorySegment.ofArray(Forge.payload(SIZE)));
            memory = new RegisteredMemory(segment, this, RIGHTS, BASE, null);
            assertTrue(table.add(memory));
            sends = new SendQueue(DEPTH, 2, INLINE, own, false, ring, Origin.of(1));
            stream = new Stream(new StreamResources(table, this, this, sends, new ReceiveRing(1, 1, ring, Origin.of(1)), asked, reads),
                    new StreamOptions(crc, false, mulpdu, false, 2, true), own, new BufferPool(own, FpduWriter.LARGE_BUFFER, 1));
            stream.connect(false, ready);
        }

        void post(long id, Operation operation, long offset, int length, long second, int flags, boolean inline) {
            long sequence = sends.claim(id);
            if (sequence < 0) {
                sends.ringDoorbell();
                return;
            }
            boolean copies = inlines && inline;
            sends.describe(sequence, operation, length, 0x4000 + id, 0x77, flags | (copies ? SendWorkRequest.INLINE : 0));
            sends.operands(sequence, id, 0, 0, 0);
            if (copies) {
                sends.copyInline(sequence, memory.segment(), offset, 0, length);
            } else {
                sends.element(sequence, memory, offset, length - second);
                sends.element(sequence, memory, offset + length - second, second);
            }
            sends.publish(sequence);
        }

        /** As the stream's driver does. */
        void transmit(long most) {
            long left = most;
            while (true) {
                if (stream.outbound().isCutDue()) {
                    stream.outbound().cut();
                }
                IoVector out = stream.outbound().poll();
                if (stream.outbound().isCutDue()) {
                    continue;
                }
                if (out.size() == 0 || left == 0) {
                    break;
                }
                long count = Math.min(left, out.bytes());
                long rest = count;
                for (int i = 0; rest > 0; i++) {
                    long chunk = Math.min(rest, out.length(i));
                    sent.writeBytes(out.segment(i).asSlice(out.offset(i), chunk).toArray(ValueLayout.JAVA_BYTE));
                    rest -= chunk;
                }
                stream.outbound().onSent(count);
                left -= count;
            }
            ring.poll(Described.of(completions));
            while (completions.next()) {
                done.add(completions.id() + " " + completions.status() + " " + completions.opcode() + " " + completions.byteLength());
            }
        }

        /** The peer sends a Read Request, if the IRD allows another. */
        void ask(int length, long address) {
            if (!asked.isFull()) {
                feed(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, ++requests, 0,
                        Forge.readRequest(0x55, 0x3000, length, memory.stag(), address)));
            }
        }

        /** The peer answers the oldest Read or atomic. */
        void answer() {
            if (reads.isEmpty()) {
                return;
            }
            long request = reads.oldest();
            if (sends.operation(request) == Operation.READ) {
                byte[] payload = Forge.payload((int) sends.total(request));
                boolean empty = payload.length == 0;
                feed(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, empty ? 1 : memory.stag(),
                        empty ? 0 : BASE + sends.sinkOffset(request), payload));
            } else {
                feed(Forge.untagged(Forge.LAST_UNTAGGED, Forge.ATOMIC_RESPONSE, 0, 3, ++atomics, 0,
                        Forge.atomicResponse((int) request, 9)));
            }
        }

        private void feed(byte[] ulpdu) {
            byte[] bytes = Forge.fpdu(ulpdu, crc);
            int at = 0;
            while (at < bytes.length && stream.state().receives()) {
                stream.inbound().poll(arriving);
                int count = (int) Math.min(bytes.length - at, arriving.bytes());
                for (int i = 0, end = at + count; at < end; i++) {
                    int chunk = (int) Math.min(end - at, arriving.length(i));
                    MemorySegment.copy(bytes, at, arriving.segment(i), ValueLayout.JAVA_BYTE, arriving.offset(i), chunk);
                    at += chunk;
                }
                stream.inbound().onReceived(count);
            }
        }
    }

    private MemorySegment mapped() throws IOException {
        try (FileChannel file = FileChannel.open(folder.resolve("memory"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            return file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
        }
    }

    @ParameterizedTest
    @CsvSource({ "false, 64768, NONE", "true, 64768, WRITE", "false, 128, SEND", "false, 1460, NONE" })
    void shouldBeSentAsAnyOther(boolean crc, int mulpdu, ReadyIndication ready) throws IOException {
        MemorySegment own = arena.allocate(SIZE, 8);
        MemorySegment file = mapped();
        for (int run = 0; run < RUNS; run++) {
            SplittableRandom random = new SplittableRandom(run);
            // Inline requests outlive their memory.
            boolean retires = run % 3 == 0;
            Side[] sides = { new Side(own, !retires, crc, mulpdu, ready), new Side(file, false, crc, mulpdu, ready) };
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 10 && retires) {
                    for (Side side : sides) {
                        assertTrue(side.table.remove(side.memory));
                    }
                }
                step(random, step, sides);
                compare(sides, "run " + run + ", step " + step);
            }
            for (Side side : sides) {
                side.transmit(Long.MAX_VALUE);
            }
            compare(sides, "run " + run);
            assertArrayEquals(sides[1].sent.toByteArray(), sides[0].sent.toByteArray(), "run " + run);
        }
    }

    private static void step(SplittableRandom random, int step, Side[] sides) {
        Operation operation = OPERATIONS[random.nextInt(OPERATIONS.length)];
        boolean carries = operation == Operation.SEND || operation == Operation.WRITE || operation == Operation.WRITE_IMMEDIATE;
        int length = switch (operation) {
            case IMMEDIATE -> 0;
            case FETCH_AND_ADD -> 8;
            default -> random.nextInt(8) == 0 ? 0 : random.nextInt(4) == 0 ? random.nextInt(LONGEST) : random.nextInt(600);
        };
        long second = carries && random.nextInt(6) == 0 ? length / 2 : 0;
        // Inline requests keep the bytes that they were posted with: so nothing changes those that others send.
        long offset = random.nextInt(SIZE / 2 - LONGEST) + (operation.isAnswered() ? SIZE / 2 : 0);
        int flags = random.nextInt(2) * SendWorkRequest.SIGNALED | (random.nextInt(3) == 0 ? SendWorkRequest.MORE : 0)
                | (random.nextInt(8) == 0 ? SendWorkRequest.FENCE : 0);
        if (operation == Operation.SEND) {
            flags |= random.nextInt(2) * SendWorkRequest.SOLICITED | random.nextInt(2) * SendQueue.INVALIDATE;
        }
        boolean inline = length <= INLINE && (operation == Operation.SEND || operation == Operation.WRITE) && random.nextInt(3) == 0;
        int action = random.nextInt(8);
        long most = random.nextInt(4) == 0 ? random.nextInt(200) : Long.MAX_VALUE;
        for (Side side : sides) {
            switch (action) {
                case 0 -> side.ask(length, BASE + offset);
                case 1 -> side.answer();
                case 2, 3 -> side.transmit(most);
                default -> side.post(step, operation, offset, length, second, flags, inline);
            }
        }
    }

    private static void compare(Side[] sides, String when) {
        Counters first = sides[0].stream.counters();
        Counters second = sides[1].stream.counters();
        assertEquals(sides[1].done, sides[0].done, when);
        assertEquals(sides[1].sent.size(), sides[0].sent.size(), when);
        assertEquals(sides[1].stream.state(), sides[0].stream.state(), when);
        assertEquals(second.segmentsSent(), first.segmentsSent(), when);
        assertEquals(second.bytesSent(), first.bytesSent(), when);
        assertEquals(second.bytesReadByPeer(), first.bytesReadByPeer(), when);
    }
}
