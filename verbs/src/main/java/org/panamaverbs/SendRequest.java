package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * A request for a send queue ({@code ibv_send_wr}), described part by part. A program makes an object once and describes one request after
 * the other in it:
 *
 * <pre>{@code
 * SendRequest request = new SendRequest();
 * queuePair.post(request.write(1).local(region, 0, 4096).remote(memory, 0));
 * queuePair.post(request.fetchAndAdd(2).add(1).local(region, 0, 8).remote(counter, 0).fenced().signaled());
 * }</pre>
 *
 * <p>{@link #send}, {@link #write}, {@link #read}, {@link #immediateMessage}, {@link #compareAndSwap}, {@link #fetchAndAdd}, {@link #bind} and
 * {@link #localInvalidate} begin a request; nothing of the one before counts any more, also if that was never posted, or was refused by an
 * exception. All other methods add parts to the request that was begun, in any order; posting refuses a request that lacks a part. Each
 * request has a number of any 64 bits, which its completion repeats.
 *
 * <p>Posting copies the description, so the object may describe the next request at once, and the same description may be posted again, to
 * the same or to another queue pair. The object belongs to one thread at a time: threads that post at once each have their own. Describing
 * and posting allocate nothing, once the object has had as many elements of memory as it ever gets.
 */
// Tested by RequestContract, PostingContract.
public final class SendRequest {
    /** The request as providers read it. */
    final SendWorkRequest work = new SendWorkRequest();

    /** Makes one that describes nothing yet. */
    public SendRequest() {
        // Nothing to do.
    }

    /**
     * Begins a Send: the message of {@link #local} lands in the peer's next receive. Without {@code local} it has no bytes.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest send(long id) {
        work.begin(SendOperation.SEND, id);
        return this;
    }

    /**
     * Begins an RDMA Write of {@link #local} into {@link #remote}. The peer's program notices nothing, except with {@link #immediate}; then
     * {@code local} may be missing, and no bytes are written.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest write(long id) {
        work.begin(SendOperation.WRITE, id);
        return this;
    }

    /**
     * Begins an RDMA Read of {@link #remote} into {@link #local}, whose region needs {@link Device#readSinkRights()}. More than one element
     * needs {@link Capability#READ_SCATTER}.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest read(long id) {
        work.begin(SendOperation.READ, id);
        return this;
    }

    /**
     * Begins an Immediate Data message (RFC 7306, section 6): the peer's next receive completes with the 8 bytes of {@link #data}, and its
     * memory stays as it is. Needs {@link Capability#IMMEDIATE_MESSAGE}.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest immediateMessage(long id) {
        work.begin(SendOperation.IMMEDIATE_MESSAGE, id);
        return this;
    }

    /**
     * Begins an atomic compare-and-swap of the 8 bytes at {@link #remote}, in the peer's byte order: if they equal {@link #compare}, they become
     * {@link #swap}. The value before lands in {@link #local}, whose region needs {@link Access#LOCAL_WRITE}. Needs {@link Capability#ATOMIC},
     * and with masks (RFC 7306, section 5.1.2) {@link Capability#MASKED_ATOMIC}.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest compareAndSwap(long id) {
        work.begin(SendOperation.COMPARE_AND_SWAP, id);
        return this;
    }

    /**
     * Begins an atomic addition of {@link #add} to the 8 bytes at {@link #remote}, in the peer's byte order. The value before lands in
     * {@link #local}, whose region needs {@link Access#LOCAL_WRITE}. Needs {@link Capability#ATOMIC}, and with {@link #boundaries} (RFC 7306,
     * section 5.1.1) {@link Capability#MASKED_ATOMIC}.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public SendRequest fetchAndAdd(long id) {
        work.begin(SendOperation.FETCH_AND_ADD, id);
        return this;
    }

    /**
     * Begins the binding of a memory window to {@link #local} with the rights of {@link #access}; nothing is sent. Once it has completed, the
     * peer may use that memory with the window's new {@link MemoryWindow#remoteKey()}, which is known as soon as the request is posted. Binding
     * a window of type 1 again replaces the memory, and a length of 0 unbinds the window. A window of type 2 is invalidated before it is bound
     * again.
     *
     * <p>The region needs {@link Access#BIND_MEMORY_WINDOW}, and {@link Access#LOCAL_WRITE} if the peer may write.
     *
     * @param id     a number that the completion repeats
     * @param window a window of the same protection domain
     * @return this
     */
    public SendRequest bind(long id, MemoryWindow window) {
        work.window(Objects.requireNonNull(window));
        work.begin(SendOperation.BIND, id);
        return this;
    }

    /**
     * Begins the end of a key of this side; nothing is sent. It is the key of a memory window of type 2, or of a region if the device has
     * {@link Capability#INVALIDATE_REGION}; the region is closed as ever afterwards. Needs {@link Capability#LOCAL_INVALIDATE}.
     *
     * @param id        a number that the completion repeats
     * @param remoteKey {@link MemoryWindow#remoteKey()} or {@link MemoryRegion#remoteKey()}
     * @return this
     */
    public SendRequest localInvalidate(long id, int remoteKey) {
        work.begin(SendOperation.LOCAL_INVALIDATE, id);
        work.key(remoteKey);
        return this;
    }

    /**
     * Appends memory of this side: the message of a Send or Write, the place for the answer of a Read or an atomic (8 bytes), or the memory
     * that a window opens. A queue pair takes {@link QueuePairAttributes#sendElements()} elements, atomics and windows take one.
     *
     * @param region a region of the queue pair's domain
     * @param offset the start of the memory, in bytes from the start of the region
     * @param length its length in bytes, 0 or more
     * @return this
     * @throws IndexOutOfBoundsException if the memory is not within the region
     */
    public SendRequest local(MemoryRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        work.element(region, offset, length);
        return this;
    }

    /**
     * Appends memory of this side, named by a segment.
     *
     * @param region a region of the queue pair's domain
     * @param part   a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @return this
     * @throws IllegalArgumentException if the part is not within the region's segment
     */
    public SendRequest local(MemoryRegion region, MemorySegment part) {
        work.element(region, region.offsetOf(part), part.byteSize());
        return this;
    }

    /**
     * Appends the elements of a list; the list may change afterwards.
     *
     * @param list memory of this side; without elements the message has no bytes
     * @return this
     */
    public SendRequest local(ScatterGatherList list) {
        work.hasMemory();
        for (int i = 0; i < list.size(); i++) {
            work.element(list.region(i), list.offset(i), list.length(i));
        }
        return this;
    }

    /**
     * Names memory of the peer, from the start of a Write, Read or atomic on. As many bytes follow as {@link #local} has; an atomic starts at a
     * multiple of 8.
     *
     * @param memory the peer's memory
     * @param offset in bytes from its start; posting throws {@link IndexOutOfBoundsException} if the request goes beyond the memory
     * @return this
     */
    public SendRequest remote(RemoteMemory memory, long offset) {
        work.remote(memory.address(), memory.key(), memory.length(), offset);
        return this;
    }

    /**
     * Names memory of the peer, for protocols that say in other ways how long it is.
     *
     * @param address an address that the peer gave (on iWARP a Tagged Offset)
     * @param key     the peer's key (on iWARP the STag)
     * @return this
     */
    public SendRequest remote(long address, int key) {
        work.remote(address, key, Long.MAX_VALUE, 0);
        return this;
    }

    /**
     * Adds immediate data to a Send or a Write: the completion of the peer's next receive carries 32 bits. Needs
     * {@link Capability#IMMEDIATE_DATA}, or for a Write {@link Capability#WRITE_WITH_IMMEDIATE}.
     *
     * @param bits in no byte order: {@link Completions#immediate()} has them
     * @return this
     * @throws IllegalStateException if the request is neither a Send nor a Write, or invalidates a key
     */
    public SendRequest immediate(int bits) {
        work.become(switch (work.operation()) {
            case SEND, SEND_WITH_IMMEDIATE -> SendOperation.SEND_WITH_IMMEDIATE;
            case WRITE, WRITE_WITH_IMMEDIATE -> SendOperation.WRITE_WITH_IMMEDIATE;
            case null, default -> throw new IllegalStateException("only a Send or a Write has immediate data: begin one first");
        });
        work.immediateData(bits);
        return this;
    }

    /**
     * Has a Send invalidate a key of the peer (RFC 5040, section 3.1, Send with Invalidate): that of a memory window of type 2, or of a region if
     * the peer's device has {@link Capability#INVALIDATE_REGION}. Needs {@link Capability#SEND_WITH_INVALIDATE}.
     *
     * @param remoteKey the peer's key
     * @return this
     * @throws IllegalStateException if the request is no Send, or has immediate data
     */
    public SendRequest invalidating(int remoteKey) {
        work.become(switch (work.operation()) {
            case SEND, SEND_WITH_INVALIDATE -> SendOperation.SEND_WITH_INVALIDATE;
            case null, default -> throw new IllegalStateException("only a Send without immediate data invalidates a key: begin one first");
        });
        work.key(remoteKey);
        return this;
    }

    /**
     * The message of an Immediate Data message.
     *
     * @param bytes the 8 bytes, the first one in the highest bits
     * @return this
     */
    public SendRequest data(long bytes) {
        work.value(SendWorkRequest.Part.DATA, bytes);
        return this;
    }

    /**
     * The value that a compare-and-swap compares with.
     *
     * @param expected 8 bytes
     * @return this
     */
    public SendRequest compare(long expected) {
        work.value(SendWorkRequest.Part.COMPARE, expected);
        return this;
    }

    /**
     * The bits that a compare-and-swap compares; all without this.
     *
     * @param bits 1 for each bit that is compared
     * @return this
     */
    public SendRequest compareMask(long bits) {
        work.value(SendWorkRequest.Part.COMPARE_MASK, bits);
        return this;
    }

    /**
     * The value that a compare-and-swap stores.
     *
     * @param replacement 8 bytes
     * @return this
     */
    public SendRequest swap(long replacement) {
        work.value(SendWorkRequest.Part.SWAP, replacement);
        return this;
    }

    /**
     * The bits that a compare-and-swap stores; all without this.
     *
     * @param bits 1 for each bit that is stored
     * @return this
     */
    public SendRequest swapMask(long bits) {
        work.value(SendWorkRequest.Part.SWAP_MASK, bits);
        return this;
    }

    /**
     * The number that a fetch-and-add adds.
     *
     * @param summand modulo 2^64
     * @return this
     */
    public SendRequest add(long summand) {
        work.value(SendWorkRequest.Part.ADD, summand);
        return this;
    }

    /**
     * Splits the numbers of a fetch-and-add into fields, which are added each for itself.
     *
     * @param bits 1 for the most significant bit of each field: no carry leaves it
     * @return this
     */
    public SendRequest boundaries(long bits) {
        work.value(SendWorkRequest.Part.BOUNDARIES, bits);
        return this;
    }

    /**
     * The rights that a window gives; it gives none without this.
     *
     * @param rights of {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ} and {@link Access#REMOTE_ATOMIC}
     * @return this
     */
    public SendRequest access(Set<Access> rights) {
        work.value(SendWorkRequest.Part.ACCESS, AccessFlags.of(rights));
        return this;
    }

    /**
     * As the other, for rights that stand in the program's text. The other allocates nothing.
     *
     * @param rights of {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ} and {@link Access#REMOTE_ATOMIC}
     * @return this
     */
    public SendRequest access(Access... rights) {
        work.value(SendWorkRequest.Part.ACCESS, AccessFlags.of(rights));
        return this;
    }

    /**
     * The receiver of a datagram; only a {@link DatagramQueuePair} takes it, together with {@link #queueKey}.
     *
     * @param route  an address handle of the queue pair's domain
     * @param number the receiver's {@link QueuePair#number()}
     * @return this
     */
    public SendRequest to(AddressHandle route, int number) {
        work.handle(Objects.requireNonNull(route));
        work.value(SendWorkRequest.Part.RECEIVER, number);
        return this;
    }

    /**
     * The Q_Key of the receiver of a datagram.
     *
     * @param key the receiver's {@link DatagramQueuePair#queueKey()}
     * @return this
     */
    public SendRequest queueKey(int key) {
        work.value(SendWorkRequest.Part.QUEUE_KEY, key);
        return this;
    }

    /**
     * The request starts only after all Reads and atomics that were posted before it have completed.
     *
     * @return this
     */
    public SendRequest fenced() {
        work.flag(SendWorkRequest.FENCE);
        return this;
    }

    /**
     * The request completes visibly also if it succeeds.
     *
     * @return this
     */
    public SendRequest signaled() {
        work.flag(SendWorkRequest.SIGNALED);
        return this;
    }

    /**
     * As {@link #signaled()}, or nothing.
     *
     * @param wanted whether the request completes visibly
     * @return this
     */
    public SendRequest signaled(boolean wanted) {
        return wanted ? signaled() : this;
    }

    /**
     * The message raises a solicited event at the peer; for requests that take a receive there.
     *
     * @return this
     */
    public SendRequest solicited() {
        work.flag(SendWorkRequest.SOLICITED);
        return this;
    }

    /**
     * The bytes are copied when the request is posted, and may change at once. For Sends and Writes of at most
     * {@link QueuePairAttributes#inlineLength()} bytes.
     *
     * @return this
     */
    public SendRequest inline() {
        work.flag(SendWorkRequest.INLINE);
        return this;
    }

    /**
     * As {@link #inline()}, or nothing.
     *
     * @param wanted whether its bytes are copied
     * @return this
     */
    public SendRequest inline(boolean wanted) {
        return wanted ? inline() : this;
    }

    /**
     * Another request follows at once: the doorbell waits for it.
     *
     * @return this
     */
    public SendRequest more() {
        work.flag(SendWorkRequest.MORE);
        return this;
    }

    /**
     * As {@link #more()}, or nothing.
     *
     * @param wanted whether another request follows at once
     * @return this
     */
    public SendRequest more(boolean wanted) {
        return wanted ? more() : this;
    }
}
