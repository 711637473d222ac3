package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The receiving half over a transport whose messages are DDPP messages: UDP, or memory. {@link #onMessage} takes a message that lies in
 * memory. If only the header is there, and the transport can put the payload straight into its place, the caller uses the steps of
 * {@code onMessage} itself: {@link #begin}, then {@link #target()}, then {@link #end}. Between {@code begin} and {@code end} the caller may
 * also give up and begin again. Only the receiving thread uses it.
 *
 * <p>The sequence rule of an unreliable, ordered transport (draft, 3 and 3.3) holds for each message that says it is ordered.
 * {@link SourceTable} keeps it.
 */
public final class DatagramReceiver {
    private final MessageReceiver receiver;
    private final SourceTable sources;
    private boolean ordered;

    /**
     * Makes a receiver that has received nothing.
     *
     * @param upper    the layer above
     * @param counters counts the messages
     * @param sources  keeps the sequence numbers of sources
     */
    public DatagramReceiver(UpperLayer upper, ReceptionCounters counters, SourceTable sources) {
        this.receiver = new MessageReceiver(upper, counters);
        this.sources = sources;
    }

    /**
     * A whole message has come: places and delivers it, or drops it.
     *
     * @param memory       holds the message
     * @param at           the offset of its header
     * @param length       bytes of the message, header included, 0 or more
     * @param source       holds the raw address of the sender, in a form that is the same for each of its messages
     * @param sourceAt     the offset of the address
     * @param sourceLength bytes of the address; those beyond {@link SourceTable#MOST_BYTES} do not count
     * @return why it was dropped, or {@link Drop#NONE}
     */
    public Drop onMessage(MemorySegment memory, long at, int length, MemorySegment source, long sourceAt, int sourceLength) {
        Drop drop = begin(memory, at, length, source, sourceAt, sourceLength);
        if (drop == Drop.NONE) {
            drop = receiver.put(memory, at + length - receiver.payload(), receiver.payload());
        }
        return drop == Drop.NONE ? end() : drop;
    }

    /**
     * The header of a message has come: checks the message, and finds its place.
     *
     * @param memory holds the first {@link Ddpp#DECORATED_SIZE} bytes of the message, or all if it is shorter
     * @param length bytes of the whole message, header included
     * @return why it was dropped; if {@link Drop#NONE}, the payload belongs into {@link #target()}
     */
    public Drop begin(MemorySegment memory, long at, int length, MemorySegment source, long sourceAt, int sourceLength) {
        Drop drop = receiver.check(memory, at, length);
        if (drop != Drop.NONE) {
            return drop;
        }
        ordered = Ddpp.isOrdered(memory, at);
        if (ordered && !sources.accepts(source, sourceAt, sourceLength, Ddpp.sequence(memory, at))) {
            return receiver.dropped(Drop.LATE);
        }
        return receiver.place(memory, at);
    }

    /** The place of the payload. If the message is undecorated, that is the whole posted receive. */
    public SgeCursor target() {
        return receiver.target();
    }

    /** Bytes of payload of the message that began. */
    public int payload() {
        return receiver.payload();
    }

    /** Copies bytes of the payload to the next octets of the place; only between {@link #begin} and {@link #end}. */
    public Drop put(MemorySegment memory, long at, int length) {
        return receiver.put(memory, at, length);
    }

    /**
     * The payload is in place: delivers the message.
     *
     * @return {@link Drop#REFUSED_BY_BUFFER}, or {@link Drop#NONE}
     */
    public Drop end() {
        Drop drop = receiver.deliver();
        if (drop == Drop.NONE && ordered && receiver.isIndicated()) {
            sources.onDelivered();
        }
        return drop;
    }

    /** The memory of {@link #target()} could not be used: drops the message. */
    public Drop onBadMemory() {
        return receiver.onBadMemory();
    }
}
