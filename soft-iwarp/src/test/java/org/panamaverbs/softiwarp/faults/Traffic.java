package org.panamaverbs.softiwarp.faults;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;

/**
 * One end of a connection, with a thread that posts requests of all kinds and checks every byte that is reported as placed, until the
 * connection ends and all requests and receives are completed.
 *
 * <p>A token stands for a slot of memory at each end and for a receive. The end that has it writes to the peer's slot, tells the peer by a
 * Send or by immediate data, and so passes the token. Reads and atomics need none.
 */
final class Traffic implements Runnable {
    private static final int DEPTH = 32;
    private static final int LONGEST_THOUGHT = 300_000;
    private static final Duration WAIT = Duration.ofMillis(20);
    private static final Duration IDLE_WAIT = Duration.ofSeconds(1);
    // Kinds of requests, in the upper half of their numbers.
    private static final long MESSAGE = 1L << 32;
    private static final long READ = 2L << 32;
    private static final long ATOMIC = 3L << 32;
    private static final long RECEIVE = 4L << 32;
    private static final long KINDS = 0xFL << 32;

    private final String name;
    private final boolean idle;
    private final Arena arena = Arena.ofShared();
    private final Memory memory;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final CompletionQueue queue;
    private final Completions completions;
    private final long peerSeed;
    private final SplittableRandom random;
    private final Function<Traffic, Connection> opener;

    private final ArrayDeque<Integer> tokens = new ArrayDeque<>();
    private final boolean[] sinkBusy = new boolean[Memory.SINKS];
    private final long[] readAt = new long[Memory.SINKS];
    private final long[] readLength = new long[Memory.SINKS];
    private boolean atomicBusy;
    private long added;
    private volatile int sends;
    private volatile int receives;
    private long sequence;
    private RemoteMemory remote;

    private final Map<CompletionStatus, Integer> sent = new EnumMap<>(CompletionStatus.class);
    private final Map<CompletionStatus, Integer> received = new EnumMap<>(CompletionStatus.class);
    private volatile boolean stopping;
    private volatile boolean quiet;
    private volatile long told;
    private volatile long heard;
    private volatile long done;
    private volatile Connection connection;
    private volatile QueuePair pair;
    private volatile String failure = "";
    private volatile String defect = "";
    /** When the last completion came, by the clock that all processes share. */
    private volatile long last;
    /** When the first completion with an error came; 0 if none has. */
    private volatile long firstError;
    private volatile boolean over;

