package org.panamaverbs.softiwarp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.spi.support.ArenaHold;

/** A memory region. */
final class SoftMemoryRegion implements MemoryRegion {
    private final SoftProtectionDomain domain;
    private final RegisteredMemory memory;
    private final ArenaHold hold;
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftMemoryRegion(SoftProtectionDomain domain, RegisteredMemory memory, ArenaHold hold) {
        this.domain = domain;
        this.memory = memory;
        this.hold = hold;
    }

    RegisteredMemory memory() {
        return memory;
    }

    @Override
    public SoftProtectionDomain domain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return memory.segment();
    }

    @Override
    public long address() {
        return memory.base();
    }

    @Override
    public long length() {
        return memory.length();
    }

    @Override
    public int localKey() {
        return memory.stag();
    }

    @Override
    public int remoteKey() {
        return memory.stag();
    }

    @Override
    public int access() {
        return memory.access();
    }

    @Override
    public boolean isOpenTo(QueuePair queuePair) {
        return queuePair.domain() == domain && memory.isOpenTo(queuePair);
    }

    @Override
    public boolean isValid() {
        return memory.isLive();
    }

    @Override
    public void close() {
        long begin = Recorder.get().isTimingRegistrations() ? System.nanoTime() : 0;
        domain.device().table().remove(memory);
        if (closed.compareAndSet(false, true)) {
            hold.release();
            if (begin != 0) {
                Recorder.get().onDeregistered(memory.stag(), memory.length(), System.nanoTime() - begin);
            }
        }
        domain.regions().remove(this);
    }
}
