package org.panamaverbs.ddp.buffers;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The layer above DDP for a socket: finds the place of each message, and queues indications. Only the receiving thread calls it.
 *
 * <p>Bytes for a sink wait in memory of the client until the layer below has verified them; then the client calls the sink.
 */
// Tested by MemorySocketTest, TcpSocketTest.
public final class Client implements UpperLayer {
    /** The bit of the octet of a tagged header of RFC 5041 that asks for a notification; the other bits are the message identifier. */
    public static final int NOTIFY_BIT = 0x80;

    /** How a protocol carries the notification, and whether it checks the address of an empty message. */
    public enum Protocol {
        /** RFC 5041: the ULP's octet has the notification. The address of an empty message is not checked (RFC 5041, 5.2). */
        RFC_5041,
        /** As {@link #RFC_5041}, and every tagged message is indicated. */
        RFC_5041_EVERY_TAGGED,
        /** DDPP core: {@code ulp} is the message identifier, and the N flag takes the place of the last flag. */
        DDPP
    }

    private final Protocol protocol;
    private final Buffers socketBuffers;
    private final Buffers groupBuffers;
    private final PostedReceives[] receives;
    private final PostedReceives groupReceives;
    private final Indications indications;
    private final SinkMemory sinkMemory;
    /** Per queue, the receive of the message under way, or of the last one if that was dropped. */
    private final Receive[] current;
    /** Whether the receive of queue 0 is one of the group. */
    private boolean isOfGroup;

    /** The sender of the messages that come now. */
    private Object source;
    /** The buffer of the tagged segment under way; {@code null} if it is empty. */
    private Buffer buffer;
    private long at;
    private MemorySegment sinkBytes;
    private long placed;

    /**
     * Makes the client of a socket.
     *
     * @param socketBuffers  the buffers of the socket
     * @param groupBuffers   the buffers of its group
     * @param receives       the posted receives of the socket, one ring for each queue
     * @param groupReceives  the posted receives of its group, for queue 0
     * @param indications    takes the indications
     * @param sinkMemory     native memory for messages to sinks
     */
    public Client(Protocol protocol, Buffers socketBuffers, Buffers groupBuffers, PostedReceives[] receives, PostedReceives groupReceives,
            Indications indications, SinkMemory sinkMemory) {
        this.protocol = protocol;
        this.socketBuffers = socketBuffers;
        this.groupBuffers = groupBuffers;
        this.receives = receives;
        this.groupReceives = groupReceives;
        this.indications = indications;
        this.sinkMemory = sinkMemory;
        this.current = new Receive[receives.length];
        for (int i = 0; i < current.length; i++) {
            current[i] = new Receive();
        }
    }

    /** The sender of the messages that come from now on, for their indications. */
    public void source(Object sender) {
        source = sender;
    }

    /** How many bytes were placed. */
    public long placed() {
        return placed;
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        return false;
    }

    @Override
    public boolean ownsBuffers(int queue) {
        // A receive of the group could be taken for a segment that is corrupt.
        return current[queue].isTaken() || !receives[queue].isEmpty();
    }

    @Override
    public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
        buffer = null;
        if (length == 0 && protocol != Protocol.DDPP) {
            return TerminateCode.NONE;
        }
        Buffer found = socketBuffers.find(stag);
        if (found == null) {
            found = groupBuffers.find(stag);
        }
        if (found == null || !found.isLive()) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        if (Long.compareUnsigned(offset, -(long) length) > 0 && length != 0) {
            return TerminateCode.TAGGED_TO_WRAP;
        }
        long within = offset - found.base();
        if (!found.contains(within, length)) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        if (length == 0) {
            return TerminateCode.NONE;
        }
        buffer = found;
        at = within;
        if (found.memory() != null) {
            target.wrap(found.memory(), within, length);
        } else {
            sinkBytes = sinkMemory.take(length);
            target.wrap(sinkBytes, 0, length);
        }
        return TerminateCode.NONE;
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        if (length > 0 && !place(length)) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        placed += length;
        if (last) {
            notifyOf(ulp);
        }
        return TerminateCode.NONE;
    }

    private void notifyOf(int ulp) {
        switch (protocol) {
            case DDPP -> indications.addNotification(ulp, 0, source);
            case RFC_5041_EVERY_TAGGED -> indications.addNotification(ulp & ~NOTIFY_BIT, ulp, source);
            case RFC_5041 -> {
                if ((ulp & NOTIFY_BIT) != 0) {
                    indications.addNotification(ulp & ~NOTIFY_BIT, ulp, source);
                }
            }
        }
    }

    /** The bytes are in place, or in the memory for the sink; {@code false} if the buffer does not take them. */
    private boolean place(int length) {
        if (buffer.sink() == null) {
            return buffer.listener() == null || inform(length);
        }
        if (!buffer.enter()) {
            return false;
        }
        try {
            buffer.sink().set(at, sinkBytes.asSlice(0, length).asReadOnly());
            return true;
        } catch (RuntimeException | Error e) {
            sinkMemory.onFailure("the set method of a buffer", e);
            return false;
        } finally {
            buffer.exit();
        }
    }

    private boolean inform(int length) {
        try {
            buffer.listener().onPlaced(at, length, source);
        } catch (RuntimeException | Error e) {
            sinkMemory.onFailure("a placement listener", e);
        }
        return true;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        Receive receive = current[queue];
        if (!receive.isTaken() && !take(queue, receive)) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        if (receive.length() > 0) {
            target.wrap(receive.buffer().memory(), receive.offset(), receive.length());
        }
        return TerminateCode.NONE;
    }

    private boolean take(int queue, Receive receive) {
        if (queue != 0) {
            return receives[queue].take(receive);
        }
        isOfGroup = !receives[0].take(receive);
        return !isOfGroup || groupReceives.take(receive);
    }

    @Override
    public int onChanged(int ulp) {
        // RFC 5041, 4.3 requires the same ULP fields in all segments of a message, and has no number for this error.
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    @Override
    public void onTooLong(int queue) {
        // The receive stays taken, for the next message if there is one.
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        Receive receive = current[queue];
        placed += length;
        indications.addMessage(receive, length, queue, ulp, word, source);
        receive.clear();
        return TerminateCode.NONE;
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        return TerminateCode.TAGGED_INVALID_STAG;
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        // The receive is of no use any more.
        current[queue].clear();
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }

    /** Nothing comes any more: a receive of the group whose message did not come whole is for the next message on any of its sockets. */
    public void end() {
        if (current[0].isTaken() && isOfGroup) {
            groupReceives.putBack(current[0]);
        }
        current[0].clear();
    }
}
