package org.panamaverbs.tools.shared;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * Two programs that send each other short messages in turn, and move data by Reads and Writes in between. Every request is signalled, and
 * counted here until it is done. One thread at a time.
 */
public final class Dialogue {
    /** How deep the queue of receives must be. */
    public static final int RECEIVES = 2;

    /** The begin of soft-iwarp's message for a connection that the peer has terminated. */
    private static final String TERMINATED = "the peer terminated it: ";
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Resources resources;
    private final long length;
    private final Duration patience;
    private final MemoryRegion outbound;
    private final MemoryRegion inbound;
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private QueuePair pair;
    private Connection connection;
    private int outstanding;
    private long arrived = -1;
    private long arrivedLength;
    private long taken = -1;
    private LongSupplier progress = () -> 0;
    private Place place = new Place(PeerNetwork.UNKNOWN);
    private String expected;
    private boolean heard;

    /**
     * @param length   of the longest message, in bytes
     * @param patience how long the peer may take for its next message while nothing moves
     */
    public Dialogue(Resources resources, long length, Duration patience) {
        this.resources = resources;
        this.length = length;
        this.patience = patience;
        outbound = resources.register(length, 16, Set.of());
        inbound = resources.register(RECEIVES * length, 16, Set.of(Access.LOCAL_WRITE));
    }

    /** Posts the first receives: before connecting. */
    public void prepare(QueuePair queuePair) {
        pair = queuePair;
        for (long slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    public void connected(Connection connected) {
        connection = connected;
    }

    /** A number that grows while the peer is at work, though it says nothing. */
    public void measureProgressBy(LongSupplier moved) {
        progress = moved;
    }

    /**
     * Measures progress by the bytes that a queue pair moves, for its peer as well.
     *
     * @param step so many bytes are progress
     * @return {@code false} if the device does not report those that the peer moves: a peer that Writes looks idle then
     */
    public boolean measureTraffic(QueuePair pair, long step) {
        if (pair.statistics().bytesReadByPeer().isEmpty()) {
            return false;
        }
        measureProgressBy(() -> traffic(pair.statistics()) / step);
        return true;
    }

    private static long traffic(QueuePairStatistics statistics) {
        // Bytes that are in their place count, although their message is not whole.
        return statistics.bytesPlacedDirectly().orElse(0) + statistics.bytesStaged().orElse(0) + statistics.bytesSent().orElse(0)
                + statistics.bytesReadByPeer().orElse(0);
    }

    /** The place that the peer loses to a new one if it is silent for too long: if it says nothing, and no progress is measured. */
    public void mayLose(Place taken) {
        place = taken;
    }

    /** The program that must be the peer, for the message of an error before its first message. */
    public void expect(String program) {
        expected = program;
    }

    /** For the requests that the program posts besides the messages of the dialogue. */
    public SendRequest request() {
        return request;
    }

    public QueuePair pair() {
        return pair;
    }

    public String peer() {
        return HostPort.text(connection.remoteAddress());
    }

    /** Counts a signalled request that was just posted. */
    public void posted() {
        outstanding++;
    }

    public int outstanding() {
        return outstanding;
    }

    /** Waits until at most so many requests are not yet done. */
    public void awaitOutstanding(int most) {
        while (outstanding > most) {
            awaitCompletion(0, Verbs.FOREVER);
        }
    }

    public boolean isConnected() {
        return connection.isConnected();
    }

    /** The memory for the next message to send. */
    public MemorySegment outbound() {
        return outbound.segment();
    }

    /** Sends the message in {@link #outbound()}, and waits until that is free again. */
    public void send(long size) {
        release();
        pair.post(request.send(0).local(outbound, 0, size).signaled());
        posted();
        awaitOutstanding(0);
    }

    /**
     * Waits for the peer's next message.
     *
     * @return valid until the next call of anything here; {@code null} if the peer has disconnected in good order
     * @throws Failure if the peer does nothing for too long
     */
    public MemorySegment receive() {
        return receive(Verbs.FOREVER);
    }

    /**
     * The same.
     *
     * @param most how long the peer may take, though something moves
     */
    public MemorySegment receive(Duration most) {
        release();
        long start = System.nanoTime();
        try {
            while (arrived < 0) {
                awaitCompletion(start, most);
            }
        } catch (Disconnected e) {
            return null;
        }
        taken = arrived;
        arrived = -1;
        return inbound.segment().asSlice(taken * length, arrivedLength);
    }

    /** Gives the receive of the last message back: before the peer can answer. */
    private void release() {
        if (taken >= 0) {
            postReceive(taken);
            taken = -1;
        }
    }

    private void postReceive(long slot) {
        pair.post(receive.receive(slot).local(inbound, slot * length, length));
    }

    /** @param start when, of {@link System#nanoTime}, the wait began that takes so long at most */
    private void awaitCompletion(long start, Duration most) {
        Completions completions = resources.completions();
        long last = progress.getAsLong();
        place.waiting();
        checkPlace();
        for (long idle = 0; !resources.next(LOOK); idle++) {
            long current = progress.getAsLong();
            if (current != last) {
                last = current;
                idle = 0;
                place.waiting();
            }
            checkPlace();
            if (idle >= patience.toSeconds()) {
                throw new Failure(Failure.Kind.TIMEOUT, peer() + " has not answered for " + patience.toSeconds()
                        + " s: see whether it still runs and can be reached; --timeout sets the limit");
            }
            if (!most.equals(Verbs.FOREVER) && System.nanoTime() - start > most.toNanos()) {
                throw new Failure(Failure.Kind.TIMEOUT,
                        peer() + " is too slow: what it was to do is not done after " + most.toSeconds() + " s");
            }
        }
        place.heard();
        if (!completions.isSuccess()) {
            throw lost(completions.status());
        }
        if (completions.opcode() != CompletionOpcode.RECEIVE) {
            outstanding--;
        } else if (arrived >= 0) {
            throw new Failure(Failure.Kind.PEER, peer() + " speaks out of turn");
        } else {
            heard = true;
            arrived = completions.id();
            arrivedLength = completions.byteLength();
        }
    }

    private void checkPlace() {
        if (!place.isHeld()) {
            throw new Failure(Failure.Kind.TIMEOUT, peer() + " was silent, and has lost its place to a new client");
        }
    }

    private RuntimeException lost(CompletionStatus status) {
        if (!Ending.isOver(connection, status)) {
            return new Failure(Failure.Kind.PEER, "a request to " + peer() + " failed: " + status.text() + doubt());
        }
        return connection.failure()
                .<RuntimeException>map(failure -> new Failure(Failure.Kind.PEER, broken(failure.getMessage()) + doubt(), failure))
                .orElseGet(() -> new Disconnected(peer() + " has closed the connection"));
    }

    /** The end of a connection with its reason, and the address once. */
    private String broken(String reason) {
        String words = withoutPrefix(reason, "connection to " + peer() + ": ");
        String terminated = withoutPrefix(words, TERMINATED);
        return terminated.equals(words) ? "the connection to " + peer() + " was lost: " + words
                : peer() + " ended the connection (" + terminated + ")";
    }

    private static String withoutPrefix(String text, String prefix) {
        return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
    }

    /** As long as no message has come, the peer may be another program. */
    private String doubt() {
        return expected == null || heard ? "" : ": is " + expected + " there?";
    }

    /** The peer has disconnected in good order. */
    public static final class Disconnected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Disconnected(String message) {
            super(message);
        }
    }
}
