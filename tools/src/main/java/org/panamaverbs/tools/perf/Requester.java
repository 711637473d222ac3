package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/** The active end of one connection: its buffers, and the exchange of empty Sends for tallies. Completions come by its {@link ActiveSide}. */
final class Requester {
    static final int RECEIVES = 16;
    /** Empty Sends under way besides the messages measured. */
    static final int CONTROL = 8;

    /** The number of an empty Send's request; messages count from 0. */
    private static final long MARK = ActiveSide.LARGEST_NUMBER;
    private static final int INLINE_LIMIT = 256;

    private final Plan plan;
    private final int index;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final MemoryRegion control;
    private final long slot;
    private final Connection connection;
    private final QueuePair pair;
    private final RemoteMemory target;
    private final int inline;
    private final Waiting peerWaiting;
    private boolean marked = true;
    private Tally tally = Tally.NOTHING;

    /** @param index of the connection among those of the active side, which its requests carry */
    Requester(Device device, Resources resources, InetSocketAddress peer, Plan wanted, int index, Duration patience) {
        this.index = index;
        long size = wanted.size();
        source = resources.domain().register(resources.arena().allocate(size, 4096));
        sink = resources.domain().register(resources.arena().allocate(size, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        slot = Math.max(Tally.LENGTH, wanted.latency() ? size : 0);
        control = resources.domain().register(resources.arena().allocate(RECEIVES * slot, 64), Access.LOCAL_WRITE);
        plan = wanted.withBuffer(sink.address(), sink.remoteKey());
        ConnectionManager manager = ConnectionManager.of(device);
        try (Connector connector = manager.connector(peer, patience)) {
            pair = connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue())
                    .withDepths(wanted.depth() + CONTROL, RECEIVES).withInline(inline(device, size)));
            inline = size <= pair.attributes().inlineLength() ? QueuePair.INLINE : 0;
            for (int i = 0; i < RECEIVES; i++) {
                postReceive(i);
            }
            connection = connector.connect(ConnectionParameters.defaults().withPrivateData(plan.encode()), patience);
        }
        byte[] place = connection.privateData();
        if (place.length < Target.PLACE_LENGTH) {
            connection.close();
            throw new Failure(Failure.Kind.PEER, HostPort.text(peer) + " is not a pverbs perf --listen: it accepted with " + place.length
                    + " bytes of private data");
        }
        target = new RemoteMemory(ByteBuffer.wrap(place).getLong(), ByteBuffer.wrap(place).getInt(8), size);
        int waiting = place[Target.PLACE_LENGTH - 1];
        peerWaiting = waiting >= 0 && waiting < Waiting.values().length ? Waiting.values()[waiting] : wanted.waiting();
    }

    /** The longest message to send inline: short enough that a copy costs nothing. */
    static int inline(Device device, long size) {
        return size <= Math.min(INLINE_LIMIT, device.attributes().maximumInline()) ? (int) size : 0;
    }

    /** How the peer waits, which its user decides. */
    Waiting peerWaiting() {
        return peerWaiting;
    }

    QueuePair pair() {
        return pair;
    }

    Connection connection() {
        return connection;
    }

    MemoryRegion source() {
        return source;
    }

    /** Where an echo of a Write, or a Read, lands. */
    MemorySegment sink() {
        return sink.segment();
    }

    /** Posts one message. */
    boolean post(long number, int flags) {
        long id = ActiveSide.id(index, number);
        return switch (plan.operation()) {
            case WRITE -> pair.tryPostWrite(id, source, 0, plan.size(), target, 0, flags | inline);
            case SEND -> pair.tryPostSend(id, source, 0, plan.size(), flags | inline);
            case READ -> pair.tryPostRead(id, sink, 0, plan.size(), target, 0, flags);
        };
    }

    private void postReceive(long number) {
        pair.postReceive(ActiveSide.id(index, number), control, number * slot, slot);
    }

    /** A request that was signalled has completed. */
    void onCompletion(Run run, long number) {
        if (number == MARK) {
            marked = true;
        } else {
            run.onCompletion(index, number);
        }
    }

    /** The peer has sent something. */
    void onReceive(Run run, long number, long length) {
        if (tally == null && length == Tally.LENGTH) {
            tally = Tally.decode(control.segment(), number * slot);
        } else {
            run.onReceive(index, length);
        }
        postReceive(number);
    }

    /**
     * Asks the peer for its tally: all messages before have arrived by then.
     *
     * @return {@code false} where the queue is full
     */
    boolean mark() {
        if (!pair.tryPostSend(ActiveSide.id(index, MARK), source, 0, 0, QueuePair.SIGNALED)) {
            return false;
        }
        marked = false;
        tally = null;
        return true;
    }

    /** What the peer answered to {@link #mark}; {@code null} while it has not, or we are not done with asking. */
    Tally tally() {
        return marked ? tally : null;
    }

    InetSocketAddress peer() {
        return connection.remoteAddress();
    }

    /** Why the connection is gone. */
    RuntimeException lost() {
        VerbsException failure = connection.failure().orElse(null);
        String what = "the connection to " + HostPort.text(peer()) + " was lost";
        return failure == null ? new Failure(Failure.Kind.PEER, what + ": the peer has closed it; see what it says")
                : new Failure(Failure.Kind.PEER, what + ": " + failure.getMessage(), failure);
    }
}
