package org.panamaverbs.rdmacore;

import java.util.Objects;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ScatterGatherList;

/** Checks what is posted, before the device knows of it. */
final class RequestChecks {
    static final int NO_RIGHT = 0;
    private static final int REMOTE = Access.REMOTE_READ.bit() | Access.REMOTE_WRITE.bit() | Access.REMOTE_ATOMIC.bit();

    /**
     * Every device takes receives of so many bytes, also one whose messages are shorter: structs have 32 bits for a length, and some hardware
     * uses 31 of them.
     */
    private static final long RECEIVED_ANYWHERE = Integer.MAX_VALUE;

    private final CoreProtectionDomain domain;
    private final long longestReceive;

    RequestChecks(CoreProtectionDomain domain) {
        this.domain = domain;
        this.longestReceive = Math.max(RECEIVED_ANYWHERE, domain.device().attributes().maximumMessageSize());
    }

    /** A part of a region, which needs the rights. */
    CoreMemoryRegion memory(MemoryRegion region, long offset, long length, int rights) {
        Objects.requireNonNull(region);
        if (!(region instanceof CoreMemoryRegion own) || own.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue pair's protection domain");
        }
        Objects.checkFromIndexSize(offset, length, own.length());
        if (!own.isValid()) {
            throw new IllegalStateException("the region, or its arena, is closed, or a peer invalidated it");
        }
        if ((own.access() & rights) != rights) {
            throw new IllegalArgumentException((rights & Access.REMOTE_WRITE.bit()) == 0
                    ? "the region was registered without LOCAL_WRITE, which a receive, a Read or an atomic needs"
                    : "the region was registered without LOCAL_WRITE and REMOTE_WRITE, which a Read on an iWARP device needs");
        }
        return own;
    }

    /** The parts of a list, each of which needs the rights. */
    void list(ScatterGatherList list, int most, int rights) {
        if (list.size() > most) {
            throw new IllegalArgumentException("the list has " + list.size() + " elements; the queue was made for " + most);
        }
        for (int i = 0; i < list.size(); i++) {
            memory(list.region(i), list.offset(i), list.length(i), rights);
        }
    }

    /** The flags of a request that takes only some. */
    static void flags(int flags, int allowed) {
        if ((flags & ~allowed) != 0) {
            throw new IllegalArgumentException("flags 0x" + Integer.toHexString(flags) + " have 0x" + Integer.toHexString(flags & ~allowed)
                    + ", which such a request cannot have");
        }
    }

    /** The part of a region that a window is to open, and the rights of the peer. */
    CoreMemoryRegion window(MemoryWindow window, MemoryRegion region, long offset, long length, int access) {
        if (!(window instanceof CoreMemoryWindow own) || own.domain() != domain) {
            throw new IllegalArgumentException("the memory window is not one of the queue pair's protection domain");
        }
        if (own.isClosed()) {
            throw new IllegalStateException("the memory window is closed");
        }
        CoreMemoryRegion memory = memory(region, offset, length, NO_RIGHT);
        if ((access & ~REMOTE) != 0) {
            throw new IllegalArgumentException("access 0x" + Integer.toHexString(access)
                    + " has other rights than REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC, which a window can give");
        }
        if ((memory.access() & Access.BIND_MEMORY_WINDOW.bit()) == 0) {
            throw new IllegalArgumentException("the region was registered without BIND_MEMORY_WINDOW, which binding to it needs");
        }
        if ((access & ~Access.REMOTE_READ.bit()) != 0 && (memory.access() & Access.LOCAL_WRITE.bit()) == 0) {
            throw new IllegalArgumentException(
                    "the region was registered without LOCAL_WRITE, which a window with REMOTE_WRITE or REMOTE_ATOMIC needs");
        }
        if ((access & Access.REMOTE_ATOMIC.bit()) != 0) {
            domain.device().require(Capability.ATOMIC);
        }
        if (length == 0 && own.type() == MemoryWindow.Type.TYPE_2) {
            throw new IllegalArgumentException("a memory window of type 2 cannot be bound to nothing: invalidate its key instead");
        }
        return memory;
    }

    /** The length of a receive, all parts together. */
    void receive(long length) {
        if (length > longestReceive) {
            throw new IllegalArgumentException("a receive has at most " + longestReceive + " bytes on this device, not " + length);
        }
    }

    /** The length of a message to send. */
    static void message(long length, long most, int flags, QueuePairAttributes attributes) {
        if (length > most) {
            throw new IllegalArgumentException("a message has at most " + most + " bytes, not " + length);
        }
        if ((flags & QueuePair.INLINE) != 0 && length > attributes.inlineLength()) {
            throw new IllegalArgumentException("a request with INLINE has at most " + attributes.inlineLength() + " bytes, not " + length
                    + ": see QueuePairAttributes.withInline");
        }
    }
}
