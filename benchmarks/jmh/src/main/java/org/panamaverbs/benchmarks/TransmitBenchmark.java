package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
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
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * The cost of making FPDUs of RDMA Writes: {@value #BATCH} are posted with one doorbell, described for one write, sent (the socket takes
 * all at once, and copies nothing), and the completion of the last is polled. Times are those of one Write.
 */
public class TransmitBenchmark extends Measured {
    private static final int BATCH = 16;

    /** Bytes of payload. */
    @Param({ "64", "1024", "4096" })
    public int size;

    /** Whether frames carry a CRC that counts. */
    @Param({ "true", "false" })
    public boolean crc;

    private Arena arena;
    private RegisteredMemory memory;
    private SendQueue requests;
    private Stream stream;
    private CompletionRing ring;
    private Completions completions;
    private boolean inline;
    private long number;

    /** Makes queues and stream. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        StagTable<RegisteredMemory> table = new StagTable<>(new SplittableRandom(1)::nextInt, 16);
        memory = new RegisteredMemory(arena.allocate(size, 4096), this, AccessFlags.LOCAL_WRITE);
        table.add(memory);
        ring = new CompletionRing(64, () -> {
            // Never armed.
        });
        completions = Completions.allocate(16);
        inline = size <= 256;
        requests = new SendQueue(BATCH, 1, size, arena, false, ring, Origin.of(1));
        StreamResources resources = new StreamResources(table, this, this, requests, new ReceiveRing(1, 1, ring, Origin.of(1)),
                new InboundReads(1), new OutboundReads(1));
        stream = new Stream(resources, new StreamOptions(crc, false, Fpdu.MAXIMUM_ULPDU, false, 1), arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        stream.connect(false, ReadyIndication.NONE);
    }

    /** Frees them. */
    @TearDown
    public void release() {
        arena.close();
    }

    /** Short ones are posted INLINE. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long write() {
        for (int i = 1; i <= BATCH; i++) {
            int flags = (i < BATCH ? SendWorkRequest.MORE : SendWorkRequest.SIGNALED) | (inline ? SendWorkRequest.INLINE : 0);
            long sequence = requests.claim(++number);
            requests.describe(sequence, SendQueue.Operation.WRITE, size, memory.base(), 1, flags);
            if (inline) {
                requests.copyInline(sequence, memory.segment(), 0, 0, size);
            } else {
                requests.element(sequence, memory, 0, size);
            }
            requests.publish(sequence);
        }
        while (requests.retired() != requests.posted()) {
            IoVector vector = stream.outbound().poll();
            stream.outbound().onSent(vector.bytes());
        }
        ring.poll(Described.of(completions));
        if (!completions.next() || completions.id() != number || completions.next()) {
            throw new IllegalStateException("request " + number + " did not complete");
        }
        return number;
    }
}
