package org.panamaverbs.tools.perf;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.stream.IntStream;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.tools.shared.Ending;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/**
 * The active ends of all connections of a measurement: one thread drives them, and they complete in one queue. A request's number tells
 * the connection in its upper 16 bits. What is timed is in {@link Run}.
 */
final class ActiveSide implements AutoCloseable {
    private static final int INDEX_SHIFT = 48;
    /** Of a request within its connection. */
    static final long LARGEST_NUMBER = (1L << INDEX_SHIFT) - 1;

    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Plan plan;
    private final Resources resources;
    private final Completions completions;
    private final Requester[] requesters;

    ActiveSide(Device device, InetSocketAddress peer, Plan plan, int connections) {
        this.plan = plan;
        int each = 2 * (plan.depth() + Requester.CONTROL) + 2 * Requester.RECEIVES + 8;
        resources = new Resources(device, connections * each, plan.waiting() == Waiting.CHANNEL);
        try {
            completions = resources.completions();
            requesters = IntStream.range(0, connections).mapToObj(index -> new Requester(device, resources, peer, plan, index))
                    .toArray(Requester[]::new);
        } catch (RuntimeException e) {
            resources.close();
            throw e;
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

    /** Checks, now and then in a loop that waits, that there still is somebody to wait for. */
    long patience(long since) {
        long now = System.nanoTime();
        for (Requester requester : requesters) {
            if (!requester.connection().isConnected()) {
                throw requester.lost();
            }
        }
        if (since != 0 && now - since > PATIENCE_NANOS) {
            throw new Failure(
                    "nothing has come from " + HostPort.text(requesters[0].peer()) + " for " + PATIENCE_NANOS / 1_000_000_000 + " s");
        }
        return since == 0 ? now : since;
    }

    private void dispatch(Run run) {
        while (completions.next()) {
            long id = completions.id();
            Requester requester = requesters[(int) (id >>> INDEX_SHIFT)];
            long number = id & LARGEST_NUMBER;
            if (!completions.isSuccess()) {
                throw Ending.isOver(requester.connection(), completions.status()) ? requester.lost()
                        : new Failure("a request failed: " + completions.status().text());
            }
            if (completions.opcode() == CompletionOpcode.RECEIVE) {
                requester.onReceive(run, number, completions.byteLength());
            } else {
                requester.onCompletion(run, number);
            }
        }
    }

    /** Rings the peer on each connection and waits for its tallies, which come after all messages before have arrived. */
    Tally far(Run run) {
        Tally sum = Tally.NOTHING;
        for (Requester requester : requesters) {
            while (!requester.mark()) {
                await(run);
            }
            while (requester.tally() == null) {
                await(run);
            }
            sum = sum.plus(requester.tally());
        }
        return sum;
    }

    /** What has arrived at this side, in all connections. */
    Tally near() {
        Tally sum = Tally.NOTHING;
        for (Requester requester : requesters) {
            sum = sum.plus(Tally.of(requester.pair(), 0));
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
