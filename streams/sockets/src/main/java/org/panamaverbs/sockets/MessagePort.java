package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.sockets.protocol.Target;

/**
 * Sends and receives the messages of one stream by its queue pair: as immediate data of Writes, or on iWARP as Sends of 4 bytes that follow
 * a Write, or that carry the bytes. A stream's first block has a place for each receive, for what is sent inline, and for the table of targets.
 * Receives of messages that carry bytes are in a block of their own, once the peer has used each receive.
 */
// Tested by FlushTest, VerbsSocketTest.
final class MessagePort {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** How many requests the send queue holds. */
    static final int SENDS = 64;
    /** How many messages can wait to be taken: those with data, which have credits, and control messages. */
    static final int RECEIVES = 64;
    /** How many messages with data the peer can send. */
    static final int CREDITS = 48;
    /** Up to so many bytes are sent inline: they need no memory of their own until they have gone. */
    static final int INLINE = 64;
    /** How many parts of memory a Write has at most: copied bytes, and bytes of the program. */
    static final int ELEMENTS = 2;
    /** The size of a block for receives of messages that carry bytes, if there is memory. */
    static final int PLACES = RECEIVES * 1024;

    // The first block.
    /** The offset of the table of targets in the first block. */
    static final int TABLE = 0;
    private static final int ENTRY = StreamCore.TABLE_LENGTH;
    private static final int MESSAGE = ENTRY + Target.LENGTH;
    /** The offset of the bytes that are sent inline, in the first block. */
    static final int BYTES = 64;
    private static final int RECEIVED = BYTES + INLINE;
    /**
     * The offset of the rest of the block, which is the first target of the peer: 3 KiB. So no target's end splits a message of a kibibyte,
     * which careless programs take to arrive at once.
     */
    static final int REST = 1024;

    /** The last so many requests of the send queue are for control messages. */
    private static final int KEPT = 20;
    /** After so many requests a message completes visibly, so that the send queue gets its room back. */
    private static final int SIGNALED = 16;

    private final QueuePair queuePair;
    private final boolean bySends;
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final SendRequest request = new SendRequest();
    /** Memory of the next Write, in order, before the last part. */
    private final ScatterGatherList parts = new ScatterGatherList(ELEMENTS - 1);
    private final ReceiveRequest receive = new ReceiveRequest();
    /** Of messages that are sent, and of entries in the peer's memory. */
    private boolean peerIsBigEndian;
    /** The last part; {@code null} if nothing is gathered. */
    private @Nullable MemoryRegion part;
    private long partOffset;
    private int partLength;
    /** The ID of the last request that has data or an end: messages behind it repeat it. */
    private long lastId;
    private int unsignaled;
    private boolean doorbellDue;

    /** Places of receives for messages that carry bytes, {@code null} at first; how long each is; */
    private @Nullable MemoryRegion places;
    private int placeLength;
    /** and how many messages still come to receives that were posted before. */
    private int before = RECEIVES;
    // Of the last message that was taken.
    private int message;
    private int limit;

    /** Posts all receives. */
    MessagePort(QueuePair queuePair, boolean bySends, MemoryRegion region) {
        this.queuePair = queuePair;
        this.bySends = bySends;
        this.region = region;
        memory = region.segment();
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
    }

    QueuePair queuePair() {
        return queuePair;
    }

    void connected(boolean peerIsBigEndian) {
        this.peerIsBigEndian = peerIsBigEndian;
    }

    /** Posts a receive, whose last message is not needed any more. */
    void postReceive(int place) {
        if (places != null) {
            receive.receive(place).local(places, (long) place * placeLength, placeLength);
        } else {
            receive.receive(place).local(region, bySends ? RECEIVED + (long) place * Message.LENGTH : 0, bySends ? Message.LENGTH : 0);
        }
        queuePair.post(receive);
    }

