package org.panamaverbs.softiwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.Access;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SharedReceiveRing;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Described;
import org.panamaverbs.testing.Proofs;

/**
 * Whole short FPDUs whose payload is placed in one step lead to the same as by the steps that all other FPDUs take: random streams, right
 * and wrong, go through a reader with each, cut at the same places.
 */
class OneStepPlacementTest {
    private static final int SEEDS = Proofs.run() ? 400 : 6;
    private static final int LENGTH = 700;
    private static final int DEPTH = 32;
    private static final int RECEIVES = 24;
    private static final int READS = 4;
    private static final long BASE = 0x10_0000;

    @TempDir
    private Path folder;

    /** The layer above, which takes nothing in one step. */
    private static UpperLayer byHeader(Receiver receiver) {
        return (UpperLayer) Proxy.newProxyInstance(UpperLayer.class.getClassLoader(), new Class<?>[] { UpperLayer.class },
                (proxy, method, arguments) -> method.getName().startsWith("place") ? false : method.invoke(receiver, arguments));
    }

    /** Counts what a reader receives. */
    private static final class Counting implements ReceiveCounters {
        private int calls;
        private int placed;
        private int staged;
        private int fpdus;

        @Override
        public void onCall() {
            calls++;
        }

        @Override
        public void onPlaced(int bytes) {
            placed += bytes;
        }

        @Override
        public void onStaged(int bytes) {
            staged += bytes;
        }

        @Override
        public void onFpdu() {
            fpdus++;
        }

        @Override
        public String toString() {
            return calls + " calls, " + placed + " bytes placed, " + staged + " staged, " + fpdus + " FPDUs";
        }
    }

    /** How a stream is set up; both readers of a run have the same. */
    private record Setup(boolean crc, boolean verify, boolean extensions, int receives, int ring, boolean poll, boolean readySend) {
        static Setup random(Random random) {
            return new Setup(random.nextBoolean(), random.nextInt(4) == 0, random.nextInt(4) > 0, random.nextInt(3),
                    random.nextInt(4) == 0 ? 4 : 2 * DEPTH, random.nextInt(4) > 0, random.nextInt(4) == 0);
        }
    }

    /** One reader with memory of all kinds. */
    private final class Side {
        private final Object domain = new Object();
        private final StagTable<RegisteredMemory> table;
        private final List<RegisteredMemory> regions = new ArrayList<>();
        private final CompletionRing ring;
        private final Completions completions = Completions.allocate(2 * DEPTH);
        private final Receives receives;
        private final WorkQueue posted;
        private final Receiver receiver;
        private final FpduReader reader;
        private final Counting counters = new Counting();
        private final IoVector vector = new IoVector(8);
        private final boolean poll;
        private int error = TerminateCode.NONE;
        private int limits;
        private int excess;
        private int next;

