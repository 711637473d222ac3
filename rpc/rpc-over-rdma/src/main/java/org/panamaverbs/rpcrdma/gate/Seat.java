package org.panamaverbs.rpcrdma.gate;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;

/**
 * The place of a connection in a service, with what it holds: the memory of its calls and replies, its calls under way, and what its peer owes,
 * that is, replies to take, Reads to answer and the rest of a call that it began.
 *
 * <p>Each connection has {@value #OWN} bytes that no other can take, so that its short calls never wait for the others; what goes beyond comes
 * from the memory of all.
 */
// Tested by GateTest, ServiceLimitsTest.
public final class Seat {
    /** Bytes that each connection has for itself. */
    public static final long OWN = 64 << 10;

    private static final long LEAST = 1 << 20;
    private static final Consumer<String> NOBODY = reason -> {
        // The connection is not there yet.
    };

    private final Gate gate;
    private final PeerNetwork peer;
    private final InetSocketAddress remote;
    private Consumer<String> ending = NOBODY;
    private Runnable onMemory = () -> {
        // No call can wait yet.
    };
    private boolean attached;
    private boolean left;

    /** When it entered, or last called. */
    private long heard;
    private boolean called;
    private int calls;
    private final Debt replies;
    private final Debt input;
    private long taken;
    private long borrowed;

    Seat(Gate gate, PeerNetwork peer, InetSocketAddress remote) {
        this.gate = gate;
        this.peer = peer;
        this.remote = remote;
        heard = gate.time();
        replies = new Debt(gate);
        input = new Debt(gate);
    }

    /**
     * The seat of a connection that is not of a service.
     *
     * @param memory bytes for its calls
     */
    public static Seat alone(long memory) {
        // A peer gets half.
        return new Gate(ServiceLimits.builder().memory(Math.max(2 * memory, LEAST)).build(), 1, () -> 0).enter(null);
    }

    /**
     * The connection is there.
     *
     * @param onEnd    ends it, on any thread; gets the reason
     * @param onMemory is called, on any thread, when there may be memory again after {@link #tryTake} found none
     */
    public synchronized void attach(Consumer<String> onEnd, Runnable onMemory) {
        ending = onEnd;
        this.onMemory = onMemory;
        attached = true;
    }

    /** A call came. */
    public synchronized void called() {
        called = true;
        heard = gate.time();
        calls++;
    }

    /** A call is over. */
    public synchronized void answered() {
        calls--;
    }

    /** Replies that the peer is to take. */
    public Debt replies() {
        return replies;
    }

    /** Reads that the peer is to answer, or the rest of a call that it began. */
    public Debt input() {
        return input;
    }

    /** Takes memory; if this returns {@code false}, the listener of {@link #attach} is called when another try may succeed. */
    public boolean tryTake(long bytes) {
        if (reserve(bytes)) {
            return true;
        }
        gate.awaitMemory(this);
        // Some may have come back between the two.
        if (reserve(bytes)) {
            gate.foundMemory(this);
            return true;
        }
        return false;
    }

    private synchronized boolean reserve(long bytes) {
        long more = beyond(taken + bytes) - borrowed;
        if (more > 0) {
            if (!gate.memory().tryTake(peer, more)) {
                return false;
            }
            borrowed += more;
        }
        taken += bytes;
        return true;
    }

    /** Counts memory that is taken already. */
    public synchronized void take(long bytes) {
        taken += bytes;
        long more = beyond(taken) - borrowed;
        if (more > 0) {
            gate.memory().take(peer, more);
            borrowed += more;
        }
    }

    /** Gives memory back. */
    public void giveBack(long bytes) {
        synchronized (this) {
            taken -= bytes;
            long less = borrowed - beyond(taken);
            if (less <= 0) {
                return;
            }
            borrowed -= less;
            gate.memory().giveBack(peer, less);
        }
        gate.wake();
    }

    private static long beyond(long bytes) {
        return Math.max(0, bytes - OWN);
    }

    /** The most that {@link #tryTake} can ever take at once. */
    public long most() {
        return gate.memory().all();
    }

    /** The connection has ended. Its memory comes back as its calls end. Further calls do nothing. */
    public void leave() {
        synchronized (this) {
            left = true;
        }
        gate.leave(this);
    }

    /** Ends the connection; {@code false} if it has ended, or is not there yet. */
    boolean end(String reason) {
        synchronized (this) {
            if (left || !attached) {
                return false;
            }
            left = true;
        }
        gate.leave(this);
        ending.accept(reason);
        return true;
    }

    void onMemory() {
        Runnable listener;
        synchronized (this) {
            listener = onMemory;
        }
        listener.run();
    }

    PeerNetwork peer() {
        return peer;
    }

    InetSocketAddress remote() {
        return remote;
    }

    synchronized boolean hasCalled() {
        return called;
    }

    synchronized long heard() {
        return heard;
    }

    /** Whether it may end so that a new connection gets its place. */
    synchronized boolean canGiveWay(long silentSince) {
        return attached && (!called || calls == 0 && heard - silentSince <= 0);
    }

    synchronized boolean isSpeechless(long since) {
        return attached && !called && heard - since < 0;
    }

    synchronized boolean isStalled(long since) {
        return attached && (replies.isOverdue(since) || input.isOverdue(since));
    }
}
