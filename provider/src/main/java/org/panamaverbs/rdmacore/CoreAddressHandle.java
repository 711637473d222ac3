package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.post.HeldHandle;

/**
 * An address handle. The device looks at it when it sends, which may be after the program has closed it: so it is destroyed only when no
 * request names it any more, at the latest when the queue pairs of its domain are closed.
 */
final class CoreAddressHandle implements AddressHandle, HeldHandle {
    private final CoreProtectionDomain domain;
    private final MemorySegment address;
    private final Closing closing = new Closing();
    private volatile boolean closed;
    /** One for the program, and one for each request that names it. */
    private final AtomicInteger holders = new AtomicInteger(1);

    CoreAddressHandle(CoreProtectionDomain domain, MemorySegment address) {
        this.domain = domain;
        this.address = address;
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public boolean hold() {
        if (closed) {
            return false;
        }
        int count;
        do {
            count = holders.get();
        } while (count > 0 && !holders.compareAndSet(count, count + 1));
        return count > 0;
    }

    @Override
    public void release() {
        if (holders.decrementAndGet() == 0) {
            Calls.DESTROY_AH.attempt(address);
        }
    }

    @Override
    public void close() {
        closing.once(() -> closed = true, this::releaseAll);
    }

    private void releaseAll() {
        release();
        // So that it does not stay until the program posts again.
        domain.queuePairs().open().forEach(queuePair -> {
            if (queuePair instanceof CoreDatagramQueuePair datagrams) {
                datagrams.releaseHandles();
            }
        });
        // Last: the domain may go from then on.
        domain.addressHandles().remove(this);
    }

    @Override
    public String toString() {
        return "an address handle of " + domain.device().name();
    }
}
