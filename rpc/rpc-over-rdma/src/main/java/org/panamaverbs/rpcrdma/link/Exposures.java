package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.rpcrdma.endpoint.Link.Done;
import org.panamaverbs.rpcrdma.endpoint.Link.Exposure;

/** Memory that a link opens to its peer: each exposure is a region of its own, for one call. */
final class Exposures {
    private final ProtectionDomain domain;
    private final boolean invalidates;
    private final LinkLife life;
    /** Callers whose memory could not be closed. */
    private final List<Done> waiting = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param life        of the link
     * @param invalidates whether the peer may end an exposure by a Send with Invalidate
     */
    Exposures(LinkLife life, ProtectionDomain domain, boolean invalidates) {
        this.life = life;
        this.domain = domain;
        this.invalidates = invalidates;
    }

    /**
     * Opens memory.
     *
     * @param by the queue pair of the peer
     */
    Exposure expose(MemorySegment memory, boolean forWriting, QueuePair by) {
        RegistrationAttributes attributes = forWriting ? RegistrationAttributes.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)
                : RegistrationAttributes.of(Access.REMOTE_READ);
        return new Region(domain.register(memory, invalidates ? attributes.withRemoteInvalidation(by) : attributes), invalidates);
    }

    /** Closes all of them to the peer; returns why one could not be closed, or {@code null}. */
    String revoke(List<Exposure> exposures) {
        String failure = null;
        for (Exposure exposure : exposures) {
            try {
                ((Region) exposure).region.close();
            } catch (VerbsException e) {
                failure = e.getMessage();
            }
        }
        return failure;
    }

    /** Has a caller wait until the link is detached; {@code false} if it is. */
    synchronized boolean awaitDetached(Done done) {
        if (life.state().isDetached()) {
            return false;
        }
        waiting.add(done);
        return true;
    }

    /** The link is detached; returns those that waited for that. */
    synchronized List<Done> detached() {
        List<Done> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    private record Region(MemoryRegion region, boolean canBeInvalidated) implements Exposure {
        @Override
        public int handle() {
            return region.remoteKey();
        }

        @Override
        public long offset() {
            return region.address();
        }
    }
}
