package org.panamaverbs.spi;

import java.util.Optional;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.QueuePair;

/** The operations of a send queue that move a message, with the rules that {@link RequestChecks} applies to their requests. */
public enum SendOperation {
    /** A Send. */
    SEND(Flags.ALL, 0, null),
    /** A Send with Invalidate; the remote key of the request is the key to invalidate. */
    SEND_WITH_INVALIDATE(Flags.ALL, 0, Capability.SEND_WITH_INVALIDATE),
    /** A Send with 32 bits of immediate data. */
    SEND_WITH_IMMEDIATE(Flags.ALL, 0, Capability.IMMEDIATE_DATA),
    /** An RDMA Write. */
    WRITE(Flags.ALL & ~QueuePair.SOLICITED, 0, null),
    /** An RDMA Write with 32 bits of immediate data. */
    WRITE_WITH_IMMEDIATE(Flags.ALL, 0, Capability.WRITE_WITH_IMMEDIATE),
    /** An RDMA Read. */
    READ(Flags.LOCAL, Access.LOCAL_WRITE.bit(), null);

    private final int flags;
    private final int rights;
    private final Capability capability;

    SendOperation(int flags, int rights, Capability capability) {
        this.flags = flags;
        this.rights = rights;
        this.capability = capability;
    }

    /**
     * The flags that a request can have.
     *
     * @return of {@link QueuePair}
     */
    public int flags() {
        return flags;
    }

    /**
     * The rights that the local memory needs on every device.
     *
     * @return the bits of {@link Access}
     */
    public int rights() {
        return rights;
    }

    /**
     * The capability that a device needs.
     *
     * @return empty if every device has the operation
     */
    public Optional<Capability> capability() {
        return Optional.ofNullable(capability);
    }

    /** Sets of flags. */
    static final class Flags {
        /** Of requests that carry memory of ours to the peer. */
        static final int ALL = QueuePair.FENCE | QueuePair.SIGNALED | QueuePair.SOLICITED | QueuePair.INLINE | QueuePair.MORE;
        /** Of requests that carry none. */
        static final int LOCAL = QueuePair.FENCE | QueuePair.SIGNALED | QueuePair.MORE;

        private Flags() {
        }
    }
}
