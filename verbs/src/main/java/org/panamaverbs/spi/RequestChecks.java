package org.panamaverbs.spi;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;

/**
 * Checks requests before a provider sees them, the same way for every provider. A check allocates nothing unless it fails. A provider
 * checks under its own lock that an object is open and connected, since that changes with time.
 */
// Tested by PostingContract, AtomicContract, RegionScopeContract.
final class RequestChecks {
    private static final int NO_RIGHT = 0;
    private static final int MISSING = -1;
    private static final int REMOTE = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;

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
    /** What every request needs besides its operation's parts. */
    private final int receiverParts;
    /** By ordinal: the rights that local memory needs, or {@link #MISSING}; as bytes, since each queue pair has them. */
    private final byte[] rights;

    private RequestChecks(ProtectionDomain domain, int sendElements, int receiveElements, int inlineLength, long longestMessage,
            boolean datagrams) {
        this.domain = domain;
        this.device = domain.device();
        this.sendElements = sendElements;
        this.receiveElements = receiveElements;
        this.inlineLength = inlineLength;
        this.longestMessage = longestMessage;
        this.longestReceive = Math.max(RECEIVED_ANYWHERE, device.attributes().maximumMessageSize());
        this.receiverParts = datagrams ? SendWorkRequest.Part.RECEIVER.bit() | SendWorkRequest.Part.QUEUE_KEY.bit() : 0;
        SendOperation[] operations = SendOperation.values();
        this.rights = new byte[operations.length];
        // An iWARP device places a Read's answer as it places a Write (RFC 5040, 5.2.1 and 8.1.3).
        int ofReads = device.supports(Capability.READ_WITHOUT_REMOTE_WRITE) ? NO_RIGHT : AccessFlags.REMOTE_WRITE;
        for (SendOperation operation : operations) {
            boolean has = operation.capability().isEmpty() || device.supports(operation.capability().get());
            int needed = operation.rights() | (operation == SendOperation.READ ? ofReads : NO_RIGHT);
            rights[operation.ordinal()] = (byte) (has && (!datagrams || operation.isForDatagrams()) ? needed : MISSING);
        }
    }

    /** Checks for a queue pair of a connection. */
    static RequestChecks ofConnection(ProtectionDomain domain, QueuePairAttributes attributes) {
        return new RequestChecks(domain, attributes.sendElements(), attributes.receiveElements(), attributes.inlineLength(),
                domain.device().attributes().maximumMessageSize(), false);
    }

    /** Checks for a queue pair of datagrams of at most so many bytes. */
    static RequestChecks ofDatagrams(ProtectionDomain domain, QueuePairAttributes attributes, long longest) {
        return new RequestChecks(domain, attributes.sendElements(), attributes.receiveElements(), attributes.inlineLength(), longest, true);
    }

    /** Checks for a queue of receives alone. */
    static RequestChecks ofReceives(ProtectionDomain domain, int elements) {
        return new RequestChecks(domain, 0, elements, 0, 0, false);
    }

    /** Checks a request for the send queue of a queue pair, whose connection has so many outbound Reads at most. */
    void send(SendWorkRequest request, QueuePair queuePair, int outboundReads) {
        SendOperation operation = request.operation();
        if (operation == null) {
            throw new IllegalArgumentException("the request has no operation: begin with send(...), write(...), or another one");
        }
        int needed = rights[operation.ordinal()];
        if (needed == MISSING) {
            throw missing(request);
        }
        if ((request.flags() & ~operation.flags()) != 0) {
            throw wrongFlags(operation, request.flags());
        }
        request.checkParts(operation.needed() | receiverParts, operation.possible() | receiverParts);
        if (request.elements() > sendElements) {
            throw tooMany(request.elements(), sendElements);
        }
        for (int i = 0; i < request.elements(); i++) {
            memory(request.region(i), needed);
        }
        message(request.totalLength(), request.flags());
        if (request.has(SendWorkRequest.Part.REMOTE)) {
            request.checkRemote();
        }
        if (operation.opensMemory()) {
            open(request, operation, queuePair, outboundReads);
        } else if (receiverParts != 0 && request.handle().domain() != domain) {
            throw new IllegalArgumentException("the address handle is not one of the queue pair's protection domain");
        }
    }

    /** Checks a request that tells the peer the key of its memory, or opens it to the peer. */
    private void open(SendWorkRequest request, SendOperation operation, QueuePair queuePair, int outboundReads) {
        for (int i = 0; i < request.elements(); i++) {
            if (!request.region(i).isOpenTo(queuePair)) {
                throw new IllegalArgumentException("the region was registered for another queue pair alone: " + queuePair
                        + " cannot read into it, put the result of an atomic into it, or bind a window to it");
            }
        }
        if (operation == SendOperation.BIND) {
            bind(request);
            return;
        }
        if (operation == SendOperation.READ) {
            if (request.elements() > 1) {
                require(Capability.READ_SCATTER);
            }
        } else {
            atomic(request);
        }
        if (outboundReads == 0) {
            throw new IllegalStateException("the connection was negotiated with an ORD of 0: it has neither Reads nor atomics");
        }
    }

