package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.sockets.protocol.Target;

/**
 * Sends and receives the messages of one stream by its queue pair: as immediate data of Writes, or on iWARP as Sends of 4 bytes that follow
 * a Write. A stream's first block has a place for each receive, for what is sent inline, and for the table of targets.
 */
// Tested by VerbsSocketTest.
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

    // The first block.
    /** The offset of the table of targets in the first block. */
    static final int TABLE = 0;
    private static final int ENTRY = StreamCore.TABLE_LENGTH;
    private static final int MESSAGE = ENTRY + Target.LENGTH;
    private static final int BYTES = 64;
    private static final int RECEIVED = BYTES + INLINE;
    /**
     * The offset of the rest of the block, which is the first target of the peer: 3 KiB. So no target's end splits a message of a kibibyte,
     * which careless programs take to arrive at once.
     */
    static final int REST = 1024;

    /** The last so many requests of the send queue are for control messages. */
    private static final int KEPT = 20;
    /** At least each message of so many completes visibly, so that the send queue gets its room back. */
    private static final int SIGNALED = 8;

    private final QueuePair queuePair;
    private final boolean bySends;
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    /** Of messages that are sent, and of entries in the peer's memory. */
    private boolean peerIsBigEndian;
    private int unsignaled;
    private boolean doorbellDue;

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

    private void postReceive(int place) {
        queuePair.post(
                receive.receive(place).local(region, bySends ? RECEIVED + (long) place * Message.LENGTH : 0, bySends ? Message.LENGTH : 0));
    }

    /**
     * Takes the message of a receive that succeeded, and posts the receive again.
     *
     * @throws StreamProtocolException if it carries none
     */
    int take(Completions completion) throws StreamProtocolException {
        int place = (int) completion.id();
        int message;
        if (!bySends) {
            if (!completion.hasImmediate()) {
                throw new StreamProtocolException("a message without immediate data");
            }
            message = completion.immediate();
        } else {
            if (completion.byteLength() != Message.LENGTH) {
                throw new StreamProtocolException("a message of " + completion.byteLength() + " bytes, not " + Message.LENGTH);
            }
            message = ordered(memory.get(INT, RECEIVED + (long) place * Message.LENGTH));
        }
        postReceive(place);
        return message;
    }

    /** {@return whether the send queue has room for a message with data} */
    boolean hasRoom() {
        return queuePair.sendRoom() >= KEPT;
    }

    /** {@return whether the send queue has room for a control message} */
    boolean hasControlRoom() {
        return queuePair.sendRoom() >= 2;
    }

    /**
     * Writes bytes to the peer, and a message behind them.
     *
     * @param id       what the completion repeats
     * @param signaled whether it must complete visibly
     */
    void post(MemoryRegion source, long offset, int length, long address, int key, int message, long id, boolean signaled) {
        post(request.write(id).local(source, offset, length).remote(address, key), message, id, signaled);
    }

    /** As {@link #post}, of bytes that are copied, {@value #INLINE} at most. */
    void postInline(MemorySegment source, long offset, int length, long address, int key, int message, long id, boolean signaled) {
        MemorySegment.copy(source, offset, memory, BYTES, length);
        post(request.write(id).local(region, BYTES, length).remote(address, key).inline(), message, id, signaled);
    }

    /** Writes an entry of the peer's table of targets, and a message behind it. */
    void postEntry(long target, int targetKey, int targetLength, long address, int key, int message, long id) {
        memory.set(LONG, ENTRY, peerIsBigEndian ? Long.reverseBytes(target) : target);
        memory.set(INT, ENTRY + Target.KEY, ordered(targetKey));
        memory.set(INT, ENTRY + Target.SIZE, ordered(targetLength));
        post(request.write(id).local(region, ENTRY, Target.LENGTH).remote(address, key).inline(), message, id, false);
    }

    /**
     * Sends a message alone.
     *
     * @param address any address of the peer, as {@code key} is of it: a Write without bytes needs one
     */
    void postMessage(long address, int key, int message, long id, boolean signaled) {
        if (bySends) {
            postSend(message, id, isSignaled(signaled));
        } else {
            post(request.write(id).remote(address, key), message, id, signaled);
        }
    }

    private void post(SendRequest write, int message, long id, boolean signaled) {
        boolean visible = isSignaled(signaled);
        doorbellDue = true;
        if (bySends) {
            queuePair.post(write.more());
            postSend(message, id, visible);
        } else {
            write.immediate(message).more();
            queuePair.post(visible ? write.signaled() : write);
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
        if (wanted || unsignaled == SIGNALED) {
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
