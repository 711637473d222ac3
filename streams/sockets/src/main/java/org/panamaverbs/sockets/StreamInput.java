package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Completions;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;

/**
 * The inbound part of a stream: what the peer has written, and the memory and credits that it gets for more. The caller holds the stream's
 * lock.
 */
// Tested by HostilePeerTest, StreamMemoryTest, VerbsSocketTest.
final class StreamInput {
    // Once the stream is connected.
    private @Nullable StreamCore core;
    private @Nullable Grants grants;
    private @Nullable MessagePort port;
    private boolean over;
    private volatile boolean hasBytes;

    /** The stream is connected. */
    void begin(StreamCore protocol, Grants memory, MessagePort messages) {
        core = protocol;
        grants = memory;
        port = messages;
    }

    private StreamCore core() {
        return Objects.requireNonNull(core);
    }

    private Grants grants() {
        return Objects.requireNonNull(grants);
    }

    private MessagePort port() {
        return Objects.requireNonNull(port);
    }

    /**
     * Takes a message of the peer.
     *
     * @throws StreamProtocolException if the protocol does not allow it now
     */
    void receive(Completions completion) throws StreamProtocolException {
        int carried = port().take(completion);
        int message = port().message();
        if (carried > 0) {
            core().receive(message, port().limit(), carried, (int) completion.id());
        } else {
            core().receive(message);
            if (Message.operation(message) == Message.DATA) {
                grants().received();
            }
        }
        publish();
    }

    /** Nothing moves any more: no receive is posted. */
    void end() {
        over = true;
    }

    /** {@return how many bytes it has copied} */
    int read(MemorySegment into, long offset, int length) {
        int total = 0;
        while (core != null && total < length && core.unread() > 0) {
            int part = Math.min(length - total, core.unread());
            if (core.place() < 0) {
                readRange(into, offset + total, part);
            } else {
                readPlace(into, offset + total, part);
            }
            total += part;
        }
        publish();
        return total;
    }

    private void readRange(MemorySegment into, long offset, int length) {
        int range = core().grant();
        MemorySegment.copy(grants().memory(range), grants().start(range) + core().offset(), into, offset, length);
        if (core().consume(length)) {
            grants().consumed(range);
        }
    }

    private void readPlace(MemorySegment into, long offset, int length) {
        int place = core().place();
        MemorySegment.copy(port().places(), port().begin(place) + core().offset(), into, offset, length);
        if (core().consume(length) && !over) {
            port().postReceive(place);
        }
    }

    private void publish() {
        hasBytes = core != null && (core.unread() > 0 || core.inputEnded());
    }

    /** {@return whether there are bytes, or the end of the peer's output} Any thread may ask. */
    boolean hasBytes() {
        return hasBytes;
    }

    /** {@return how many bytes can be read} */
    int available() {
        return core == null ? 0 : core.available();
    }

    /** {@return whether the peer has ended its output} */
    boolean hasEnded() {
        return core != null && core.inputEnded();
    }

    /** {@return whether the peer should get memory or credits} */
    boolean owes() {
        return core != null && (core.wantsGrant() || core.owesCredits());
    }

    /** {@return whether the peer waits for memory or credits} */
    boolean isFull() {
        return core().isFull();
    }

    /**
     * Posts the grants and credits that are due, and what messages may carry from now on.
     *
     * @throws org.panamaverbs.VerbsException if there is no memory for a grant
     * @throws OutOfMemoryError               likewise
     */
    void postDue() {
        while (core().wantsGrant() && port().hasControlRoom()) {
            Block block = grants().renew(core().nextGrant());
            long address = core().entryAddress();
            core().grant(block.size());
            port().postEntry(block.region().address(), block.region().remoteKey(), block.size(), address, core().entryKey(),
                    core().credits());
        }
        if (core().owesCredits() && port().hasControlRoom()) {
            port().postMessage(core().entryAddress(), core().entryKey(), core().credits());
        }
        if (core().mayOffer()) {
            offer();
        }
    }

    private void offer() {
        if (port().wantsPlaces()) {
            port().usePlaces(grants().takePlaces());
        } else if (port().carried() > 0 && port().hasControlRoom()) {
            port().postMessage(core().entryAddress(), core().entryKey(), core().offer(port().carried()));
        }
    }
}