    /**
     * Takes the message of a receive that succeeded, and posts the receive again if the message carries nothing.
     *
     * @return how many bytes it carries
     * @throws StreamProtocolException if there is no message
     */
    int take(Completions completion) throws StreamProtocolException {
        int place = (int) completion.id();
        if (!bySends) {
            if (!completion.hasImmediate()) {
                throw new StreamProtocolException("a message without immediate data");
            }
            message = completion.immediate();
        } else {
            long length = completion.byteLength();
            boolean carries = length > Message.HEADER;
            if (length != Message.LENGTH && !carries) {
                throw new StreamProtocolException("a message of " + length + " bytes, not " + Message.LENGTH);
            }
            // Receives are used in the order in which they were posted.
            boolean first = places == null || before > 0;
            MemorySegment from = first ? memory : places();
            long offset = first ? RECEIVED + (long) place * Message.LENGTH : (long) place * placeLength;
            message = ordered(from.get(INT, offset));
            if (carries) {
                limit = ordered(from.get(INT, offset + Message.LENGTH));
                return (int) length - Message.HEADER;
            }
        }
        before -= before > 0 ? 1 : 0;
        postReceive(place);
        return 0;
    }

    /** {@return the message that was taken last} */
    int message() {
        return message;
    }

    /** {@return the limit of messages with data that it carried with its bytes} */
    int limit() {
        return limit;
    }

    /** {@return whether the peer has used each receive: those that it uses again may have memory for more than a message} */
    boolean wantsPlaces() {
        return places == null && before == 0;
    }

    /** Receives get memory for messages that carry bytes, from the next one on; or, without memory, later. */
    void usePlaces(@Nullable MemoryRegion source) {
        before = RECEIVES;
        if (source != null) {
            places = source;
            placeLength = (int) (source.length() / RECEIVES);
        }
    }

    /** {@return how many bytes a message may carry; 0 as long as one may come to a receive that was posted before} */
    int carried() {
        return places == null || before > 0 ? 0 : placeLength - Message.HEADER;
    }

    /** {@return memory of the receives of messages that carry bytes} */
    MemorySegment places() {
        return Objects.requireNonNull(places).segment();
    }

    /** {@return where the bytes begin that the message of a receive carries, in {@link #places}} */
    long begin(int place) {
        return (long) place * placeLength + Message.HEADER;
    }

    /** {@return whether the send queue has room for a message with data} */
    boolean hasRoom() {
        return queuePair.sendRoom() >= KEPT;
    }

    /** {@return whether all that was posted is done} A device may report the last ones with a later one only. */
    boolean isIdle() {
        return queuePair.sendRoom() == queuePair.attributes().sendDepth();
    }

    /** {@return whether the send queue has room for a control message, besides the data that are gathered} */
    boolean hasControlRoom() {
        return queuePair.sendRoom() >= (part == null ? 2 : 4);
    }

    /**
     * Throws if a region cannot be gathered.
     *
     * @throws IllegalArgumentException if it is of another domain
     * @throws IllegalStateException    if it is closed
     */
    void check(MemoryRegion source) {
        if (source.domain() != queuePair.domain()) {
            throw new IllegalArgumentException("the region is not of the stream's domain");
        }
        if (!source.isValid()) {
            throw new IllegalStateException("the region is closed");
        }
    }

    /**
     * Gathers bytes for the next Write.
     *
     * @return {@code false} if they do not lie behind the last ones, and it cannot have a further part: it must be posted first
     */
    boolean gather(MemoryRegion source, long offset, int length) {
        if (part == source && partOffset + partLength == offset) {
            partLength += length;
            return true;
        }
        if (part != null) {
            if (parts.size() == ELEMENTS - 1) {
                return false;
            }
            parts.add(part, partOffset, partLength);
        }
        part = source;
        partOffset = offset;
        partLength = length;
        return true;
    }

