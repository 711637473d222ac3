package org.panamaverbs.nfs.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.panamaverbs.rpcrdma.RdmaRpcException;

/**
 * A session's slots (RFC 8881, 2.10.6): each carries one call at a time, and numbers its calls. A number is used up when the server answered
 * SEQUENCE. If a call got no answer, nobody knows whether it is used up; then the slot is given up, since calls are not sent again.
 */
// Tested by NfsClientTest.
final class ClientSession {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Beyond the time-out of a call, until its future is done. */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private final PlacedCall rpc;
    private final NfsOptions options;
    private final SessionId id;
    private final ChannelAttributes channel;
    private final int slots;
    /** Guarded by this. */
    private final Deque<Slot> free = new ArrayDeque<>();
    private int lost;

    private static final class Slot {
        private final int number;
        private int sequence = 1;

        Slot(int number) {
            this.number = number;
        }
    }

    ClientSession(PlacedCall rpc, NfsOptions options, SessionId id, ChannelAttributes channel) {
        this.rpc = rpc;
        this.options = options;
        this.id = id;
        this.channel = channel;
        slots = (int) Math.min(Integer.toUnsignedLong(channel.maxRequests()), options.parallel());
        for (int i = 0; i < slots; i++) {
            free.add(new Slot(i));
        }
    }

    SessionId id() {
        return id;
    }

    ChannelAttributes channel() {
        return channel;
    }

    /** How many calls can be in flight. */
    int slots() {
        return slots;
    }

    /** Calls; waits for a free slot, but not for the reply. The future is done in another thread, which must not wait. */
    CompletableFuture<CompoundCall> start(CompoundCall compound, Placement placement) throws IOException {
        Slot slot = takeSlot();
        try {
            compound.addFirst(Operation.SEQUENCE, xdr -> {
                id.encode(xdr);
                xdr.xdrEncodeInt(slot.sequence);
                xdr.xdrEncodeInt(slot.number);
                xdr.xdrEncodeInt(slots - 1);
                xdr.xdrEncodeBoolean(false);
            }, xdr -> {
                SessionId session = SessionId.decode(xdr);
                int sequence = xdr.xdrDecodeInt();
                int number = xdr.xdrDecodeInt();
                xdr.xdrDecodeInt(); // sr_highest_slotid, sr_target_highest_slotid, sr_status_flags: this client needs none.
                xdr.xdrDecodeInt();
                xdr.xdrDecodeInt();
                if (!session.equals(id) || sequence != slot.sequence || number != slot.number) {
                    throw new BadXdrException("the server answers SEQUENCE of another call");
                }
            });
            return rpc.callAsync(Nfs4.COMPOUND, compound, compound, placement, options.timeout())
                    .whenComplete((answered, failure) -> finish(slot, compound, failure));
        } catch (IOException | RuntimeException e) {
            // Encoding failed: nothing was sent.
            giveBack(slot);
            throw e;
        }
    }

    private synchronized Slot takeSlot() throws IOException {
        long end = System.nanoTime() + options.timeout().toNanos();
        while (free.isEmpty()) {
            if (lost == slots) {
                throw new EOFException("no call gets an answer any more; try again over a new connection");
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new IOException("no slot of the session became free within " + options.timeout().toSeconds() + " s");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for a slot of the session");
            }
        }
        return free.removeFirst();
    }

    private void finish(Slot slot, CompoundCall compound, Throwable failure) {
        if (compound.succeeded() > 0) {
            slot.sequence++;
            giveBack(slot);
        } else if (compound.status() == Status.DELAY) {
            // RFC 8881, 15.1.1.3: SEQUENCE itself is put off, so its number is not used up.
            giveBack(slot);
        } else if (failure instanceof RdmaRpcException local && local.reason() == RdmaRpcException.Reason.LOCAL) {
            // It was never sent.
            giveBack(slot);
        } else {
            lose();
        }
    }

    private synchronized void giveBack(Slot slot) {
        free.addLast(slot);
        notifyAll();
    }

    private synchronized void lose() {
        lost++;
        notifyAll();
    }

    /** Waits for a call; the compound then has a status. */
    CompoundCall await(CompletableFuture<CompoundCall> call) throws IOException {
        return await(call, options.timeout());
    }

    static CompoundCall await(CompletableFuture<CompoundCall> call, Duration timeout) throws IOException {
        try {
            return call.get(timeout.plus(MARGIN).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the server");
        } catch (TimeoutException e) {
            throw late(timeout, e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case TimeoutException failure -> throw late(timeout, failure);
                default -> throw new IOException("a call failed: " + e.getCause().getMessage(), e.getCause());
            }
        }
    }

    private static IOException late(Duration timeout, Exception cause) {
        java.net.SocketTimeoutException failure = new java.net.SocketTimeoutException(
                "the server did not answer within " + timeout.toSeconds() + " s");
        failure.initCause(cause);
        return failure;
    }

    /** Calls until the server no longer puts the operations off. */
    CompoundCall call(Supplier<CompoundCall> operations, Placement placement, String object) throws IOException {
        Pause pause = new Pause();
        while (true) {
            CompoundCall compound = await(start(operations.get(), placement));
            if (!pause.after(compound.status())) {
                compound.check(object);
                return compound;
            }
        }
    }

    Pause pause() {
        return new Pause();
    }

    /** How long to wait for a server that puts operations off: longer each time, and not for ever. */
    final class Pause {
        private final long begin = System.nanoTime();
        private Duration next = FIRST_PAUSE;

        /** Waits, if the status asks to try again; false if it does not, or patience ended. */
        boolean after(Status status) throws IOException {
            boolean putOff = status == Status.DELAY || status == Status.GRACE;
            if (!putOff || System.nanoTime() - begin + next.toNanos() > options.patience().toNanos()) {
                return false;
            }
            try {
                Thread.sleep(next);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the server puts an operation off");
            }
            next = next.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? next.multipliedBy(2) : LONGEST_PAUSE;
            return true;
        }
    }
}
