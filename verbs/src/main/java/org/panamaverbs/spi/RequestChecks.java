package org.panamaverbs.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.device.DeviceAttributes;

/**
 * Checks requests before a provider sees them, the same way for every provider. A check allocates nothing unless it fails. A provider
 * checks under its own lock that an object is open and connected, since that changes with time.
 */
// Tested by PostingContract, AtomicContract, RegionScopeContract.
final class RequestChecks {
    private static final int NO_RIGHT = 0;
    private static final int REMOTE = Access.REMOTE_READ.bit() | Access.REMOTE_WRITE.bit() | Access.REMOTE_ATOMIC.bit();

    /**
     * Every device takes receives of so many bytes, also one whose messages are shorter: structs have 32 bits for a length, and some hardware
     * uses 31 of them.
     */
    private static final long RECEIVED_ANYWHERE = Integer.MAX_VALUE;

    private final ProtectionDomain domain;
    private final Device device;
    private final int sendElements;
    private final int receiveElements;
    private final int inlineLength;
    private final long longestMessage;
    private final long longestReceive;
    private final int readRights;
    /** By ordinal: whether the device has what the operation needs. */
    private final boolean[] has;

    /** Checks for queues with these limits: the most elements of a list, and the most bytes of a request with INLINE. */
    RequestChecks(ProtectionDomain domain, int sendElements, int receiveElements, int inlineLength, long longestMessage) {
        this.domain = domain;
        this.device = domain.device();
        this.sendElements = sendElements;
        this.receiveElements = receiveElements;
        this.inlineLength = inlineLength;
        this.longestMessage = longestMessage;
        DeviceAttributes limits = device.attributes();
        this.longestReceive = Math.max(RECEIVED_ANYWHERE, limits.maximumMessageSize());
        // An iWARP device places a Read's answer as it places a Write (RFC 5040, 5.2.1 and 8.1.3).
        this.readRights = SendOperation.READ.rights()
                | (device.supports(Capability.READ_WITHOUT_REMOTE_WRITE) ? NO_RIGHT : Access.REMOTE_WRITE.bit());
        SendOperation[] operations = SendOperation.values();
        this.has = new boolean[operations.length];
        for (SendOperation operation : operations) {
            has[operation.ordinal()] = operation.capability().isEmpty() || device.supports(operation.capability().get());
        }
    }

    /** Checks a send request whose memory is one part. */
    void send(SendOperation operation, MemoryRegion region, long offset, long length, int flags) {
        operation(operation, flags);
        memory(region, offset, length, rights(operation));
        message(length, flags);
    }

    /** Checks a send request whose memory is a list. */
    void send(SendOperation operation, ScatterGatherList list, int flags) {
        operation(operation, flags);
        elements(list, sendElements, rights(operation));
        if (operation == SendOperation.READ && list.size() > 1) {
            require(Capability.READ_SCATTER);
        }
        message(list.totalLength(), flags);
    }

    /** Checks an atomic. */
    void atomic(Capability capability, MemoryRegion region, long offset, long remoteAddress, int flags) {
        require(capability);
        flags("an atomic", flags, SendOperation.Flags.LOCAL);
        memory(region, offset, Long.BYTES, Access.LOCAL_WRITE.bit());
        if (remoteAddress % Long.BYTES != 0) {
            throw new IllegalArgumentException(
                    "the remote address of an atomic is a multiple of 8, not 0x" + Long.toHexString(remoteAddress));
        }
    }

    /** Checks memory if a request of a queue pair tells the peer its key, or opens it to the peer. */
    void scope(MemoryRegion region, QueuePair by) {
        if (!region.isOpenTo(by)) {
            throw new IllegalArgumentException("the region was registered for another queue pair alone: " + by
                    + " cannot read into it, put the result of an atomic into it, or bind a window to it");
        }
    }

    /** Checks an Immediate Data message. */
    void immediate(int flags) {
        require(Capability.IMMEDIATE_MESSAGE);
        flags("an Immediate Data message", flags, SendOperation.Flags.ALL & ~QueuePair.INLINE);
    }

    /** Checks that a key is made invalid. */
    void localInvalidate(int flags) {
        require(Capability.LOCAL_INVALIDATE);
        flags("a local invalidate", flags, SendOperation.Flags.LOCAL);
    }

