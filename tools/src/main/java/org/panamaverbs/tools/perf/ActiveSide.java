package org.panamaverbs.tools.perf;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.stream.IntStream;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Ending;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/**
 * The active ends of all connections of one thread of a measurement: the thread drives them, and they complete in one queue. A request's number tells
 * the connection in its upper 16 bits. The timed part is in {@link Run}.
 */
// Tested by PerfCommandTest.
final class ActiveSide implements AutoCloseable {
    private static final int INDEX_SHIFT = 48;
    /** Of a request within its connection. */
    static final long LARGEST_NUMBER = (1L << INDEX_SHIFT) - 1;

    /**
     * How often the peer hears of a measurement that gives it nothing to do: it sees neither Writes nor Reads, and would take a peer at work
     * for one that is gone.
     */
    static final Duration SIGN_OF_LIFE = Duration.ofSeconds(1);

    private static final long SIGN_OF_LIFE_NANOS = SIGN_OF_LIFE.toNanos();
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Plan plan;
    private final Resources resources;
    private final Completions completions;
    private final Requester[] requesters;
    private final Duration patience;
    /** Whether the peer sees what is measured. */
    private final boolean seen;
    private long lastSign = System.nanoTime();

    /** @param patience how long the peer may do nothing, and connecting may take */
    ActiveSide(Device device, InetSocketAddress peer, Plan plan, int connections, Duration patience) {
        this.plan = plan;
        this.patience = patience;
        this.seen = plan.operation().delivers() || plan.operation() == Operation.WRITE && plan.latency();
        int each = 2 * (plan.depth() + Requester.CONTROL) + 2 * Requester.receives(plan) + 8;
        resources = new Resources(device, connections * each, plan.waiting() == Waiting.CHANNEL);
        try (Rollback undo = new Rollback()) {
            undo.add(resources::close);
            completions = resources.completions();
            requesters = IntStream.range(0, connections).mapToObj(index -> new Requester(device, resources, peer, plan, index, patience))
                    .toArray(Requester[]::new);
            undo.commit();
        }
    }

    static long id(int index, long number) {
        return (long) index << INDEX_SHIFT | number;
    }

    Plan plan() {
        return plan;
    }

    int connections() {
        return requesters.length;
    }

    Requester requester(int index) {
        return requesters[index];
    }

    /**
     * Lets a run see the completions that are there, without waiting.
     *
     * @return how many there were
     */
    int poll(Run run) {
        int count = resources.queue().poll(completions);
        dispatch(run);
        return count;
    }

    /** Lets a run see at least one completion, waiting as the plan says. */
    void await(Run run) {
        long since = 0;
        int spins = 0;
        while (true) {
            int count = plan.waiting() == Waiting.SPIN ? resources.queue().poll(completions) : resources.await(LOOK);
            if (count > 0) {
                dispatch(run);
                return;
            }
            Waiting.pause(++spins);
            if (plan.waiting() != Waiting.SPIN || (spins & 0xffff) == 0) {
                since = patience(since);
            }
        }
    }

    /** Checks, now and then in a loop that waits, that the peer is still connected. */
    long patience(long since) {
        long nanoTime = System.nanoTime();
        for (Requester requester : requesters) {
            if (!requester.connection().isConnected()) {
                throw requester.lost();
            }
        }
        if (since != 0 && nanoTime - since > patience.toNanos()) {
            throw new Failure(Failure.Kind.TIMEOUT, "nothing has come from " + HostPort.text(requesters[0].peer()) + " for "
                    + patience.toSeconds() + " s: see whether it still runs and can be reached; --timeout sets the limit");
        }
        return since == 0 ? nanoTime : since;
    }

    private void dispatch(Run run) {
        while (completions.next()) {
            long id = completions.id();
            Requester requester = requesters[(int) (id >>> INDEX_SHIFT)];
            long number = id & LARGEST_NUMBER;
            if (!completions.isSuccess()) {
                throw Ending.isOver(requester.connection(), completions.status()) ? requester.lost()
                        : new Failure(Failure.Kind.PEER, "a request failed: " + completions.status().text());
            }
            CompletionOpcode opcode = completions.opcode();
            if (opcode == CompletionOpcode.RECEIVE || opcode == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE) {
                requester.onReceive(run, (int) number, completions);
            } else {
                requester.onCompletion(run, number);
            }
        }
    }

    /** Rings the peer on each connection and waits for its tallies, which come after all messages before have arrived. */
    Tally far(Run run) {
        Tally sum = Tally.NOTHING;
        for (Requester requester : requesters) {
            // The answer to a sign of life must not be taken for this one.
            awaitTally(run, requester);
            while (!requester.mark()) {
                await(run);
            }
            awaitTally(run, requester);
            sum = sum.plus(requester.tally());
        }
        return sum;
    }

    private void awaitTally(Run run, Requester requester) {
        long start = System.nanoTime();
        while (requester.tally() == null) {
            await(run);
            // In both directions, messages can come without end from a peer that does not answer.
            if (System.nanoTime() - start > patience.toNanos()) {
                throw new Failure(Failure.Kind.TIMEOUT, HostPort.text(requester.peer()) + " has not said for " + patience.toSeconds()
                        + " s what has arrived there: take less --depth, or a longer --timeout");
            }
        }
    }

    /** Asks the peer for its tallies now and then, if it would see nothing of the measurement otherwise; does not wait for them. */
    void giveSignOfLife(long nanoTime) {
        if (seen || nanoTime - lastSign < SIGN_OF_LIFE_NANOS) {
            return;
        }
        lastSign = nanoTime;
        for (Requester requester : requesters) {
            if (requester.tally() != null) {
                // If its queue is full, the next time.
                requester.mark();
            }
        }
    }

    /** The tally of arrivals at this side, in all connections. */
    Tally near() {
        Tally sum = Tally.NOTHING;
        for (Requester requester : requesters) {
            sum = sum.plus(Tally.of(requester.pair(), 0, 0));
        }
        return sum;
    }

    @Override
    public void close() {
        for (Requester requester : requesters) {
            requester.connection().close();
        }
        resources.close();
    }
}
