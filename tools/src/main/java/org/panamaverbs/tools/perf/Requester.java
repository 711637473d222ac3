package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/** The active end of one connection: its buffers, and the exchange of empty Sends for tallies. Completions come by its {@link ActiveSide}. */
// Tested by PerfCommandTest.
final class Requester {
    /** Receives for the Sends that are not measured. */
    static final int RECEIVES = 16;
    /** Sends under way besides the messages measured. */
    static final int CONTROL = 16;

    /** The number of an empty Send's request; messages count from 0. */
    private static final long MARK = ActiveSide.LARGEST_NUMBER;
    /** The number of a request that gives credits. */
    private static final long CREDITS = MARK - 1;
    private static final int INLINE_LIMIT = 256;
    /** The first bytes of what is received: a tally, and one byte more. */
    private static final int HEAD = 80;

    private final Plan plan;
    private final int index;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final MemoryRegion control;
    private final long slot;
    /** The places of messages that are longer than their slot, by slot; {@code null} if there are none. */
    private final ScatterGatherList[] places;
    private final Connection connection;
    private final QueuePair pair;
    private final Messages messages;
    private final Waiting peerWaiting;
    private final SendRequest posted = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private boolean marked = true;
    private Tally tally = Tally.NOTHING;
    private long received;
    private int uncredited;

    /** @param index of the connection among those of the active side, which its requests carry */
    Requester(Device device, Resources resources, InetSocketAddress peer, Plan wanted, int index, Duration patience) {
        this.index = index;
        Operation operation = wanted.operation();
        long size = wanted.size();
        long room = Math.max(wanted.footprint(), HEAD);
        // The sink of our own Reads and atomics is not the memory that the peer's name.
        boolean exposesSource = operation.fetches() && wanted.both();
        source = resources.register(room, 4096, exposesSource ? operation.exposure() : Set.of());
        sink = resources.register(room, 4096, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        slot = wanted.latency() ? room : HEAD;
        int receives = receives(wanted);
        control = resources.register(receives * slot, 64, Set.of(Access.LOCAL_WRITE));
        places = wanted.both() && operation.delivers() && size > slot ? new ScatterGatherList[receives] : null;
        MemoryRegion exposed = exposesSource ? source : sink;
        plan = wanted.withBuffer(exposed.address(), exposed.remoteKey());
        ConnectionManager manager = ConnectionManager.of(device);
        try (Connector connector = manager.connector(peer, patience)) {
            pair = connector.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(wanted.depth() + CONTROL, receives)
                            .withElements(1, places == null ? 1 : 2).withInline(inline(device, size)));
            for (int i = 0; i < receives; i++) {
                if (places != null) {
                    places[i] = new ScatterGatherList(2).add(control, i * slot, slot).add(sink, 0, size - slot);
                }
                postReceive(i);
            }
            connection = connector.connect(ConnectionParameters.defaults().withPrivateData(plan.encode()), patience);
        }
        Optional<Offer> offer = Offer.decode(connection.privateData());
        if (offer.isEmpty()) {
            connection.close();
            throw new Failure(Failure.Kind.PEER, HostPort.text(peer) + " is not a pverbs perf --listen of this version: it accepted with "
                    + connection.privateData().length + " bytes of other private data");
        }
        try {
            Abilities.require(connection, plan);
        } catch (UnsupportedVerbException e) {
            connection.close();
            throw e;
        }
        messages = new Messages(plan, pair, source, sink, offer.get().buffer(plan));
        peerWaiting = offer.get().waiting();
    }

    /** How many receives this end posts: also for the messages of the other direction. */
    static int receives(Plan plan) {
        return RECEIVES + (plan.both() && plan.operation().delivers() ? Window.receives(plan.depth()) : 0);
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

    /** The memory in which an echo of a Write, or a Read, lands. */
    MemorySegment sink() {
        return sink.segment();
    }

    Messages messages() {
        return messages;
    }

    private void postReceive(int number) {
        long id = ActiveSide.id(index, number);
        if (places == null) {
            pair.post(receive.receive(id).local(control, number * slot, slot));
        } else {
            pair.post(receive.receive(id).local(places[number]));
        }
    }

    /** A request that was signalled has completed. */
    void onCompletion(Run run, long number) {
        if (number == MARK) {
            marked = true;
        } else if (number != CREDITS) {
            run.onCompletion(index, number);
        }
    }

    /** The peer has sent something. */
    void onReceive(Run run, int number, Completions completions) {
        long length = Messages.isImmediate(completions) ? -1 : completions.byteLength();
        if (length == plan.tallyLength()) {
            tally = Tally.decode(control.segment(), number * slot);
            postReceive(number);
            return;
        }
        postReceive(number);
        if (length == plan.creditLength()) {
            run.onCredits(index);
            return;
        }
        messages.checkReceived(completions, received);
        received++;
        run.onMessage(index);
        if (plan.both() && ++uncredited == Window.creditEvery(plan.depth())) {
            uncredited = 0;
            pair.post(posted.send(ActiveSide.id(index, CREDITS)).local(source, 0, plan.creditLength()).signaled());
        }
    }

    /**
     * Asks the peer for its tally: all messages before have arrived by then.
     *
     * @return {@code false} if the queue is full
     */
    boolean mark() {
        if (!pair.tryPost(posted.send(ActiveSide.id(index, MARK)).local(source, 0, 0).signaled())) {
            return false;
        }
        marked = false;
        tally = null;
        return true;
    }

    /** The answer of the peer to {@link #mark}; {@code null} while there is none, or we are not done with asking. */
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
