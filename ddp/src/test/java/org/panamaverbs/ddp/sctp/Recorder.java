package org.panamaverbs.ddp.sctp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** A layer above DDP with one tagged buffer and as many untagged ones as are needed; it writes down what is delivered. */
final class Recorder implements UpperLayer {
    static final int STAG = 0x0700;
    static final int QUEUES = 2;

    private final MemorySegment region;
    private final RegisteredMemory registered;
    private final int untaggedSize;
    private final MemorySegment[] buffers = new MemorySegment[QUEUES];
    /** The deliveries, in order. */
    final List<String> delivered = new ArrayList<>();
    /** The ULP byte whose tagged segments have a place that only local state knows; none if -1. */
    int localUlp = -1;

    Recorder(Arena arena, long size, int untaggedSize) {
        this.region = arena.allocate(size);
        this.untaggedSize = untaggedSize;
        this.registered = new RegisteredMemory(region, this, 0, 0, null);
    }

    /** The tagged buffer, whose Tagged Offsets begin at 0. */
    MemorySegment region() {
        return region;
    }

    RegisteredMemory registered() {
        return registered;
    }

    static String tagged(int ulp, boolean last, int length) {
        return "tagged " + ulp + (last ? " last " : " more ") + length;
    }

    static String untagged(int queue, int ulp, int word, byte[] bytes) {
        return "untagged " + queue + " " + ulp + " " + word + " " + bytes.length + " " + Arrays.hashCode(bytes);
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        return ulp == localUlp;
    }

    @Override
    public boolean ownsBuffers(int queue) {
        return true;
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        if (length == 0) {
            return TerminateCode.NONE;
        } else if (stag != STAG) {
            return TerminateCode.TAGGED_INVALID_STAG;
        } else if (offset < 0 || offset > region.byteSize() - length) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        target.wrap(registered, offset, length);
        return TerminateCode.NONE;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        buffers[queue] = MemorySegment.ofArray(new byte[untaggedSize]);
        target.wrap(buffers[queue], 0, untaggedSize);
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
        delivered.add(tagged(ulp, last, length));
        return TerminateCode.NONE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        delivered.add(untagged(queue, ulp, word, buffers[queue].asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)));
        return TerminateCode.NONE;
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        return TerminateCode.TAGGED_INVALID_STAG;
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }
}
