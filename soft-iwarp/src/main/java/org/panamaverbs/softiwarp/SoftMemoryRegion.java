package org.panamaverbs.softiwarp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.spi.AbstractMemoryRegion;
import org.panamaverbs.spi.FlightEvents;
import org.panamaverbs.spi.support.ArenaHold;

/** A memory region. */
final class SoftMemoryRegion extends AbstractMemoryRegion {
    private final SoftProtectionDomain owner;
    private final RegisteredMemory memory;
    private final ArenaHold hold;
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftMemoryRegion(SoftProtectionDomain owner, RegisteredMemory memory, RegistrationAttributes attributes, ArenaHold hold) {
        super(owner, memory.segment(), attributes, memory.stag(), memory.stag());
        this.owner = owner;
        this.memory = memory;
        this.hold = hold;
    }

    RegisteredMemory memory() {
        return memory;
    }

    @Override
    public boolean isOpenTo(QueuePair queuePair) {
        return queuePair.domain() == owner && memory.isOpenTo(queuePair);
    }

    @Override
    public boolean isValid() {
        return memory.isLive();
    }

    @Override
    public void close() {
        long begin = FlightEvents.isTimingRegistrations() ? System.nanoTime() : 0;
        owner.device().table().remove(memory);
        if (closed.compareAndSet(false, true)) {
            hold.release();
            if (begin != 0) {
                FlightEvents.onDeregistered(memory.stag(), memory.length(), System.nanoTime() - begin);
            }
        }
        owner.regions().remove(this);
    }
}
