package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/** The active end of one connection: its buffers, how it waits, and the exchange of empty Sends for tallies. What is timed is in {@link Run}. */
final class Requester implements AutoCloseable {
    /** The number of an empty Send's request; messages count from 0. */
    static final long MARK = -1;

    private static final int RECEIVES = 16;
    private static final int INLINE_LIMIT = 256;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Plan plan;
    private final Resources resources;
    private final Completions completions;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final MemoryRegion control;
    private final Connection connection;
    private final QueuePair pair;
    private final long remoteAddress;
    private final int remoteKey;
    private final int inline;
    private boolean marking;
    private boolean marked;
    private Tally tally;

    Requester(Device device, InetSocketAddress peer, Plan wanted) {
        int depth = wanted.depth() + 8;
        resources = new Resources(device, 2 * depth + 2 * RECEIVES + 8);
        try {
            completions = resources.completions();
            long size = wanted.size();
            source = resources.domain().register(resources.arena().allocate(size, 4096));
            sink = resources.domain().register(resources.arena().allocate(size, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            long slot = Math.max(Tally.LENGTH, wanted.latency() ? size : 0);
            control = resources.domain().register(resources.arena().allocate(RECEIVES * slot, 64), Access.LOCAL_WRITE);
            plan = wanted.withBuffer(sink.address(), sink.remoteKey());
            ConnectionManager manager = ConnectionManager.of(device);
            try (Connector connector = manager.connector(peer, CONNECT_TIMEOUT)) {
                pair = connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()).withDepths(depth, RECEIVES)
                        .withInline(inline(device, size)));
                inline = size <= pair.attributes().inlineLength() ? QueuePair.INLINE : 0;
                for (int i = 0; i < RECEIVES; i++) {
                    pair.postReceive(i, control, i * slot, slot);
                }
                connection = connector.connect(ConnectionParameters.defaults().withPrivateData(plan.encode()), CONNECT_TIMEOUT);
            }
            byte[] place = connection.privateData();
            if (place.length < 12) {
                connection.close();
                throw new Failure(HostPort.text(peer) + " is not a pverbs perf --listen: it accepted with " + place.length
                        + " bytes of private data");
            }
            remoteAddress = ByteBuffer.wrap(place).getLong();
            remoteKey = ByteBuffer.wrap(place).getInt(8);
        } catch (RuntimeException e) {
            resources.close();
            throw e;
        }
    }

    /** The longest message to send inline: short enough that a copy costs nothing. */
    static int inline(Device device, long size) {
        return size <= Math.min(INLINE_LIMIT, device.attributes().maximumInline()) ? (int) size : 0;
    }

    Plan plan() {
        return plan;
    }

    QueuePair pair() {
        return pair;
    }

    MemoryRegion source() {
        return source;
    }

    /** Where an echo of a Write, or a Read, lands. */
    MemorySegment sink() {
        return sink.segment();
    }

    /** {@link QueuePair#INLINE} where messages are short enough, else 0. */
    int inlineFlag() {
        return inline;
    }

    InetSocketAddress peer() {
        return connection.remoteAddress();
    }

    /** Posts one message. */
    boolean post(long id, int flags) {
        return switch (plan.operation()) {
            case WRITE -> pair.postWrite(id, source, 0, plan.size(), remoteAddress, remoteKey, flags | inline);
            case SEND -> pair.postSend(id, source, 0, plan.size(), flags | inline);
            case READ -> pair.postRead(id, sink, 0, plan.size(), remoteAddress, remoteKey, flags);
        };
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
            int count = plan.waiting() == Waiting.SPIN ? resources.queue().poll(completions) : resources.queue().await(completions, LOOK);
            if (count > 0) {
                dispatch(run);
                return;
            }
            Waiting.pause(++spins);
            if (plan.waiting() == Waiting.BLOCK || (spins & 0xffff) == 0) {
                since = patience(since);
            }
        }
    }

    /** Checks, now and then in a loop that waits, that there still is somebody to wait for. */
    long patience(long since) {
        long now = System.nanoTime();
        if (!connection.isConnected()) {
            throw lost();
        }
        if (since != 0 && now - since > PATIENCE_NANOS) {
            throw new Failure("nothing has come from " + HostPort.text(peer()) + " for " + PATIENCE_NANOS / 1_000_000_000 + " s");
        }
        return since == 0 ? now : since;
    }

    private void dispatch(Run run) {
        while (completions.next()) {
            if (!completions.isSuccess()) {
                throw connection.isConnected() ? new Failure("a request failed: " + completions.status().text()) : lost();
            }
            long id = completions.id();
            if (completions.opcode() != CompletionOpcode.RECEIVE) {
                if (id == MARK) {
                    marked = true;
                } else {
                    run.onCompletion(id);
                }
                continue;
            }
            long width = control.length() / RECEIVES;
            long length = completions.byteLength();
            if (marking && length == Tally.LENGTH) {
                tally = Tally.decode(control.segment(), id * width);
            } else {
                run.onReceive(length);
            }
            pair.postReceive(id, control, id * width, width);
        }
    }

    /** Why the connection is gone. */
    RuntimeException lost() {
        VerbsException failure = connection.failure().orElse(null);
        String what = "the connection to " + HostPort.text(peer()) + " was lost";
        return failure == null ? new Failure(what + ": the peer has closed it") : new Failure(what + ": " + failure.getMessage(), failure);
    }

    /** Rings the peer and waits for its tally: all messages before have arrived by then. */
    Tally mark(Run run) {
        marking = true;
        marked = false;
        tally = null;
        while (!pair.postSend(MARK, source, 0, 0, QueuePair.SIGNALED)) {
            await(run);
        }
        while (tally == null || !marked) {
            await(run);
        }
        marking = false;
        return tally;
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}
