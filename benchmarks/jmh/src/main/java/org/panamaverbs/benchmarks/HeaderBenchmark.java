package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * Headers: writing all fields of one, or reading them all. Each is MPA's length field, DDP's header and RDMAP's control field; a Read
 * Request has its payload of 28 bytes too. Not included: finding the memory that a header names, checks of it, padding and CRC.
 */
public class HeaderBenchmark extends Measured {
    private static final int PAYLOAD = 4096;
    private static final int TAGGED_AT = 0;
    private static final int UNTAGGED_AT = 64;
    private static final int READ_REQUEST_AT = 128;

    private Arena arena;
    private MemorySegment memory;
    /** Changes with every operation, so that no header is the one before. */
    private int number;

    /** Makes the memory, and headers to read. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        memory = arena.allocate(256, 64);
        encodeTagged();
        encodeUntagged();
        encodeReadRequest();
    }

    /** Reads one field back of each. */
    @TearDown
    public void check() {
        boolean sound = Ddp.isTagged(Ddp.control(memory, TAGGED_AT + Fpdu.LENGTH_SIZE))
                && Ddp.queueNumber(memory, UNTAGGED_AT + Fpdu.LENGTH_SIZE) == Rdmap.SEND_QUEUE
                && ReadRequest.length(memory, READ_REQUEST_AT + Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE) == PAYLOAD;
        arena.close();
        if (!sound) {
            throw new IllegalStateException("what was read is not what was written");
        }
    }

    /** The header of a Write's segment: 16 bytes. */
    @Benchmark
    public int encodeTagged() {
        int value = ++number;
        Fpdu.length(memory, TAGGED_AT, Ddp.TAGGED_SIZE + PAYLOAD);
        Ddp.putTagged(memory, TAGGED_AT + Fpdu.LENGTH_SIZE, true, Rdmap.control(Rdmap.WRITE), value, (long) value << 12);
        return value;
    }

    /** The header of a Send's segment: 20 bytes. */
    @Benchmark
    public int encodeUntagged() {
        int value = ++number;
        Fpdu.length(memory, UNTAGGED_AT, Ddp.UNTAGGED_SIZE + PAYLOAD);
        Ddp.putUntagged(memory, UNTAGGED_AT + Fpdu.LENGTH_SIZE, true, Rdmap.control(Rdmap.SEND), 0, Rdmap.SEND_QUEUE, value, 0);
        return value;
    }

    /** A whole Read Request: 48 bytes. */
    @Benchmark
    public int encodeReadRequest() {
        int value = ++number;
        int ddp = READ_REQUEST_AT + Fpdu.LENGTH_SIZE;
        Fpdu.length(memory, READ_REQUEST_AT, Ddp.UNTAGGED_SIZE + ReadRequest.SIZE);
        Ddp.putUntagged(memory, ddp, true, Rdmap.control(Rdmap.READ_REQUEST), 0, Rdmap.READ_REQUEST_QUEUE, value, 0);
        ReadRequest.put(memory, ddp + Ddp.UNTAGGED_SIZE, value, (long) value << 12, PAYLOAD, value, (long) value << 20);
        return value;
    }

    /** The header of a Write's segment. */
    @Benchmark
    public long decodeTagged() {
        int ddp = TAGGED_AT + Fpdu.LENGTH_SIZE;
        return Fpdu.length(memory, TAGGED_AT) ^ control(ddp) ^ Ddp.stag(memory, ddp) ^ Ddp.taggedOffset(memory, ddp);
    }

    /** The header of a Send's segment. */
    @Benchmark
    public long decodeUntagged() {
        return untagged(UNTAGGED_AT);
    }

    /** A whole Read Request. */
    @Benchmark
    public long decodeReadRequest() {
        int request = READ_REQUEST_AT + Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE;
        return untagged(READ_REQUEST_AT) ^ ReadRequest.sinkStag(memory, request) ^ ReadRequest.sinkOffset(memory, request)
                ^ ReadRequest.length(memory, request) ^ ReadRequest.sourceStag(memory, request) ^ ReadRequest.sourceOffset(memory, request);
    }

    private long untagged(int at) {
        int ddp = at + Fpdu.LENGTH_SIZE;
        return Fpdu.length(memory, at) ^ control(ddp) ^ Ddp.ulpWord(memory, ddp) ^ Ddp.queueNumber(memory, ddp)
                ^ Ddp.messageSequence(memory, ddp) ^ Ddp.messageOffset(memory, ddp);
    }

    private int control(int ddp) {
        int control = Ddp.control(memory, ddp);
        int ulp = Ddp.ulp(memory, ddp);
        return Ddp.version(control) << 16 ^ Ddp.size(control) << 8 ^ (Ddp.isLast(control) ? 1 : 0) ^ Rdmap.version(ulp) << 4
                ^ Rdmap.opcode(ulp);
    }
}
