package org.panamaverbs.spi;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;

/**
 * A request for a send queue as a provider reads it ({@code ibv_send_wr}). {@link AbstractQueuePair} has checked it by then. A provider keeps
 * no reference to it, and calls nothing that changes it: {@link org.panamaverbs.SendRequest} does, when the program describes its next
 * request.
 */
// Tested by RequestContract, PostingContract.
public final class SendWorkRequest extends WorkRequest {
    /** What describes a request besides its operation, its number and its flags. */
    public enum Part {
        /** Memory of this side. */
        LOCAL("local"),
        /** Memory of the peer. */
        REMOTE("remote"),
        /** The 8 bytes of an Immediate Data message, the first one in the highest bits. */
        DATA("data"),
        /** The value that a compare-and-swap compares with. */
        COMPARE("compare"),
        /** The bits that it compares; all if it is not there. */
        COMPARE_MASK("compareMask"),
        /** The value that it stores. */
        SWAP("swap"),
        /** The bits that it stores; all if it is not there. */
        SWAP_MASK("swapMask"),
        /** The number that a fetch-and-add adds. */
        ADD("add"),
        /** The most significant bit of each field; none if it is not there. */
        BOUNDARIES("boundaries"),
        /** The rights that a memory window gives, as bits of {@link AccessFlags}; none if it is not there. */
        ACCESS("access"),
        /** The receiver of a datagram: the number of its queue pair. */
        RECEIVER("to"),
        /** The Q_Key of the receiver. */
        QUEUE_KEY("queueKey");

        private static final int COUNT = values().length;

        /** The method that describes it. */
        private final String method;

        Part(String method) {
            this.method = method;
        }

        int bit() {
            return 1 << ordinal();
        }
    }

    /** Flag: the request starts only after all Reads and atomics that were posted before it. */
    public static final int FENCE = 1;
    /** Flag: the request completes visibly also if it succeeds. */
    public static final int SIGNALED = 1 << 1;
    /** Flag: the message raises a solicited event at the peer. */
    public static final int SOLICITED = 1 << 2;
    /** Flag: the bytes are copied when the request is posted. */
    public static final int INLINE = 1 << 3;

    private SendOperation operation;
    /** The bits of the parts that are there. */
    private int parts;
    private long remoteAddress;
    private long remoteOffset;
    private long remoteLength;
    private int remoteKey;
    private int immediate;
    private final long[] values = new long[Part.COUNT];
    private MemoryWindow window;
    private AddressHandle handle;

    /** Makes one that describes nothing yet. */
    // The request begins with its operation, and a window or a handle is asked for if it is one of the parts.
    @SuppressWarnings("NullAway.Init")
    public SendWorkRequest() {
    }

    /**
     * Begins the next request: nothing of the last one counts any more.
     *
     * @param next   its operation
     * @param number its number
     */
    public void begin(SendOperation next, long number) {
        become(next);
        begin(number);
        parts = 0;
        // Drivers may look at fields that the operation does not have: librxe does at the key of a binding.
        remoteAddress = 0;
        remoteOffset = 0;
        remoteKey = 0;
    }

    /**
     * Changes the operation.
     *
     * @param next the operation
     */
    public void become(SendOperation next) {
        // A reference that is written costs the collector more than one that is read: so for all references here.
        if (operation != next) {
            operation = next;
        }
    }

    /** The message has memory, of no elements so far. */
    public void hasMemory() {
        parts |= Part.LOCAL.bit();
    }

    /**
     * Appends an element.
     *
     * @param region the region
     * @param offset the start of the element; within the region
     * @param length its length
     */
    public void element(MemoryRegion region, long offset, long length) {
        append(region, offset, length);
        hasMemory();
    }

    /**
     * Names memory of the peer.
     *
     * @param address its address
     * @param key     its key
     * @param length  its length
     * @param offset  the start of the request in it; checked when the request is posted, since its length is not known before
     */
    public void remote(long address, int key, long length, long offset) {
        remoteAddress = address;
        remoteKey = key;
        remoteLength = length;
        remoteOffset = offset;
        parts |= Part.REMOTE.bit();
    }

    /**
     * Names a key to invalidate.
     *
     * @param key the key
     */
    public void key(int key) {
        remoteKey = key;
    }

    /**
     * Sets the immediate data.
     *
     * @param bits 32 bits
     */
    public void immediateData(int bits) {
        immediate = bits;
    }

    /**
     * Sets a part that is a number.
     *
     * @param part  the part
     * @param value the number
     */
    public void value(Part part, long value) {
        values[part.ordinal()] = value;
        parts |= part.bit();
    }

    /**
     * Names the window to bind.
     *
     * @param bound the window
     */
    public void window(MemoryWindow bound) {
        if (window != bound) {
            window = bound;
        }
    }

    /**
     * Names the route to a receiver of datagrams.
     *
     * @param route the route
     */
    public void handle(AddressHandle route) {
        if (handle != route) {
            handle = route;
        }
    }

    /**
     * Its operation.
     *
     * @return {@code null} if none was begun, which a provider never sees
     */
    public SendOperation operation() {
        return operation;
    }

    /** {@return the peer's address that a Write, Read or atomic starts at; on iWARP the Tagged Offset; 0 if the operation has none} */
    public long remoteAddress() {
        return remoteAddress + remoteOffset;
    }

    /** {@return the peer's key of a Write, Read or atomic, or the key to invalidate; on iWARP the STag; 0 if the operation has none} */
    public int remoteKey() {
        return remoteKey;
    }

    /** {@return the immediate data of a Send or Write with Immediate; 32 bits, in no byte order} */
    public int immediate() {
        return immediate;
    }

    /**
     * A part that is a number.
     *
     * @param part one that the operation needs
     * @return the number
     */
    public long value(Part part) {
        return values[part.ordinal()];
    }

    /**
     * A part that is a number and may be missing.
     *
     * @param part  one that the operation may have
     * @param usual the number if it is missing
     * @return the number
     */
    public long valueOr(Part part, long usual) {
        return has(part) ? values[part.ordinal()] : usual;
    }

    /**
     * Whether a part is there.
     *
     * @param part the part
     * @return {@code false} if no method has described it
     */
    public boolean has(Part part) {
        return (parts & part.bit()) != 0;
    }

    /** {@return the window to bind; one of the queue pair's domain} */
    public MemoryWindow window() {
        return window;
    }

    /** {@return the route to the receiver of a datagram; one of the queue pair's domain} */
    public AddressHandle handle() {
        return handle;
    }

    /** The parts have to be those that are needed, and others that are possible. */
    final void checkParts(int needed, int possible) {
        if ((needed & ~parts | parts & ~possible) != 0) {
            int missing = needed & ~parts;
            throw new IllegalArgumentException(missing != 0 ? operation + " needs " + methods(missing) + " of the SendRequest"
                    : operation + " has no " + methods(parts & ~possible) + " of a SendRequest");
        }
    }

    private static String methods(int bits) {
        return Arrays.stream(Part.values()).filter(part -> (bits & part.bit()) != 0).map(part -> part.method + "(...)")
                .collect(Collectors.joining(", "));
    }

    /** The request stays within the peer's memory that it names. */
    final void checkRemote() {
        if (remoteOffset < 0 || remoteOffset > remoteLength - totalLength()) {
            throw new IndexOutOfBoundsException(
                    totalLength() + " bytes at offset " + remoteOffset + " are not within the peer's memory of " + remoteLength + " bytes");
        }
    }
}