    /**
     * Sends a message that carries the gathered bytes. They are in one part, with room for its header before them.
     *
     * @param inline   copies it, {@value #INLINE} bytes at most
     * @param carrying the message
     * @param credits  the limit of messages with data of the peer
     * @param id       as for {@link #post}
     */
    void postCarrying(boolean inline, int carrying, int credits, long id, boolean signaled) {
        MemoryRegion carried = part();
        MemorySegment header = carried.segment();
        long begin = partOffset - Message.HEADER;
        header.set(INT, begin, ordered(carrying));
        header.set(INT, begin + Message.LENGTH, ordered(credits));
        request.send(id).local(carried, begin, Message.HEADER + partLength).more();
        SendRequest send = inline ? request.inline() : request;
        queuePair.post(isSignaled(signaled) ? send.signaled() : send);
        doorbellDue = true;
        lastId = id;
        clear();
    }

    private MemoryRegion part() {
        return Objects.requireNonNull(part);
    }

    private SendRequest gathered(long address, int key, long id) {
        return request.write(id).local(parts).local(part(), partOffset, partLength).remote(address, key);
    }

    private void clear() {
        parts.clear();
        part = null;
    }

    /** Writes the gathered bytes to the peer. A message about them follows behind others. */
    void postGathered(long address, int key, long id) {
        queuePair.post(gathered(address, key, id).more());
        doorbellDue = true;
        unsignaled++;
        clear();
    }

    /**
     * Writes the gathered bytes to the peer, and a message behind them.
     *
     * @param inline   copies the bytes, {@value #INLINE} at most
     * @param id       what the completion repeats, and those of messages without data after it
     * @param signaled whether it must complete visibly
     */
    void post(boolean inline, long address, int key, int message, long id, boolean signaled) {
        SendRequest write = gathered(address, key, id);
        post(inline ? write.inline() : write, message, id, signaled);
        lastId = id;
        clear();
    }

    /** Writes an entry of the peer's table of targets, and a message behind it. */
    void postEntry(long target, int targetKey, int targetLength, long address, int key, int message) {
        memory.set(LONG, ENTRY, peerIsBigEndian ? Long.reverseBytes(target) : target);
        memory.set(INT, ENTRY + Target.KEY, ordered(targetKey));
        memory.set(INT, ENTRY + Target.SIZE, ordered(targetLength));
        post(request.write(lastId).local(region, ENTRY, Target.LENGTH).remote(address, key).inline(), message, lastId, false);
    }

    /**
     * Sends a message alone.
     *
     * @param address any address of the peer, as {@code key} is of it: a Write without bytes needs one
     */
    void postMessage(long address, int key, int message) {
        postAlone(address, key, message, false);
    }

    /** Sends the message that ends something, as {@link #postMessage}. Its completion is visible, and has an ID of its own. */
    void postEnd(long address, int key, int message, long id) {
        lastId = id;
        postAlone(address, key, message, true);
    }

    private void postAlone(long address, int key, int message, boolean signaled) {
        if (bySends) {
            postSend(message, lastId, isSignaled(signaled));
        } else {
            post(request.write(lastId).remote(address, key), message, lastId, signaled);
        }
    }

    private void post(SendRequest write, int message, long id, boolean signaled) {
        if (bySends) {
            queuePair.post(write.more());
            unsignaled++;
            postSend(message, id, isSignaled(signaled));
        } else {
            write.immediate(message).more();
            queuePair.post(isSignaled(signaled) ? write.signaled() : write);
            doorbellDue = true;
        }
    }

    /** A value in the order of the peer's bytes. A layout with the peer's order would cost an object, and a search, for each message. */
    private int ordered(int value) {
        return peerIsBigEndian ? Integer.reverseBytes(value) : value;
    }

    private void postSend(int message, long id, boolean visible) {
        doorbellDue = true;
        memory.set(INT, MESSAGE, ordered(message));
        request.send(id).local(region, MESSAGE, Message.LENGTH).inline().more();
        queuePair.post(visible ? request.signaled() : request);
    }

    private boolean isSignaled(boolean wanted) {
        unsignaled++;
        if (wanted || unsignaled >= SIGNALED) {
            unsignaled = 0;
            return true;
        }
        return false;
    }

    /** All that was posted starts. */
    void ringDoorbell() {
        if (doorbellDue) {
            doorbellDue = false;
            queuePair.ringDoorbell();
        }
    }
}
