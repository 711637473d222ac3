package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The way of a received message, the same for all transports: {@link #check} its header, find the {@link #place}, put the payload there, and
 * {@link #deliver}. A decorated message is placed whole or not at all: the layer above checks all of its octets first.
 */
final class MessageReceiver {
    private static final int QUEUE = 0;

    private final UpperLayer upper;
    private final ReceptionCounters counters;
    private final SgeCursor target = new SgeCursor();

    // The message under way.
    private boolean decorated;
    private boolean notifying;
    private int identifier;
    private int payload;

    MessageReceiver(UpperLayer upper, ReceptionCounters counters) {
        this.upper = upper;
        this.counters = counters;
    }

    /**
     * Checks a header by itself.
     *
     * @param memory holds the header, or the whole message if that is shorter
     * @param length bytes of the message, header included
     */
    Drop check(MemorySegment memory, long at, int length) {
        payload = 0;
        if (length < Ddpp.UNDECORATED_SIZE || Ddpp.version(memory, at) != Ddpp.VERSION) {
            return dropped(Drop.MALFORMED);
        }
        int kind = Ddpp.kind(memory, at);
        int size = Ddpp.size(kind);
        if (size == 0 || length < size) {
            return dropped(Drop.MALFORMED);
        }
        decorated = kind == Ddpp.DECORATED;
        notifying = decorated && Ddpp.isNotifying(memory, at);
        payload = length - size;
        // A message that neither places nor indicates anything.
        return decorated && payload == 0 && !notifying ? dropped(Drop.MALFORMED) : Drop.NONE;
    }

    /** Finds the place of the payload of the message that was checked. */
    Drop place(MemorySegment memory, long at) {
        target.clear();
        Drop drop;
        if (decorated) {
            identifier = notifying ? Ddpp.identifier(memory, at) : 0;
            drop = Drop.of(upper.onTagged(identifier, notifying, Ddpp.stag(memory, at), Ddpp.offset(memory, at), payload, target));
        } else {
            drop = Drop.of(upper.onUntagged(QUEUE, 0, target));
            if (drop == Drop.NONE && payload > target.remaining()) {
                upper.onTooLong(QUEUE);
                drop = Drop.TOO_LONG;
            }
        }
        return drop == Drop.NONE ? drop : dropped(drop);
    }

    /** Copies payload to its place, and passes it. */
    Drop put(MemorySegment memory, long at, int length) {
        return length == 0 || target.put(memory, at, length) ? Drop.NONE : onBadMemory();
    }

    /** The memory of the place can no longer be used. */
    Drop onBadMemory() {
        if (decorated) {
            upper.onBadTaggedMemory(identifier);
        } else {
            upper.onBadUntaggedMemory(QUEUE);
        }
        return dropped(Drop.REFUSED_BY_BUFFER);
    }

    /** The payload is in place. */
    Drop deliver() {
        target.clear();
        int error = decorated ? upper.deliverTagged(identifier, notifying, payload) : upper.deliverUntagged(QUEUE, 0, 0, payload);
        if (error != TerminateCode.NONE) {
            return dropped(Drop.REFUSED_BY_BUFFER);
        }
        counters.onMessage(payload);
        return Drop.NONE;
    }

    Drop dropped(Drop reason) {
        target.clear();
        counters.onDropped(reason);
        return reason;
    }

    /** The place of the payload. It may be longer than the payload if the message is undecorated. */
    SgeCursor target() {
        return target;
    }

    boolean isDecorated() {
        return decorated;
    }

    /** Whether the layer above delivers something to the program: a reception indication, or an undecorated message. */
    boolean isIndicated() {
        return !decorated || notifying;
    }

    /** Bytes of payload. */
    int payload() {
        return payload;
    }
}
