package org.panamaverbs.rpcrdma.gate;

import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.limits.Budget;
import org.panamaverbs.rpcrdma.limits.ServiceCounts;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.spi.support.Complaints;

/**
 * Keeps a service within its {@link ServiceLimits}, whatever carries its calls. Each connection has a {@link Seat}. The service calls
 * {@link #sweep} about once a second; between two sweeps the gate's time stands still, so that calls read no clock.
 */
// Tested by GateTest.
public final class Gate {
    private final ServiceLimits limits;
    private final LongSupplier clock;
    private final Budget places;
    private final Budget memory;
    private final Set<Seat> seats = ConcurrentHashMap.newKeySet();
    private final Set<Seat> waiting = ConcurrentHashMap.newKeySet();
    private final Complaints complaints = new Complaints(Gate.class);
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder displaced = new LongAdder();
    private final LongAdder silent = new LongAdder();
    private final LongAdder stalled = new LongAdder();
    private volatile long time;

    /**
     * Makes one.
     *
     * @param limits the limits
     * @param most   the most connections, if that is less than the limits say
     * @param clock  nanoseconds
     */
    public Gate(ServiceLimits limits, int most, LongSupplier clock) {
        this.limits = limits;
        this.clock = clock;
        places = new Budget(Math.min(limits.connections(), most));
        memory = new Budget(limits.memory());
        time = clock.getAsLong();
    }

    /**
     * Gives a new connection a place; if there is none, one that has been silent ends: of this peer if the peer has its share, else of any.
     *
     * @return {@code null} if the connection is refused
     */
    public Seat enter(InetSocketAddress remote) {
        PeerNetwork peer = PeerNetwork.of(remote);
        while (!places.tryTake(peer, 1)) {
            boolean share = places.takenBy(peer) > 0;
            Optional<Seat> victim = silent(share ? seats.stream().filter(seat -> seat.peer().equals(peer)) : seats.stream());
            if (victim.isEmpty()) {
                refused.increment();
                complaints.warn("{} is refused: {}", Route.text(remote),
                        share ? places.takenBy(peer) + " of " + places.all() + " places are its own, and none of them is silent"
                                : "all " + places.all() + " places are taken, and none is silent");
                return null;
            }
            if (victim.get().end("it was silent, and a new connection needed its place")) {
                displaced.increment();
                complaints.warn("{} gives its place to {}", Route.text(victim.get().remote()), Route.text(remote));
            }
        }
        accepted.increment();
        Seat seat = new Seat(this, peer, remote);
        seats.add(seat);
        return seat;
    }

    /** The one that has sent no call for longest: at all, or else for the time of the limits. */
    private Optional<Seat> silent(Stream<Seat> candidates) {
        long enough = time - limits.silence().toNanos();
        return candidates.filter(seat -> seat.canGiveWay(enough))
                .min(Comparator.comparing(Seat::hasCalled).thenComparing((one, other) -> Long.signum(one.heard() - other.heard())));
    }

    /** Ends connections that send no first call, and those that do not go on with what they owe. */
    public void sweep() {
        time = clock.getAsLong();
        for (Seat seat : seats) {
            String reason = null;
            if (seat.isSpeechless(time - limits.firstCall().toNanos())) {
                reason = "it sent no call in " + limits.firstCall().toMillis() + " ms";
            } else if (seat.isStalled(time - limits.stall().toNanos())) {
                reason = "it took no reply, and sent nothing that it owes, for " + limits.stall().toMillis() + " ms";
            }
            boolean called = seat.hasCalled();
            if (reason != null && seat.end(reason)) {
                (called ? stalled : silent).increment();
                complaints.warn("the connection to {} ends: {}", Route.text(seat.remote()), reason);
            }
        }
    }

    /** What the limits did so far. */
    public ServiceCounts counts() {
        return new ServiceCounts(seats.size(), accepted.sum(), refused.sum(), displaced.sum(), silent.sum(), stalled.sum(), memory.taken(),
                waiting.size());
    }

    long time() {
        return time;
    }

    Budget memory() {
        return memory;
    }

    void leave(Seat seat) {
        if (seats.remove(seat)) {
            waiting.remove(seat);
            places.giveBack(seat.peer(), 1);
        }
    }

    void awaitMemory(Seat seat) {
        waiting.add(seat);
    }

    void foundMemory(Seat seat) {
        waiting.remove(seat);
    }

    /** Memory came back: each connection that waits tries again. */
    @SuppressWarnings("ModifyCollectionInEnhancedForLoop") // The set is a concurrent one.
    void wake() {
        for (Seat seat : waiting) {
            if (waiting.remove(seat)) {
                seat.onMemory();
            }
        }
    }
}
