package org.panamaverbs.sockets;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;

/**
 * The sockets of a server socket that are connected and wait for the program, or else the stages of the program that wait for them. The
 * first stage gets the first socket. Any thread may call any method.
 */
// Tested by ConnectStagesTest, VerbsSocketTest.
final class AcceptedSockets {
    private final Runnable onTaken;
    private final Lock lock = new ReentrantLock();
    // Guarded by the lock. One of the two is empty.
    private final Queue<VerbsSocket> ready = new ArrayDeque<>();
    private final SequencedSet<Accept> waiting = new LinkedHashSet<>();
    /** Why no more come; {@code null} if more may. */
    private @Nullable VerbsException end;

    /** @param onTaken called for each socket that the program takes, by any thread */
    AcceptedSockets(Runnable onTaken) {
        this.onTaken = onTaken;
    }

    /** Waits for a socket. */
    private final class Accept extends PendingStage<VerbsSocket> {
        private @Nullable VerbsSocket socket;

        @Override
        boolean withdraw() {
            lock.lock();
            try {
                return waiting.remove(this);
            } finally {
                lock.unlock();
            }
        }

        @Override
        VerbsSocket result() {
            return Objects.requireNonNull(socket);
        }
    }

    /** {@return a stage for the next socket} */
    CompletableFuture<VerbsSocket> take() {
        Accept accept = new Accept();
        lock.lock();
        try {
            accept.socket = ready.poll();
            if (accept.socket == null) {
                if (end != null) {
                    return CompletableFuture.failedFuture(failure());
                }
                waiting.add(accept);
                return accept;
            }
        } finally {
            lock.unlock();
        }
        onTaken.run();
        accept.finish(null);
        return accept;
    }

    /** {@return why no socket comes any more, as an exception for the calling thread} */
    IOException failure() {
        lock.lock();
        try {
            VerbsException reason = Objects.requireNonNull(end);
            return new IOException(reason.getMessage(), reason);
        } finally {
            lock.unlock();
        }
    }

    /** A socket is connected. After the end it is closed. */
    void add(VerbsSocket socket) {
        Accept first = null;
        lock.lock();
        try {
            if (end == null && waiting.isEmpty()) {
                ready.add(socket);
                return;
            }
            if (end == null) {
                first = waiting.removeFirst();
                first.socket = socket;
            }
        } finally {
            lock.unlock();
        }
        if (first == null) {
            socket.close();
        } else {
            onTaken.run();
            first.finish(null);
        }
    }

    /** No more sockets come: the stages that wait fail. The first reason counts. */
    void end(VerbsException reason) {
        IOException failure = reason instanceof ClosedException ? new AsynchronousCloseException()
                : new IOException(reason.getMessage(), reason);
        for (Accept next = endNext(reason); next != null; next = endNext(reason)) {
            next.finish(failure);
        }
    }

    private @Nullable Accept endNext(VerbsException reason) {
        lock.lock();
        try {
            end = end == null ? reason : end;
            return waiting.isEmpty() ? null : waiting.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** The program takes no more: those that it has not taken are closed, and those that come still. */
    void close(ClosedException reason) {
        end(reason);
        for (VerbsSocket next = poll(); next != null; next = poll()) {
            next.close();
        }
    }

    private @Nullable VerbsSocket poll() {
        lock.lock();
        try {
            return ready.poll();
        } finally {
            lock.unlock();
        }
    }
}