    /** Checks the binding of a memory window, and the rights of the peer. */
    void bind(MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        require(window.type() == MemoryWindow.Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1 : Capability.MEMORY_WINDOW_TYPE_2);
        flags("a bind", flags, SendOperation.Flags.LOCAL);
        if (window.domain() != domain) {
            throw new IllegalArgumentException("the memory window is not one of the queue pair's protection domain");
        }
        memory(region, offset, length, NO_RIGHT);
        if ((access & ~REMOTE) != 0) {
            throw new IllegalArgumentException("access 0x" + Integer.toHexString(access)
                    + " has other rights than REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC, which a window can give");
        }
        if ((region.access() & Access.BIND_MEMORY_WINDOW.bit()) == 0) {
            throw new IllegalArgumentException("the region was registered without BIND_MEMORY_WINDOW, which binding to it needs");
        }
        if ((access & ~Access.REMOTE_READ.bit()) != 0 && (region.access() & Access.LOCAL_WRITE.bit()) == 0) {
            throw new IllegalArgumentException(
                    "the region was registered without LOCAL_WRITE, which a window with REMOTE_WRITE or REMOTE_ATOMIC needs");
        }
        if ((access & Access.REMOTE_ATOMIC.bit()) != 0) {
            require(Capability.ATOMIC);
        }
        if (length == 0 && window.type() == MemoryWindow.Type.TYPE_2) {
            throw new IllegalArgumentException("a memory window of type 2 cannot be bound to nothing: invalidate its key instead");
        }
    }

    /** Checks a receive whose memory is one part. */
    void receive(MemoryRegion region, long offset, long length) {
        memory(region, offset, length, Access.LOCAL_WRITE.bit());
        receiveLength(length);
    }

    /** Checks a receive whose memory is a list. */
    void receive(ScatterGatherList list) {
        elements(list, receiveElements, Access.LOCAL_WRITE.bit());
        receiveLength(list.totalLength());
    }

    /** Checks a batch of receives. */
    void receives(long[] ids, ScatterGatherList list) {
        if (ids.length < list.size()) {
            throw new IllegalArgumentException("there are " + list.size() + " receives and only " + ids.length + " numbers for them");
        }
        for (int i = 0; i < list.size(); i++) {
            receive(list.region(i), list.offset(i), list.length(i));
        }
    }

    private void operation(SendOperation operation, int flags) {
        if (!has[operation.ordinal()]) {
            throw operation.capability().orElseThrow().missingOn(device);
        }
        if ((flags & ~operation.flags()) != 0) {
            throw wrongFlags("a " + operation, flags, operation.flags());
        }
    }

    private int rights(SendOperation operation) {
        return operation == SendOperation.READ ? readRights : operation.rights();
    }

    private void memory(MemoryRegion region, long offset, long length, int rights) {
        Objects.requireNonNull(region);
        if (region.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue's protection domain");
        }
        Objects.checkFromIndexSize(offset, length, region.length());
        if (!region.isValid()) {
            throw new IllegalStateException("the region, or its arena, is closed, or a peer invalidated it");
        }
        if ((region.access() & rights) != rights) {
            throw new IllegalArgumentException((rights & Access.REMOTE_WRITE.bit()) == 0
                    ? "the region was registered without LOCAL_WRITE, which a receive, a Read or an atomic needs"
                    : "the region was registered without LOCAL_WRITE and REMOTE_WRITE, which a Read on an iWARP device needs");
        }
    }

    private void elements(ScatterGatherList list, int most, int rights) {
        if (list.size() > most) {
            throw new IllegalArgumentException("the list has " + list.size() + " elements; the queue was made for " + most
                    + ": see QueuePairAttributes.withElements");
        }
        for (int i = 0; i < list.size(); i++) {
            memory(list.region(i), list.offset(i), list.length(i), rights);
        }
    }

    private void message(long length, int flags) {
        if (length > longestMessage) {
            throw new IllegalArgumentException("a message has at most " + longestMessage + " bytes, not " + length);
        }
        if ((flags & QueuePair.INLINE) != 0 && length > inlineLength) {
            throw new IllegalArgumentException("a request with INLINE has at most " + inlineLength + " bytes, not " + length
                    + ": see QueuePairAttributes.withInline");
        }
    }

    private void receiveLength(long length) {
        if (length > longestReceive) {
            throw new IllegalArgumentException("a receive has at most " + longestReceive + " bytes on this device, not " + length);
        }
    }

    private void require(Capability capability) {
        if (!device.supports(capability)) {
            throw capability.missingOn(device);
        }
    }

    private static void flags(String request, int flags, int allowed) {
        if ((flags & ~allowed) != 0) {
            throw wrongFlags(request, flags, allowed);
        }
    }

    private static IllegalArgumentException wrongFlags(String request, int flags, int allowed) {
        return new IllegalArgumentException("the flags of the request have " + names(flags & ~allowed) + "; " + request + " can have "
                + names(allowed));
    }

    private static String names(int flags) {
        List<String> names = new ArrayList<>();
        int left = flags;
        for (Flag flag : Flag.values()) {
            if ((left & flag.bit) != 0) {
                names.add(flag.name());
                left &= ~flag.bit;
            }
        }
        if (left != 0) {
            names.add("0x" + Integer.toHexString(left));
        }
        return String.join(", ", names);
    }

    /** The names of the flags, for messages. */
    private enum Flag {
        FENCE(QueuePair.FENCE), SIGNALED(QueuePair.SIGNALED), SOLICITED(QueuePair.SOLICITED), INLINE(QueuePair.INLINE), MORE(
                QueuePair.MORE);

        private final int bit;

        Flag(int bit) {
            this.bit = bit;
        }
    }
}
