package org.panamaverbs.ddp.buffers;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.panamaverbs.ddp.BufferAddress;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.softiwarp.memory.Registered;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** A registered buffer: memory, or a sink of the program's own kind. */
public final class Buffer extends Registered implements RegisteredBuffer {
    private final Buffers owner;
    /** {@code null} if it is a sink. */
    private final RegisteredMemory memory;
    /** {@code null} if it is memory. */
    private final DdpBuffer sink;
    private final PlacedBytes listener;
    private final long base;
    private final long length;
    /** Releases the arena of the memory. */
    private final Runnable release;

    Buffer(Buffers owner, MemorySegment segment, PlacedBytes listener, long base, Runnable release) {
        this.owner = owner;
        this.memory = new RegisteredMemory(segment, owner, 0, base, null);
        this.sink = null;
        this.listener = listener;
        this.base = base;
        this.length = segment.byteSize();
        this.release = release;
    }

    Buffer(Buffers owner, DdpBuffer sink, long base) {
        this.owner = owner;
        this.memory = null;
        this.sink = sink;
        this.listener = null;
        this.base = base;
        this.length = sink.size();
        this.release = () -> {
            // A sink has no arena.
        };
    }

    /** The memory, or {@code null} if it is a sink. */
    RegisteredMemory memory() {
        return memory;
    }

    /** The sink, or {@code null} if it is memory. */
    DdpBuffer sink() {
        return sink;
    }

    /** Is told of each placement, or {@code null}. */
    PlacedBytes listener() {
        return listener;
    }

    /** Whether it is one of these buffers. */
    public boolean isOf(Buffers buffers) {
        return owner == buffers;
    }

    /** Whether bytes can be placed: the registration has not ended, and the arena is open. */
    boolean isLive() {
        return memory == null ? !isRetired() : memory.isLive();
    }

    @Override
    public boolean retire() {
        boolean first = super.retire();
        if (memory != null) {
            memory.retire();
        }
        if (first) {
            release.run();
        }
        return first;
    }

    @Override
    public long base() {
        return base;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public BufferAddress address() {
        return new BufferAddress(stag(), base);
    }

    @Override
    public long size() {
        return length;
    }

    @Override
    public Optional<MemorySegment> segment() {
        return memory == null ? Optional.empty() : Optional.of(memory.segment());
    }

    @Override
    public void close() {
        owner.deregister(this);
    }
}
