package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueueFullException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/**
 * The passive end of one connection: exposes its buffer, echoes if latency is measured, gives credits for messages that take receives, and
 * answers an empty Send with its {@link Tally}. If both directions are measured, it sends as many messages as its {@link Window} allows, until
 * the active end disconnects.
 */
// Tested by PerfListenerTest, PerfCommandTest.
final class Target implements AutoCloseable {
    /** Sends under way besides the messages measured. */
    private static final int CONTROL = 16;
    /** The upper bits of the numbers of requests for messages of our own. */
    private static final long OWN = ActiveSide.id(1, 0);

    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    /** For each message that the depth allows, in the queues of both ends of one connection. */
    private static final long BYTES_PER_MESSAGE = 1 << 10;
    private static final int TALLY_ROOM = 80;
    /** Devices of iWARP want both rights of memory in which Reads land. */
    private static final Set<Access> SINK = Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    /** After how many polls without a pause the clock is read. */
    private static final int SPINS_PER_CHECK = 1 << 16;

    private final Plan plan;
    private final Waiting waiting;
    private final Duration patience;
    private final String peer;
    private final Resources resources;
    private final MemoryRegion region;
    /** Of a receive. */
    private final long length;
    /** The echo's source, and behind it the tally. */
    private final MemoryRegion answers;
    private final Connection connection;
    private final QueuePair pair;
    private final Messages messages;
    /** {@code null} unless this end sends messages of its own. */
    private final Window own;
    private final int creditEvery;
    private final boolean echoesWrites;
    private final boolean echoesReceives;
    private final SendRequest posted = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private long received;
    private int uncredited;
    private byte expected = 1;

    /**
     * Accepts.
     *
     * @param waiting  how this end waits, whatever the plan asks for
     * @param patience how long the peer may do nothing; an active end sends something every {@link ActiveSide#SIGN_OF_LIFE}
     */
    Target(Device device, ConnectionRequest request, Plan plan, Waiting waiting, Duration patience) {
        this.plan = plan;
        this.waiting = waiting;
        this.patience = patience;
        this.peer = HostPort.text(request.remoteAddress());
        Operation operation = plan.operation();
        int receives = receives(plan);
        resources = new Resources(device, receives + 2 * plan.depth() + 4 * CONTROL, waiting == Waiting.CHANNEL);
        try (Rollback undo = new Rollback()) {
            undo.add(resources::close);
            creditEvery = Window.creditEvery(plan.depth());
            length = Math.max(plan.footprint(), plan.creditLength());
            echoesWrites = plan.latency() && operation == Operation.WRITE;
            echoesReceives = plan.latency() && operation.delivers();
            region = resources.register(length, 4096, operation.exposure());
            answers = resources.register(plan.size() + TALLY_ROOM, 4096, plan.both() && operation.fetches() ? SINK : Set.of());
            pair = request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue())
                    .withDepths(2 * plan.depth() + 2 * CONTROL, receives).withInline(Requester.inline(device, plan.size())));
            messages = new Messages(plan, pair, answers, answers, plan.buffer());
            own = plan.both() ? new Window(plan, messages, OWN) : null;
            for (int i = 0; i < receives; i++) {
                pair.post(receive.receive(i).local(region, 0, length));
            }
            Offer offer = new Offer(waiting, region.address(), region.remoteKey());
            connection = request.accept(ConnectionParameters.defaults().withPrivateData(offer.encode()), ACCEPT_TIMEOUT);
            undo.commit();
        }
    }

    /** How much memory a connection takes, in bytes. */
    static long memory(Plan plan) {
        return plan.size() + plan.footprint() + BYTES_PER_MESSAGE * (plan.depth() + CONTROL);
    }

    private static int receives(Plan plan) {
        return (plan.operation().delivers() ? Window.receives(plan.depth()) : 0) + CONTROL;
    }

    /** Serves until the peer disconnects. */
    void serve() {
        try {
            serveAll();
        } catch (QueueFullException e) {
            throw new Failure(Failure.Kind.PEER, "the peer sends more than it was given credits for: " + e.getMessage(), e);
        }
    }

    private void serveAll() {
        Completions completions = resources.completions();
        MemorySegment memory = region.segment();
        long last = plan.size() - 1;
        int spins = 0;
        long since = 0;
        while (true) {
            boolean heard = echoesWrites && (byte) BYTE.getAcquire(memory, last) == expected;
            if (heard) {
                echoWrite(last);
            }
            boolean filled = own != null && own.fill();
            int count = filled || waiting == Waiting.SPIN ? resources.queue().poll(completions) : resources.await(LOOK);
            while (completions.next()) {
                if (completions.status() == CompletionStatus.FLUSHED || !connection.isConnected() && !completions.isSuccess()) {
                    connection.failure().ifPresent(failure -> {
                        throw failure;
                    });
                    return;
                }
                if (!completions.isSuccess()) {
                    throw new Failure(Failure.Kind.PEER, "a request failed: " + completions.status().text());
                }
                heard |= onCompletion(completions);
            }
            if (heard) {
                spins = 0;
                since = 0;
                continue;
            }
            spins++;
            if (waiting == Waiting.SPIN) {
                Waiting.pause(spins);
            }
            // Its device may take our messages though the peer hangs: they are no sign of life.
            if (own != null || count == 0 && waiting != Waiting.SPIN || spins % SPINS_PER_CHECK == 0) {
                since = checkPatience(since);
            }
        }
    }

    /** Whether the peer has sent something. */
    private boolean onCompletion(Completions completions) {
        CompletionOpcode opcode = completions.opcode();
        if (opcode == CompletionOpcode.RECEIVE || opcode == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE) {
            onReceive(completions);
            return true;
        }
        long id = completions.id();
        if ((id & OWN) != 0) {
            own.onCompletion(id ^ OWN);
        }
        return false;
    }

    /** Checks, while nothing comes, that the peer may still be there. */
    private long checkPatience(long since) {
        long nanoTime = System.nanoTime();
        if (since == 0) {
            return nanoTime;
        }
        // Its sign of life may be in flight.
        if (nanoTime - since > patience.plus(ActiveSide.SIGN_OF_LIFE.multipliedBy(2)).toNanos()) {
            throw new Failure(Failure.Kind.TIMEOUT, peer + " has done nothing for " + patience.toSeconds()
                    + " s: see whether it still runs and can be reached; --timeout sets the limit");
        }
        return since;
    }

    private void onReceive(Completions completions) {
        pair.post(receive.receive(completions.id()).local(region, 0, length));
        long came = Messages.isImmediate(completions) ? -1 : completions.byteLength();
        if (came == 0) {
            Tally.of(pair, received, own == null ? 0 : own.completed()).encode(answers.segment(), plan.size());
            pair.post(posted.send(0).local(answers, plan.size(), plan.tallyLength()).signaled());
            return;
        }
        if (own != null && came == plan.creditLength()) {
            own.onCredits();
            return;
        }
        messages.checkReceived(completions, received);
        if (echoesReceives) {
            send(received);
        } else if (++uncredited == creditEvery) {
            uncredited = 0;
            pair.post(posted.send(0).local(answers, 0, plan.creditLength()).signaled());
        }
        received++;
    }

    private void echoWrite(long last) {
        answers.segment().set(ValueLayout.JAVA_BYTE, last, expected);
        expected = LatencyRun.next(expected);
        send(0);
    }

    private void send(long number) {
        if (!messages.post(0, number, true, false)) {
            throw new Failure(Failure.Kind.PEER, "the peer sends more than one message at a time in a ping-pong");
        }
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}
