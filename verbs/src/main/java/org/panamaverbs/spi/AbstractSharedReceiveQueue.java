package org.panamaverbs.spi;

import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.SharedReceiveQueue;

/** A shared receive queue whose requests are checked before the provider sees them, as those of {@link AbstractQueuePair} are. */
public abstract class AbstractSharedReceiveQueue extends AbstractReceives implements SharedReceiveQueue {
    private final ProtectionDomain domain;
    private final int depth;
    private final int elements;

    /**
     * Makes the checks for a shared receive queue.
     *
     * @param domain   the domain that the queue belongs to
     * @param depth    the number of receives that it holds
     * @param elements the most elements of a list
     */
    protected AbstractSharedReceiveQueue(ProtectionDomain domain, int depth, int elements) {
        super(RequestChecks.ofReceives(domain, elements), null);
        this.domain = domain;
        this.depth = depth;
        this.elements = elements;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public final int depth() {
        return depth;
    }

    @Override
    public final int elements() {
        return elements;
    }

    /** Does nothing. A provider whose receives wait for a doorbell overrides it. */
    @Override
    public void ringDoorbell() {
        // No receive waits.
    }
}
