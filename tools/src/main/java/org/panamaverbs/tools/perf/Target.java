package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueueFullException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/**
 * The passive end of one connection: lends its buffer, echoes where latency is measured, gives credits where Sends are, and answers an
 * empty Send with its {@link Tally}.
 */
final class Target implements AutoCloseable {
    /** Empty Sends under way besides the messages measured. */
    private static final int CONTROL = 8;
    /** What the active end is told: the address and key of the buffer, and how this end waits. */
    static final int PLACE_LENGTH = 13;

    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    /** For each message that the depth allows, in the queues of both ends of one connection. */
    private static final long BYTES_PER_MESSAGE = 1 << 10;
    /** After how many polls without a pause the clock is read. */
    private static final int SPINS_PER_CHECK = 1 << 16;

    private final Plan plan;
    private final Waiting waiting;
    private final Duration patience;
    private final String peer;
    private final Resources resources;
    private final MemoryRegion region;
    /** The echo's source, and behind it the tally. */
    private final MemoryRegion answers;
    private final Connection connection;
    private final QueuePair pair;
    private final RemoteMemory echoes;
    private final int creditEvery;
    private final boolean echoesWrites;
    private final boolean echoesSends;
    private final int inline;
    private long messages;
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
        this.echoes = plan.buffer();
        int receives = receives(plan);
        resources = new Resources(device, receives + 2 * plan.depth() + 4 * CONTROL, waiting == Waiting.CHANNEL);
        try {
            creditEvery = creditEvery(plan.depth());
            echoesWrites = plan.latency() && plan.operation() == Operation.WRITE;
            echoesSends = plan.latency() && plan.operation() == Operation.SEND;
            region = resources.domain().register(resources.arena().allocate(plan.size(), 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE,
                    Access.REMOTE_READ);
            answers = resources.domain().register(resources.arena().allocate(plan.size() + Tally.LENGTH, 4096));
            pair = request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue())
                    .withDepths(2 * plan.depth() + 2 * CONTROL, receives).withInline(Requester.inline(device, plan.size())));
            inline = plan.size() <= pair.attributes().inlineLength() ? QueuePair.INLINE : 0;
            for (int i = 0; i < receives; i++) {
                pair.postReceive(i, region, 0, plan.size());
            }
            byte[] place = ByteBuffer.allocate(PLACE_LENGTH).putLong(region.address()).putInt(region.remoteKey())
                    .put((byte) waiting.ordinal()).array();
            connection = request.accept(ConnectionParameters.defaults().withPrivateData(place), ACCEPT_TIMEOUT);
        } catch (RuntimeException | OutOfMemoryError e) {
            resources.close();
            throw e;
        }
    }

    /** How much memory a connection takes, in bytes. */
    static long memory(Plan plan) {
        return 2 * plan.size() + BYTES_PER_MESSAGE * (plan.depth() + CONTROL);
    }

    /** How many receives the passive end has posted: that many Sends need no credit. */
    static int receives(Plan plan) {
        return (plan.operation() == Operation.SEND ? 2 * plan.depth() : 0) + CONTROL;
    }

    /** After how many Sends the passive end gives as many credits. */
    static int creditEvery(int depth) {
        return Math.max(1, depth / 2);
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
            boolean echoed = echoesWrites && (byte) BYTE.getAcquire(memory, last) == expected;
            if (echoed) {
                echoWrite(last);
            }
            int count = waiting == Waiting.SPIN ? resources.queue().poll(completions) : resources.await(LOOK);
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
                if (completions.opcode() == CompletionOpcode.RECEIVE) {
                    onReceive(completions.id(), completions.byteLength());
                }
            }
            if (count > 0 || echoed) {
                spins = 0;
                since = 0;
                continue;
            }
            spins++;
            if (waiting == Waiting.SPIN) {
                Waiting.pause(spins);
            }
            if (waiting != Waiting.SPIN || spins % SPINS_PER_CHECK == 0) {
                since = checkPatience(since);
            }
        }
    }

    /** Checks, while nothing comes, that the peer may still be there. */
    private long checkPatience(long since) {
        long now = System.nanoTime();
        if (since == 0) {
            return now;
        }
        // Its sign of life may be on the way.
        if (now - since > patience.plus(ActiveSide.SIGN_OF_LIFE.multipliedBy(2)).toNanos()) {
            throw new Failure(Failure.Kind.TIMEOUT, peer + " has done nothing for " + patience.toSeconds()
                    + " s: see whether it still runs and can be reached; --timeout sets the limit");
        }
        return since;
    }

    private void onReceive(long slot, long length) {
        pair.postReceive(slot, region, 0, plan.size());
        if (length == 0) {
            Tally.of(pair, messages).encode(answers.segment(), plan.size());
            pair.postSend(0, answers, plan.size(), Tally.LENGTH, QueuePair.SIGNALED);
            return;
        }
        messages++;
        if (echoesSends) {
            pair.postSend(0, answers, 0, plan.size(), QueuePair.SIGNALED | inline);
        } else if (++uncredited == creditEvery) {
            uncredited = 0;
            pair.postSend(0, answers, 0, 0, QueuePair.SIGNALED);
        }
    }

    private void echoWrite(long last) {
        answers.segment().set(ValueLayout.JAVA_BYTE, last, expected);
        expected = LatencyRun.next(expected);
        pair.postWrite(0, answers, 0, plan.size(), echoes, 0, QueuePair.SIGNALED | inline);
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}
