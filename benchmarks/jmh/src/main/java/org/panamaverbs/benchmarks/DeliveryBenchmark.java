package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SharedReceiveRing;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Described;

/**
 * The cost of one short message at its receiver, as a program sees it that waits for one message at a time: a frame comes in alone, without
 * a CRC. It is copied once for the socket, and there is no call of the system.
 */
// Tested by BenchmarksTest.
public class DeliveryBenchmark extends Measured {
    private static final int DEPTH = 16;
    private static final int VECTOR_PARTS = 32;

    /** Bytes of payload, at most 64704. */
    @Param("64")
    public int size;

    private final IoVector vector = new IoVector(VECTOR_PARTS);
    private final Completions completions = Completions.allocate(DEPTH);
    private Arena arena;
    private RegisteredMemory memory;
    private CompletionRing ring;
    private ReceiveRing receives;
    private SharedReceiveRing sharedReceives;
    private Stream stream;
    private Stream sharing;
    private MemorySegment write;
    private MemorySegment send;
    private int sequence;

    /** Makes memory, frames and streams. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        StagTable<RegisteredMemory> table = new StagTable<>(new SplittableRandom(1)::nextInt, 16);
        memory = new RegisteredMemory(arena.allocate(size, 4096), this, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        table.add(memory);
        ring = new CompletionRing(DEPTH, () -> {
            // Never armed.
        });
        receives = new ReceiveRing(DEPTH, 1, ring, Origin.of(1));
        sharedReceives = new SharedReceiveRing(DEPTH, 1, () -> {
            // Never armed.
        });
        stream = stream(table, receives);
        sharing = stream(table, sharedReceives.forStream(ring, Origin.of(1)));
        write = frame(Ddp.TAGGED_SIZE);
        Ddp.putTagged(write, Fpdu.LENGTH_SIZE, true, Rdmap.control(Rdmap.WRITE), memory.stag(), memory.base());
        send = frame(Ddp.UNTAGGED_SIZE);
    }

    private MemorySegment frame(int headerSize) {
        MemorySegment frame = arena.allocate(Fpdu.size(headerSize + size), 64);
        Fpdu.length(frame, 0, headerSize + size);
        return frame;
    }

    private Stream stream(StagTable<RegisteredMemory> table, Receives taken) {
        StreamResources resources = new StreamResources(table, this, this, new SendQueue(1, 1, 0, null, false, ring, Origin.of(1)), taken,
                new InboundReads(1), new OutboundReads(1));
        Stream result = new Stream(resources, new StreamOptions(false, false, Fpdu.MAXIMUM_ULPDU, false, 1), arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        result.connect(false, ReadyIndication.NONE);
        return result;
    }

    /** Frees them. */
    @TearDown
    public void release() {
        arena.close();
    }

    /** A Write. */
    @Benchmark
    public long write() {
        receive(stream, write);
        return stream.counters().segmentsReceived();
    }

    /** A Send: a receive is posted, the frame comes, the completion is polled. */
    @Benchmark
    public long send() {
        return send(stream, receives);
    }

    /** A Send into a receive that streams share. */
    @Benchmark
    public long shared() {
        return send(sharing, sharedReceives);
    }

    private long send(Stream into, WorkQueue queue) {
        long slot = queue.claim(++sequence);
        queue.element(slot, memory, 0, size);
        queue.publish(slot);
        Ddp.putUntagged(send, Fpdu.LENGTH_SIZE, true, Rdmap.control(Rdmap.SEND), 0, Rdmap.SEND_QUEUE, sequence, 0);
        receive(into, send);
        ring.poll(Described.of(completions));
        if (!completions.next() || completions.byteLength() != size) {
            throw new IllegalStateException("no completion: " + into.life().reason());
        }
        return completions.id();
    }

    private void receive(Stream into, MemorySegment frame) {
        long done = 0;
        while (done < frame.byteSize()) {
            into.inbound().poll(vector);
            long before = done;
            for (int i = 0; i < vector.size() && done < frame.byteSize(); i++) {
                long part = Math.min(vector.length(i), frame.byteSize() - done);
                MemorySegment.copy(frame, done, vector.segment(i), vector.offset(i), part);
                done += part;
            }
            into.inbound().onReceived(done - before);
        }
    }
}
