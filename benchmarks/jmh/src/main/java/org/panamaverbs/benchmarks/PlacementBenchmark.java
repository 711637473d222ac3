package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.Crc32cViews;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.qp.Counters;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.rdmap.Receiver;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;

/**
 * The cost of getting one FPDU of an RDMA Write, a tagged DDP segment, out of a socket and its payload to its place. The socket is
 * {@link ArrivedFrames}: it costs one copy, as a socket does, and no call of the system. All ways include that copy, reading the header,
 * RDMAP's and DDP's checks, finding the memory by its STag, entering and exiting it, and, with {@link #crc}, one CRC-32C of the frame.
 */
// Tested by BenchmarksTest.
public class PlacementBenchmark extends Measured {
    private static final int VECTOR_PARTS = 32;

    /** Bytes of payload; the last is the most that the stack puts into a frame. */
    @Param({ "64", "256", "1024", "4096", "16384", "64704" })
    public int size;

    /** Whether frames carry a CRC that counts. */
    @Param({ "true", "false" })
    public boolean crc;

    private final CRC32C sum = new CRC32C();
    private final IoVector vector = new IoVector(VECTOR_PARTS);
    private Arena arena;
    private RegisteredMemory memory;
    private ArrivedFrames frames;
    private Stream placing;
    private Stream verifying;

    private DdpReceiver placement;
    private MemorySegment stage;
    private Crc32cViews stageViews;
    private ByteBuffer stageBuffer;
    private byte[] heap;

    /** How many frames have been placed; per trial one benchmark runs. */
    private long placed;
    private long copiedToHeap;

    /** Makes memory, frames and streams. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        StagTable<RegisteredMemory> table = new StagTable<>(new SplittableRandom(1)::nextInt, 16);
        memory = new RegisteredMemory(arena.allocate(ArrivedFrames.memoryFor(size), 4096), this,
                AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        table.add(memory);
        frames = new ArrivedFrames(arena, memory, size, crc);
        placing = stream(table, false);
        verifying = stream(table, true);
        placement = new DdpReceiver(new Receiver(resources(table), true, arena.allocate(Receiver.CONTROL_SIZE, 8)), Rdmap.QUEUES);
        stage = arena.allocate(frames.frameSize(), 64);
        stageViews = new Crc32cViews(stage);
        stageBuffer = stage.asByteBuffer();
        heap = new byte[Math.toIntExact(memory.length())];
    }

    private Stream stream(StagTable<RegisteredMemory> table, boolean verifyBeforePlace) {
        Stream stream = new Stream(resources(table), new StreamOptions(crc, false, Fpdu.MAXIMUM_ULPDU, verifyBeforePlace, 1), arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        stream.connect(false, ReadyIndication.NONE);
        return stream;
    }

    private StreamResources resources(StagTable<RegisteredMemory> table) {
        CompletionRing ring = new CompletionRing(2, () -> {
            // Never armed.
        });
        return new StreamResources(table, this, this, new SendQueue(1, 1, 0, null, false, ring, Origin.of(1)),
                new ReceiveRing(1, 1, ring, Origin.of(1)), new InboundReads(1), new OutboundReads(1));
    }

    /** Checks that all payload is in its place, and took the path that the benchmark's name says. */
    @TearDown
    public void check() {
        // The last frame may be under way.
        frames.check(placed - 1, memory.segment());
        frames.check(copiedToHeap, MemorySegment.ofArray(heap));
        Counters counters = placing.counters();
        boolean tooMuchStaged = counters.bytesStaged() * 20 > counters.bytesPlacedDirectly();
        arena.close();
        if (size >= 4096 && counters.bytesReceived() > 64L * size && tooMuchStaged) {
            throw new IllegalStateException(
                    "only " + counters.bytesPlacedDirectly() + " of " + counters.bytesReceived() + " bytes were placed directly");
        }
    }

    /**
     * Placed directly, as the stack does it by itself: {@link Stream} says where the bytes go, they are copied there, the checksum runs
     * over them in place. From 4096 bytes on all but a few bytes of payload are copied once, by the socket. Shorter ones the stack
     * prefers to read many at a time into its stage, and copies them from there: a call of the system saved is worth more, which does not
     * show here.
     */
    @Benchmark
    public long direct() {
        return receive(placing);
    }

    /**
     * As the stack does it with {@code panamaverbs.softiwarp.verify-before-place}: staged, the checksum compared, then copied to its
     * place.
     */
    @Benchmark
    public long verified() {
        return receive(verifying);
    }

    /**
     * Goes on until one more frame has begun: if a read brings many, most operations find theirs there already, and the average is one
     * frame each.
     */
    private long receive(Stream stream) {
        placed++;
        while (stream.counters().segmentsReceived() < placed) {
            stream.inbound().poll(vector);
            if (!vector.enter()) {
                throw new IllegalStateException("the memory is retired");
            }
            frames.read(vector);
            vector.exit();
            stream.inbound().onReceived(vector.bytes());
            if (stream.state() != StreamState.RTS) {
                throw new IllegalStateException("terminated: " + stream.life().reason());
            }
        }
        return placed;
    }

    /**
     * Staged, then copied, as a stack without direct placement does it: the frame into a buffer, the checksum there, the payload from
     * there into the registered segment. A frame is read at a time, whole, and nothing is kept between two reads, which favours this over
     * {@link #direct}.
     */
    @Benchmark
    public long staged() {
        int start = stageNext();
        require(placement.target().put(stage, start, size));
        deliver();
        return ++placed;
    }

    /**
     * Staged, then copied to the Java heap, as a library of {@code byte[]}s does it: the frame into a direct {@link ByteBuffer}, the
     * checksum there, the payload from there into an array. Otherwise as {@link #staged}. The array is made once: a library that makes
     * one for each message allocates it, and clears it, in addition.
     */
    @Benchmark
    public long heap() {
        int start = stageNext();
        long tagged = Ddp.taggedOffset(stage, Fpdu.LENGTH_SIZE);
        stageBuffer.get(start, heap, (int) (tagged - memory.base()), size);
        deliver();
        return ++copiedToHeap;
    }

    /** Reads a frame into the stage and checks it; returns where its payload starts. */
    private int stageNext() {
        frames.read(stage, 0, frames.frameSize());
        int ulpdu = Fpdu.length(stage, 0);
        int headerSize = Ddp.size(Ddp.control(stage, Fpdu.LENGTH_SIZE));
        require(placement.onHeader(stage, Fpdu.LENGTH_SIZE, ulpdu - headerSize) == TerminateCode.NONE);
        if (crc) {
            int covered = Fpdu.LENGTH_SIZE + ulpdu + Fpdu.pad(ulpdu);
            sum.reset();
            stageViews.update(sum, 0, covered);
            require((int) sum.getValue() == Fpdu.crc(stage, covered));
        }
        return Fpdu.LENGTH_SIZE + headerSize;
    }

    private void deliver() {
        require(placement.onVerified() == TerminateCode.NONE);
    }

    private static void require(boolean sound) {
        if (!sound) {
            throw new IllegalStateException("a frame of our own is not sound");
        }
    }
}