        Side(Setup setup, boolean oneStep) throws IOException {
            table = new StagTable<>(() -> next += 0x300, 64);
            Arena arena = Arena.ofAuto();
            poll = setup.poll;
            ring = new CompletionRing(setup.ring, () -> {
                // Never armed.
            });
            add(arena.allocate(LENGTH), domain, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
            add(arena.allocate(LENGTH), domain, Access.REMOTE_READ);
            add(arena.allocate(LENGTH), new Object(), Access.REMOTE_WRITE, Access.LOCAL_WRITE);
            add(arena.allocate(LENGTH), domain, Access.REMOTE_WRITE, Access.LOCAL_WRITE).retire();
            try (Arena closed = Arena.ofShared()) {
                add(closed.allocate(LENGTH), domain, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
            }
            try (FileChannel file = FileChannel.open(folder.resolve(oneStep ? "one" : "many"), StandardOpenOption.CREATE,
                    StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                add(file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena).fill((byte) 0), domain, Access.REMOTE_WRITE,
                        Access.LOCAL_WRITE);
            }
            add(arena.allocate(2 * LENGTH), domain, Access.LOCAL_WRITE);
            add(arena.allocate(LENGTH), domain, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
            if (setup.receives == 0) {
                ReceiveRing own = new ReceiveRing(DEPTH, 2, ring, Origin.of(1));
                posted = own;
                receives = own;
            } else {
                SharedReceiveRing shared = new SharedReceiveRing(DEPTH, 2, setup.receives == 1 ? DEPTH : 12, () -> limits++,
                        queuePair -> excess++);
                shared.armLimit(2);
                posted = shared;
                receives = shared.forStream(ring, Origin.of(1));
            }
            StreamResources resources = new StreamResources(table, domain, this, new SendQueue(1, 1, 0, null, false, ring, Origin.of(1)),
                    receives, new InboundReads(READS), new OutboundReads(1));
            receiver = new Receiver(resources, setup.extensions, arena.allocate(Receiver.CONTROL_SIZE, 8));
            receiver.expectReady();
            if (setup.readySend) {
                receiver.awaitReadySend();
            }
            DdpReceiver ddp = new DdpReceiver(oneStep ? receiver : byHeader(receiver),
                    setup.extensions ? Rdmap.QUEUES : Rdmap.QUEUES_WITHOUT_EXTENSIONS);
            reader = new FpduReader(ddp, setup.crc, setup.verify, counters, arena);
        }

        /** Registers memory; the peer of this stream may invalidate the last of them. */
        private RegisteredMemory add(MemorySegment segment, Object owner, Access... rights) {
            RegisteredMemory memory = new RegisteredMemory(segment, owner, AccessFlags.of(Set.of(rights)), BASE * (1 + regions.size()),
                    this);
            assertTrue(table.add(memory));
            regions.add(memory);
            return memory;
        }

        void post(long id, int region, int... lengths) {
            long sequence = posted.claim(id);
            if (sequence >= 0) {
                long at = 0;
                for (int length : lengths) {
                    posted.element(sequence, regions.get(region), at, length);
                    at += length;
                }
                posted.publish(sequence);
            }
        }

        /** Gives the reader the next bytes that it asks for, at most so many; returns how many: 0 if their memory cannot be used. */
        int feed(byte[] bytes, int from, int most) {
            reader.targets(vector);
            int count = (int) Math.min(Math.min(bytes.length - from, most), vector.bytes());
            assertTrue(count > 0, "asked for nothing");
            if (!arrive(bytes, from, count)) {
                error = reader.onBadMemory();
                return 0;
            }
            error = reader.onReceived(count);
            return count;
        }

        /** Copies bytes to where the reader wants them; {@code false} if that memory can no longer be used. */
        private boolean arrive(byte[] bytes, int from, int count) {
            if (!vector.enter()) {
                return false;
            }
            try {
                return vector.fillRange(0, MemorySegment.ofArray(bytes), from, count) == count;
            } finally {
                vector.exit();
            }
        }

        /** All that can be seen of this side after some bytes. */
        List<String> state() {
            List<String> state = new ArrayList<>();
            state.add("error " + error + " of " + (error == TerminateCode.NONE ? "" : header()) + ", peer's " + receiver.peerError());
            state.add("verified " + reader.hasVerified() + ", boundary " + reader.isAtBoundary() + ", due " + receiver.takeTransmissionDue()
                    + ", " + receiver.bytesReceived() + " bytes of Sends, " + receiver.bytesWritten() + " of Writes");
            state.add(counters.toString());
            state.add(posted.posted() - posted.retired() + " receives, " + receives.completed() + " complete, " + receives.failed()
                    + " failed, limits " + limits + ", excess " + excess + ", overrun " + ring.isOverrun());
            if (poll) {
                ring.poll(Described.of(completions));
                while (completions.next()) {
                    state.add(completions.id() + " " + completions.status() + " " + completions.opcode() + " " + completions.vendorError()
                            + " " + completions.byteLength() + " " + completions.hasInvalidatedKey() + " "
                            + (completions.hasInvalidatedKey() ? completions.invalidatedKey() : 0) + " " + completions.hasImmediate64());
                }
            }
            for (RegisteredMemory each : regions) {
                state.add(each.isRetired() + " "
                        + (each.segment().scope().isAlive() ? Arrays.hashCode(each.segment().toArray(ValueLayout.JAVA_BYTE)) : 0));
            }
            return state;
        }

        private String header() {
            return reader.headerSize() + " bytes of " + reader.ulpduLength() + ": "
                    + Arrays.toString(reader.header().asSlice(0, reader.headerSize()).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    // The peer's bytes.

    /** Makes the FPDUs of a peer that sometimes is wrong. */
    private static final class Peer {
        private final Random random;
        private final boolean crc;
        private final boolean extensions;
        private final int[] sequences = { 1, 1, 1, 1 };
        private final int wrong;
        /** The first part of a message, which goes before the next FPDU. */
        private byte[] pending = {};

        Peer(Random random, Setup setup) {
            this.random = random;
            this.crc = setup.crc;
            this.extensions = setup.extensions;
            this.wrong = random.nextInt(4) == 0 ? 0 : 60;
        }

        /** One time in a few, if this peer is ever wrong. */
        private boolean errs() {
            return wrong > 0 && random.nextInt(wrong) == 0;
        }

        /** What is wrong about RDMAP's version, or 0. */
        private int version() {
            return errs() ? random.nextInt(4) << 6 : 0;
        }

        private int length() {
            return switch (random.nextInt(6)) {
                case 0 -> 0;
                case 1 -> random.nextInt(LENGTH);
                case 2 -> 490 + random.nextInt(30);
                default -> random.nextInt(100);
            };
        }

        private byte[] payload(int length) {
            byte[] payload = new byte[length];
            random.nextBytes(payload);
            return payload;
        }

        private byte[] frame(byte[] ulpdu) {
            byte[] frame = Forge.fpdu(ulpdu, crc);
            if (errs() && random.nextInt(4) == 0) {
                frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
            }
            return frame;
        }

        byte[] next() {
            return frame(switch (random.nextInt(16)) {
                case 0, 1, 2, 3, 4, 5 -> write();
                case 6, 7, 8, 9, 10 -> sequences[0] <= RECEIVES || errs() ? send() : write();
                case 11 -> sequences[0] <= RECEIVES ? parts() : write();
                case 12 -> sequences[0] <= RECEIVES && extensions || errs()
                        ? untagged(Forge.LAST_UNTAGGED, random.nextBoolean() ? Forge.IMMEDIATE : Forge.IMMEDIATE_SOLICITED, 0, payload(8))
                        : write();
                case 13 -> sequences[1] <= READS || errs() ? untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 1,
                        Forge.readRequest(7, 7, random.nextInt(LENGTH), 0x600, 2 * BASE)) : write();
                case 14 -> wrong > 0 && random.nextInt(10) == 0 ? stranger() : write();
                default -> write();
            });
        }

        private byte[] write() {
            int region = errs() ? random.nextInt(9) : random.nextInt(10) == 0 ? 5 : 0;
            int length = length();
            long at = errs() ? random.nextInt(3) == 0 ? -1 - random.nextInt(8) : random.nextInt(LENGTH)
                    : random.nextInt(LENGTH - length + 1);
            int control = (random.nextInt(3) == 0 ? 0x81 : Forge.LAST_TAGGED) | (random.nextInt(8) == 0 ? 0x04 : 0);
            int ulp = (Forge.WRITE | (random.nextInt(8) == 0 ? 0x10 : 0)) ^ version();
            return Forge.tagged(control ^ (errs() ? random.nextInt(4) : 0), ulp, 0x300 * (region + 1),
                    at < 0 ? at : BASE * (region + 1) + at, payload(length));
        }

        private byte[] send() {
            int opcode = Forge.SEND + (random.nextInt(4) == 0 ? random.nextInt(2) * 2 : 0) + (random.nextInt(30) == 0 ? 1 : 0);
            return untagged(Forge.LAST_UNTAGGED | (random.nextInt(8) == 0 ? 0x08 : 0), opcode | (random.nextInt(8) == 0 ? 0x20 : 0), 0,
                    payload(length()));
        }

        private byte[] untagged(int control, int ulp, int queue, byte[] payload) {
            int sequence = errs() ? random.nextInt(4) : sequences[queue]++;
            int word = 0x300 * (errs() ? random.nextInt(9) : 8);
            return Forge.untagged(control ^ (errs() ? random.nextInt(4) : 0), ulp ^ version(), word, errs() ? random.nextInt(6) : queue,
                    sequence, errs() ? random.nextInt(3) : 0, payload);
        }

        /** A Send in two segments; a wrong peer changes the opcode between them. */
        private byte[] parts() {
            byte[] first = payload(random.nextInt(3) == 0 ? 0 : random.nextInt(40));
            byte[] second = payload(random.nextInt(40));
            int sequence = sequences[0]++;
            pending = Forge.fpdu(Forge.untagged(0x01, Forge.SEND, 0, 0, sequence, 0, first), crc);
            return Forge.untagged(Forge.LAST_UNTAGGED, errs() ? Forge.SEND_INVALIDATE : Forge.SEND, 0, 0, sequence,
                    errs() ? 0 : first.length, second);
        }

        private byte[] stranger() {
            return switch (random.nextInt(4)) {
                case 0 -> Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, 0x300, BASE, payload(length()));
                case 1 -> untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 2, payload(random.nextInt(40)));
                case 2 -> payload(2 + random.nextInt(30));
                default -> Forge.tagged(Forge.LAST_TAGGED, random.nextInt(256), 0x300, BASE, payload(8));
            };
        }

        byte[] stream(int fpdus) {
            byte[] all = {};
            for (int i = 0; i < fpdus; i++) {
                byte[] next = next();
                all = Forge.join(all, pending, next);
                pending = new byte[0];
            }
            return all;
        }
    }

    // The runs.

    /** Runs a stream through both; {@code cuts} gives the most bytes of the next read, by its place in the stream. */
    private Side run(Setup setup, byte[] stream, long seed, IntUnaryOperator cuts) throws IOException {
        Side one = new Side(setup, true);
        Side many = new Side(setup, false);
        Random random = new Random(seed);
        for (int i = 0; i < RECEIVES; i++) {
            int region = seed % 4 == 0 && random.nextInt(8) == 0 ? 3 + random.nextInt(2) : 6;
            int[] lengths = { random.nextInt(4) == 0 ? random.nextInt(60) : LENGTH - 60, LENGTH };
            if (random.nextInt(10) == 0) {
                region = 5;
                lengths = new int[] { LENGTH };
            }
            one.post(i, region, lengths);
            many.post(i, region, lengths);
        }
        for (int at = 0; at < stream.length && one.error == TerminateCode.NONE;) {
            int most = cuts.applyAsInt(at);
            int count = one.feed(stream, at, most);
            assertEquals(count, many.feed(stream, at, most), "asked for other numbers of bytes");
            at += count;
            assertEquals(many.state(), one.state(), () -> "seed " + seed + ", " + setup);
        }
        for (int i = 0; i < one.regions.size(); i++) {
            if (one.regions.get(i).segment().scope().isAlive()) {
                assertArrayEquals(many.regions.get(i).segment().toArray(ValueLayout.JAVA_BYTE),
                        one.regions.get(i).segment().toArray(ValueLayout.JAVA_BYTE));
            }
        }
        one.receiver.flush();
        many.receiver.flush();
        assertEquals(many.state(), one.state());
        // None is entered any more: else this waits for ever.
        one.regions.forEach(RegisteredMemory::retire);
        return one;
    }

    @Test
    void shouldLeadToTheSameAsByHeader() throws IOException {
        int staged = 0;
        for (long seed = 1; seed <= 40 * SEEDS; seed++) {
            Random random = new Random(seed);
            Setup setup = Setup.random(random);
            byte[] stream = new Peer(random, setup).stream(40);
            int most = 1 << random.nextInt(15);
            staged += run(setup, stream, seed, at -> 1 + (at * 31 + most) % most).counters.staged;
        }
        assertTrue(staged > 10_000, "hardly anything was placed");
    }

    /** Writes that come together enter their memory once; the Send behind them retires it. */
    @Test
    void shouldInvalidateTheMemoryOfTheWritesBefore() throws IOException {
        Setup setup = new Setup(false, false, true, 0, DEPTH, true, false);
        byte[] write = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 8 * 0x300, 8 * BASE, Forge.payload(64)), false);
        byte[] send = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND_INVALIDATE, 8 * 0x300, 0, 1, 0, Forge.payload(8)), false);
        byte[] run = Forge.join(write, write, write, write);
        Side side = run(setup, Forge.join(run, run, run, send, write), 1, at -> Integer.MAX_VALUE);
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, side.error);
        assertEquals(13, side.counters.fpdus);
        assertTrue(side.counters.calls < 13, "each came alone");
    }

    @Test
    void shouldLeadToTheSameWhereverTheStreamIsCut() throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(-seed);
            Setup setup = Setup.random(random);
            byte[] stream = new Peer(random, setup).stream(4);
            for (int cut = 1; cut < stream.length; cut++) {
                int place = cut;
                run(setup, stream, seed, at -> at < place ? place - at : Integer.MAX_VALUE);
            }
        }
    }
}