    Traffic(Device device, long round, int index, boolean client, boolean idle, Function<Traffic, Connection> opener) {
        this.name = (idle ? "idle" : "busy") + index;
        this.idle = idle;
        this.opener = opener;
        memory = new Memory(arena, idle, Memory.seedOf(round, index, client));
        peerSeed = Memory.seedOf(round, index, !client);
        random = new SplittableRandom(peerSeed);
        domain = device.allocateProtectionDomain();
        region = domain.register(memory.all, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
        queue = device.createCompletionQueue(2 * DEPTH + Memory.RECEIVES);
        completions = Completions.allocate(16);
        for (int token = 0; !idle && token < Memory.TOKENS; token++) {
            if (token % 2 == 0 == client) {
                tokens.add(token);
            }
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withDepths(DEPTH, Memory.RECEIVES).withSignalAll(true);
    }

    byte[] advertisement() {
        return region.remote().encode();
    }

    /** Posts the receives; before the connection begins. */
    void prepare(QueuePair created) {
        pair = created;
        for (int i = 0; i < Memory.RECEIVES; i++) {
            receive(i);
        }
    }

    void peer(byte[] advertisement) {
        remote = RemoteMemory.decode(advertisement);
    }

    private void receive(int slot) {
        pair.post(
                new ReceiveRequest().receive(RECEIVE | slot).local(region, memory.received + (long) slot * Memory.MESSAGE, Memory.MESSAGE));
        receives++;
    }

    @Override
    public void run() {
        try {
            connection = opener.apply(this);
            while (!isOver()) {
                if (!idle && !stopping && firstError == 0) {
                    post();
                }
                quiet = stopping && sends == 0;
                queue.await(completions, idle ? IDLE_WAIT : WAIT);
                while (completions.next()) {
                    handle();
                }
            }
        } catch (VerbsException e) {
            failure = e.toString();
            last = System.nanoTime();
        } catch (RuntimeException | Error e) {
            defect = "the thread failed: " + e;
        }
        over = true;
    }

    private boolean isOver() {
        return sends == 0 && receives == 0;
    }

    private void post() {
        while (!tokens.isEmpty() && sends <= DEPTH - 4) {
            LockSupport.parkNanos(random.nextInt(LONGEST_THOUGHT));
            tell(tokens.poll());
        }
        for (int i = 0; i < Memory.SINKS; i++) {
            if (!sinkBusy[i] && random.nextInt(4) == 0) {
                readLength[i] = length();
                readAt[i] = random.nextLong((memory.constant - readLength[i]) / Long.BYTES + 1) * Long.BYTES;
                sinkBusy[i] = true;
                pair.post(new SendRequest().read(READ | i).local(region, memory.sinks + (long) i * memory.slot, readLength[i])
                        .remote(remote, readAt[i]));
                sends++;
            }
        }
        if (!atomicBusy && random.nextInt(4) == 0) {
            atomicBusy = true;
            pair.post(new SendRequest().fetchAndAdd(ATOMIC).add(1).local(region, memory.result, 8).remote(remote, memory.counter));
            sends++;
        }
    }

    /** Short, medium and long. */
    private long length() {
        int longest = switch (random.nextInt(3)) {
            case 0 -> 64;
            case 1 -> 4096;
            default -> memory.slot;
        };
        return Math.max(32, random.nextInt(longest / Long.BYTES) * (long) Long.BYTES);
    }

    private void tell(int token) {
        long length = length();
        long seed = random.nextLong();
        long out = memory.out + (long) token * memory.slot;
        memory.fill(out, length, seed, 0);
        memory.set(out, ++sequence);
        memory.set(out + 8, length);
        memory.set(out + 16, seed);
        long at = memory.in + (long) token * memory.slot;
        if (random.nextBoolean()) {
            pair.post(new SendRequest().write(MESSAGE | token).local(region, out, length).remote(remote, at).immediate(token));
            sends++;
        } else {
            long message = memory.said + (long) token * Memory.MESSAGE;
            memory.set(message, token);
            memory.set(message + 8, sequence);
            memory.set(message + 16, length);
            memory.set(message + 24, seed);
            pair.post(new SendRequest().write(MESSAGE | token).local(region, out, length).remote(remote, at));
            pair.post(new SendRequest().send(MESSAGE | token).local(region, message, Memory.MESSAGE));
            sends += 2;
        }
        told++;
    }

    private void handle() {
        long id = completions.id();
        boolean received = (id & KINDS) == RECEIVE;
        if (received) {
            receives--;
        } else {
            sends--;
        }
        Map<CompletionStatus, Integer> statuses = received ? this.received : sent;
        last = System.nanoTime();
        if (!completions.isSuccess()) {
            firstError = firstError == 0 ? last : firstError;
        } else if ((id & KINDS) != MESSAGE && statuses.size() > (statuses.containsKey(CompletionStatus.SUCCESS) ? 1 : 0)) {
            // A message is done when its bytes are sent, though it completes behind a Read that is flushed.
            check("a Read, an atomic or a receive succeeded after another request had failed: " + statuses, 0);
        }
        statuses.merge(completions.status(), 1, Integer::sum);
        if (!completions.isSuccess()) {
            return;
        }
        done++;
        int number = (int) id;
        if (received) {
            hear(number);
            receive(number);
        } else if ((id & KINDS) == READ) {
            sinkBusy[number] = false;
            check("a Read of " + readLength[number] + " bytes",
                    memory.misfit(memory.sinks + (long) number * memory.slot, readLength[number], peerSeed, readAt[number] / Long.BYTES));
        } else if ((id & KINDS) == ATOMIC) {
            atomicBusy = false;
            check("fetch-and-add number " + added + " brought " + memory.get(memory.result), memory.get(memory.result) == added ? -1 : 0);
            added++;
        }
    }

    private void hear(int slot) {
        long message = memory.received + (long) slot * Memory.MESSAGE;
        boolean immediate = completions.opcode() == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE;
        int token = immediate ? completions.immediate() : (int) memory.get(message);
        long at = memory.in + (long) token * memory.slot;
        long length = memory.get(at + 8);
        if (!immediate) {
            check("the message and what was written", memory.get(message + 8) == memory.get(at) && memory.get(message + 16) == length
                    && memory.get(message + 24) == memory.get(at + 16) ? -1 : 0);
        }
        check("a Write of " + length + " bytes", memory.misfit(at + 24, length - 24, memory.get(at + 16), 3));
        heard++;
        tokens.add(token);
    }

    private void check(String what, long misfit) {
        if (misfit >= 0 && defect.isEmpty()) {
            defect = what + ": wrong at " + misfit;
        }
    }

    void stop() {
        stopping = true;
        queue.wakeup();
    }

    boolean isQuiet() {
        return over || idle || quiet;
    }

    boolean hasEnded() {
        return over;
    }

    boolean hasBegun() {
        return connection != null;
    }

    long told() {
        return told;
    }

    long heard() {
        return heard;
    }

    long done() {
        return done;
    }

    void disconnect() {
        if (connection != null) {
            connection.disconnect();
        }
    }

    /** A remark on it, for a {@link ConnectionSummary}. */
    String summary() {
        Connection was = connection;
        ConnectionEnd end = was == null ? null : was.end().orElse(null);
        String cause = end != null ? end.cause().name() : was == null ? ConnectionSummary.NEVER : ConnectionSummary.OPEN;
        String message = end == null ? "" : end.failure().map(Throwable::getMessage).orElse("");
        // Of a connection that goes on, another thread may be adding to them.
        return new ConnectionSummary(name, cause, pair == null ? "NONE" : pair.state().name(), last, firstError, told, heard, done, sends,
                receives, over ? sent.toString() : "", over ? received.toString() : "", defect, failure, message).toString();
    }

    void close() {
        if (connection != null) {
            connection.close();
        }
        queue.close();
        region.close();
        domain.close();
        arena.close();
    }
}
