package org.panamaverbs.rpcrdma.limits;

import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.cm.PeerNetwork;

/**
 * A stock of one thing that all peers share: bytes, buffers, places. A peer may take as much as it leaves to the others: one peer gets half,
 * two get a third each, and so on. So something is always left for the next peer, whatever the others do.
 *
 * <p>Any thread may use it.
 */
// Tested by BudgetTest.
public final class Budget {
    private final long all;
    private final Map<PeerNetwork, Long> peers = new HashMap<>();
    private long taken;

    /**
     * Makes one.
     *
     * @param all how much there is, 1 or more
     */
    public Budget(long all) {
        if (all < 1) {
            throw new IllegalArgumentException("a budget is 1 or more, not " + all);
        }
        this.all = all;
    }

    /**
     * Takes some.
     *
     * @param peer   who takes it
     * @param amount how much, 0 or more
     * @return {@code false} if the peer would have more than is left
     */
    public synchronized boolean tryTake(PeerNetwork peer, long amount) {
        long own = takenBy(peer);
        if (amount > all - taken - own) {
            return false;
        }
        add(peer, own + amount);
        taken += amount;
        return true;
    }

    /**
     * Takes some, even if the peer then has more than is left: for what is there already and must be counted.
     *
     * @param peer   who takes it
     * @param amount how much, 0 or more
     */
    public synchronized void take(PeerNetwork peer, long amount) {
        add(peer, takenBy(peer) + amount);
        taken += amount;
    }

    /**
     * Gives some back.
     *
     * @param peer   who took it
     * @param amount how much, at most what the peer has
     */
    public synchronized void giveBack(PeerNetwork peer, long amount) {
        long own = takenBy(peer);
        if (amount > own) {
            throw new IllegalStateException(peer + " gives back " + amount + ", and has " + own);
        }
        add(peer, own - amount);
        taken -= amount;
    }

    private void add(PeerNetwork peer, long own) {
        if (own == 0) {
            peers.remove(peer);
        } else {
            peers.put(peer, own);
        }
    }

    /**
     * What a peer has.
     *
     * @param peer the peer
     * @return 0 or more
     */
    public synchronized long takenBy(PeerNetwork peer) {
        return peers.getOrDefault(peer, 0L);
    }

    /**
     * What all peers have.
     *
     * @return 0 or more
     */
    public synchronized long taken() {
        return taken;
    }

    /**
     * How much there is.
     *
     * @return 1 or more
     */
    public long all() {
        return all;
    }
}
