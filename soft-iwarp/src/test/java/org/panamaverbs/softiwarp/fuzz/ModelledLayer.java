package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** The layer above DDP that {@link SegmentModel} assumes, with guards around its memory. It writes down what is delivered. */
final class ModelledLayer implements UpperLayer {
    private static final int GUARD = 64;
    private static final byte VALUE = 0x5A;

    final List<String> delivered = new ArrayList<>();
    private final MemorySegment ground;
    private final RegisteredMemory region;
    private final RegisteredMemory sink;
    private final RegisteredMemory[] buffers = new RegisteredMemory[SegmentModel.QUEUES];
    private int sunk;

    ModelledLayer(Arena arena) {
        long room = SegmentModel.REGION + SegmentModel.SINK + SegmentModel.QUEUES * (long) SegmentModel.BUFFER;
        ground = arena.allocate(room + GUARD * (3L + SegmentModel.QUEUES), 64);
        long at = guard(0);
        region = memory(at, SegmentModel.REGION, SegmentModel.BASE);
        at = guard(at + SegmentModel.REGION);
        sink = memory(at, SegmentModel.SINK, 0);
        at = guard(at + SegmentModel.SINK);
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = memory(at, SegmentModel.BUFFER, 0);
            at = guard(at + SegmentModel.BUFFER);
        }
    }

    private long guard(long at) {
        ground.asSlice(at, GUARD).fill(VALUE);
        return at + GUARD;
    }

    private RegisteredMemory memory(long at, long length, long base) {
        return new RegisteredMemory(ground.asSlice(at, length), this, 0, base, null);
    }

    byte[] region() {
        return region.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    byte[] sink() {
        return sink.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    /** Nothing was written beside the buffers. */
    void checkGuards() {
        long at = 0;
        for (RegisteredMemory each : new RegisteredMemory[] { region, sink, buffers[0], buffers[1], buffers[2] }) {
            long begin = each.segment().address() - ground.address();
            checkGuard(at, begin);
            at = begin + each.length();
        }
        checkGuard(at, ground.byteSize());
    }

    private void checkGuard(long from, long to) {
        for (long i = from; i < to; i++) {
            if (ground.get(ValueLayout.JAVA_BYTE, i) != VALUE) {
                throw new AssertionError("a byte beside the buffers was written, at " + i);
            }
        }
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        return ulp == SegmentModel.SINK_ULP;
    }

    @Override
    public boolean ownsBuffers(int queue) {
        return queue != 0;
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (length == 0) {
            return TerminateCode.NONE;
        }
        if (ulp == SegmentModel.SINK_ULP) {
            if (!sink.contains(sunk, length)) {
                return TerminateCode.TAGGED_BOUNDS;
            }
            target.wrap(sink, sunk, length);
            return TerminateCode.NONE;
        } else if (stag != SegmentModel.STAG) {
            return TerminateCode.TAGGED_INVALID_STAG;
        } else if (!region.contains(offset - region.base(), length)) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        target.wrap(region, offset - region.base(), length);
        return TerminateCode.NONE;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        target.wrap(buffers[queue], 0, buffers[queue].length());
        return TerminateCode.NONE;
    }

    @Override
    public int onChanged(int ulp) {
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    @Override
    public void onTooLong(int queue) {
        delivered.add("too long " + queue);
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        sunk += ulp == SegmentModel.SINK_ULP ? length : 0;
        delivered.add(SegmentModel.tagged(ulp, last, length));
        return TerminateCode.NONE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        delivered.add(SegmentModel.untagged(queue, ulp, word, buffers[queue].segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)));
        return TerminateCode.NONE;
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        throw new AssertionError("the memory is there");
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        throw new AssertionError("the memory is there");
    }
}