    private void atomic(SendWorkRequest request) {
        if (isMasked(request)) {
            require(Capability.MASKED_ATOMIC);
        }
        if (request.elements() != 1 || request.totalLength() != Long.BYTES) {
            throw new IllegalArgumentException("the value before an atomic lands in one element of 8 bytes, not in " + request.elements()
                    + " of " + request.totalLength());
        }
        if (request.remoteAddress() % Long.BYTES != 0) {
            throw new IllegalArgumentException(
                    "the remote address of an atomic is a multiple of 8, not 0x" + Long.toHexString(request.remoteAddress()));
        }
    }

    private void bind(SendWorkRequest request) {
        MemoryWindow window = request.window();
        long access = request.valueOr(SendWorkRequest.Part.ACCESS, 0);
        require(window.type() == MemoryWindow.Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1 : Capability.MEMORY_WINDOW_TYPE_2);
        if (window.domain() != domain) {
            throw new IllegalArgumentException("the memory window is not one of the queue pair's protection domain");
        }
        if (request.elements() != 1) {
            throw new IllegalArgumentException("a window is bound to one element of memory, not to " + request.elements());
        }
        AbstractMemoryRegion region = request.region(0);
        if ((access & ~REMOTE) != 0) {
            throw new IllegalArgumentException("access 0x" + Long.toHexString(access)
                    + " has other rights than REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC, which a window can give");
        }
        if ((region.flags & AccessFlags.BIND_MEMORY_WINDOW) == 0) {
            throw new IllegalArgumentException("the region was registered without BIND_MEMORY_WINDOW, which binding to it needs");
        }
        if ((access & ~AccessFlags.REMOTE_READ) != 0 && (region.flags & AccessFlags.LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException(
                    "the region was registered without LOCAL_WRITE, which a window with REMOTE_WRITE or REMOTE_ATOMIC needs");
        }
        if ((access & AccessFlags.REMOTE_ATOMIC) != 0) {
            require(Capability.ATOMIC);
        }
        if (request.totalLength() == 0 && window.type() == MemoryWindow.Type.TYPE_2) {
            throw new IllegalArgumentException("a memory window of type 2 cannot be bound to nothing: invalidate its key instead");
        }
    }

    private RuntimeException missing(SendWorkRequest request) {
        Capability capability = isMasked(request) ? Capability.MASKED_ATOMIC : request.operation().capability().orElse(null);
        if (capability == null || device.supports(capability)) {
            return new IllegalArgumentException("a queue pair for datagrams sends datagrams only; " + request.operation() + " is none");
        }
        return capability.missingOn(device);
    }

    private static boolean isMasked(SendWorkRequest request) {
        return request.has(SendWorkRequest.Part.COMPARE_MASK) || request.has(SendWorkRequest.Part.SWAP_MASK)
                || request.has(SendWorkRequest.Part.BOUNDARIES);
    }

    /** Checks a receive. */
    void receive(ReceiveWorkRequest request) {
        if (!request.hasBegun()) {
            throw new IllegalArgumentException("the request describes nothing: begin with receive(...)");
        }
        if (request.elements() > receiveElements) {
            throw tooMany(request.elements(), receiveElements);
        }
        for (int i = 0; i < request.elements(); i++) {
            memory(request.region(i), AccessFlags.LOCAL_WRITE);
        }
        if (request.totalLength() > longestReceive) {
            throw new IllegalArgumentException(
                    "a receive has at most " + longestReceive + " bytes on this device, not " + request.totalLength());
        }
    }

    private void memory(AbstractMemoryRegion region, int needed) {
        if (region.domain != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue's protection domain");
        }
        if (!region.isValid()) {
            throw new IllegalStateException("the region, or its arena, is closed, or a peer invalidated it");
        }
        if ((region.flags & needed) != needed) {
            throw new IllegalArgumentException((needed & AccessFlags.REMOTE_WRITE) == 0
                    ? "the region was registered without LOCAL_WRITE, which a receive, a Read or an atomic needs"
                    : "the region was registered without LOCAL_WRITE and REMOTE_WRITE, which a Read on an iWARP device needs");
        }
    }

    private static IllegalArgumentException tooMany(int elements, int most) {
        return new IllegalArgumentException(
                "the request has " + elements + " elements; the queue was made for " + most + ": see QueuePairAttributes.withElements");
    }

    private void message(long length, int flags) {
        if (length > longestMessage) {
            throw new IllegalArgumentException("a message has at most " + longestMessage + " bytes, not " + length);
        }
        if ((flags & SendWorkRequest.INLINE) != 0 && length > inlineLength) {
            throw new IllegalArgumentException(
                    "a request with INLINE has at most " + inlineLength + " bytes, not " + length + ": see QueuePairAttributes.withInline");
        }
    }

    private void require(Capability capability) {
        if (!device.supports(capability)) {
            throw capability.missingOn(device);
        }
    }

    private static IllegalArgumentException wrongFlags(SendOperation operation, int flags) {
        return new IllegalArgumentException("the flags of the request have " + names(flags & ~operation.flags()) + "; " + operation
                + " can have " + names(operation.flags()));
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
        FENCE(SendWorkRequest.FENCE), SIGNALED(SendWorkRequest.SIGNALED), SOLICITED(SendWorkRequest.SOLICITED), INLINE(
                SendWorkRequest.INLINE), MORE(SendWorkRequest.MORE);

        private final int bit;

        Flag(int bit) {
            this.bit = bit;
        }
    }
}
