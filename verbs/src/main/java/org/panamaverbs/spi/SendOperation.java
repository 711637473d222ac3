package org.panamaverbs.spi;

import static org.panamaverbs.spi.SendWorkRequest.Part.ACCESS;
import static org.panamaverbs.spi.SendWorkRequest.Part.ADD;
import static org.panamaverbs.spi.SendWorkRequest.Part.BOUNDARIES;
import static org.panamaverbs.spi.SendWorkRequest.Part.COMPARE;
import static org.panamaverbs.spi.SendWorkRequest.Part.COMPARE_MASK;
import static org.panamaverbs.spi.SendWorkRequest.Part.DATA;
import static org.panamaverbs.spi.SendWorkRequest.Part.LOCAL;
import static org.panamaverbs.spi.SendWorkRequest.Part.REMOTE;
import static org.panamaverbs.spi.SendWorkRequest.Part.SWAP;
import static org.panamaverbs.spi.SendWorkRequest.Part.SWAP_MASK;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Capability;
import org.panamaverbs.SendRequest;

/** The operations of a send queue, with the rules that {@link AbstractQueuePair} applies to their requests. */
public enum SendOperation {
    /** A Send. */
    SEND("a Send", Flags.ALL, 0, null, 0, LOCAL.bit()),
    /** A Send with Invalidate; the remote key of the request is the key to invalidate. */
    SEND_WITH_INVALIDATE("a Send with Invalidate", Flags.ALL, 0, Capability.SEND_WITH_INVALIDATE, 0, LOCAL.bit()),
    /** A Send with 32 bits of immediate data. */
    SEND_WITH_IMMEDIATE("a Send with immediate data", Flags.ALL, 0, Capability.IMMEDIATE_DATA, 0, LOCAL.bit()),
    /** An RDMA Write. */
    WRITE("a Write", Flags.ALL & ~SendWorkRequest.SOLICITED, 0, null, LOCAL.bit() | REMOTE.bit(), 0),
    /** An RDMA Write with 32 bits of immediate data. */
    WRITE_WITH_IMMEDIATE("a Write with immediate data", Flags.ALL, 0, Capability.WRITE_WITH_IMMEDIATE, REMOTE.bit(), LOCAL.bit()),
    /** An RDMA Read. */
    READ("a Read", Flags.LOCAL, AccessFlags.LOCAL_WRITE, null, LOCAL.bit() | REMOTE.bit(), 0),
    /** An Immediate Data message of 8 bytes. */
    IMMEDIATE_MESSAGE("an Immediate Data message", Flags.ALL & ~SendWorkRequest.INLINE, 0, Capability.IMMEDIATE_MESSAGE, DATA.bit(), 0),
    /** An atomic compare-and-swap. */
    COMPARE_AND_SWAP("a compare-and-swap", Flags.LOCAL, AccessFlags.LOCAL_WRITE, Capability.ATOMIC,
            LOCAL.bit() | REMOTE.bit() | COMPARE.bit() | SWAP.bit(), COMPARE_MASK.bit() | SWAP_MASK.bit()),
    /** An atomic fetch-and-add. */
    FETCH_AND_ADD("a fetch-and-add", Flags.LOCAL, AccessFlags.LOCAL_WRITE, Capability.ATOMIC, LOCAL.bit() | REMOTE.bit() | ADD.bit(),
            BOUNDARIES.bit()),
    /** The binding of a memory window; its capability depends on the window's type. */
    BIND("a bind", Flags.LOCAL, 0, null, LOCAL.bit(), ACCESS.bit()),
    /** The invalidation of a key of this side. */
    LOCAL_INVALIDATE("a local invalidate", Flags.LOCAL, 0, Capability.LOCAL_INVALIDATE, 0, 0);

    private final String text;
    private final int flags;
    private final int rights;
    private final @Nullable Capability capability;
    private final int needed;
    private final int possible;

    SendOperation(String text, int flags, int rights, @Nullable Capability capability, int needed, int optional) {
        this.text = text;
        this.flags = flags;
        this.rights = rights;
        this.capability = capability;
        this.needed = needed;
        this.possible = needed | optional;
    }

    /**
     * The flags that a request can have.
     *
     * @return of {@link SendRequest}
     */
    public int flags() {
        return flags;
    }

    /**
     * The rights that the local memory needs on every device.
     *
     * @return bits of {@link AccessFlags}
     */
    public int rights() {
        return rights;
    }

    /** {@return the capability that a device needs; empty if every device has the operation} */
    public Optional<Capability> capability() {
        return Optional.ofNullable(capability);
    }

    /** Whether a queue pair for datagrams has it. */
    boolean isForDatagrams() {
        return this == SEND || this == SEND_WITH_IMMEDIATE;
    }

    /** Whether a request tells the peer the key of its local memory, or opens it to the peer. */
    boolean opensMemory() {
        return this == READ || this == BIND || this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** The bits of the parts that a request needs. */
    int needed() {
        return needed;
    }

    /** The bits of the parts that a request may have. */
    int possible() {
        return possible;
    }

    @Override
    public String toString() {
        return text;
    }

    /** Sets of flags. */
    private static final class Flags {
        /** Of requests that carry memory of ours to the peer. */
        static final int ALL = SendWorkRequest.FENCE | SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED | SendWorkRequest.INLINE
                | SendWorkRequest.MORE;
        /** Of requests that carry none. */
        static final int LOCAL = SendWorkRequest.FENCE | SendWorkRequest.SIGNALED | SendWorkRequest.MORE;

        private Flags() {
        }
    }
}
