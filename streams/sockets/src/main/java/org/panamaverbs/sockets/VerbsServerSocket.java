package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Incubating;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/** Takes peers that connect. A peer that does not finish its beginning makes no other wait. */
// Tested by VerbsSocketTest, BusyCarriersTest.
public final class VerbsServerSocket implements AutoCloseable {
    /** How long a peer may take to begin. */
    private static final Duration BEGINNING = Duration.ofSeconds(10);

    /** The pause after a failure of this side. */
    private static final long REST_NANOS = 1_000_000;

    private final VerbsSockets sockets;
    private final Listener listener;
    private final StreamOptions options;
    private final Semaphore places;
    private final AcceptedSockets accepted;
    private final Complaints complaints = new Complaints(VerbsServerSocket.class);
    private final Complaints.Message notAdmitted = complaints.message("the server socket on {} does not accept a peer: {}");
    private final Complaints.Message admissionFailed = complaints.message("the server socket on {} could not accept a peer");
    private final Complaints.Message notAccepted = complaints.message("the server socket on {} did not accept a peer: {}");

    VerbsServerSocket(VerbsSockets sockets, Listener listener, int backlog, StreamOptions options) {
        this.sockets = sockets;
        this.listener = listener;
        this.options = options;
        places = new Semaphore(backlog);
        accepted = new AcceptedSockets(places::release);
        Workers.start("sockets-accept-" + listener.address().getPort(), this::run);
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            places.acquireUninterruptibly();
            try {
                goesOn = admitNext();
            } catch (VerbsException e) {
                places.release();
                notAdmitted.warn(listener.address(), e.getMessage());
            } catch (RuntimeException | Error e) {
                // Memory is lacking for this peer: for the next there may be some.
                places.release();
                admissionFailed.error(listener.address(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** {@return whether further peers may come} */
    private boolean admitNext() {
        ConnectionRequest request;
        try {
            request = listener.awaitRequest(Verbs.FOREVER);
        } catch (VerbsException e) {
            accepted.end(e);
            return false;
        }
        admit(request);
        return true;
    }

    private void admit(ConnectionRequest request) {
        SocketLoop loop;
        Admission admission;
        try {
            loop = sockets.loop(request.device());
            admission = new Admission(loop);
        } catch (VerbsException | OutOfMemoryError e) {
            request.close();
            throw e;
        }
        loop.streams().accept(request, BEGINNING, options, admission);
    }

    /** A stream that is not ready yet. */
    private final class Admission implements StreamListener {
        private final SocketLoop loop;
        private final SocketStages stages;
        private boolean over;

        Admission(SocketLoop loop) {
            this.loop = loop;
            stages = new SocketStages(loop);
        }

        @Override
        public void changed(ByteStream stream) {
            if (over) {
                stages.changed(stream);
                return;
            }
            if (stream.remoteAddress() == null && !stream.hasEnded()) {
                return;
            }
            if (stream.remoteAddress() == null) {
                IOException failure = stream.failure();
                notAccepted.warn(address(), String.valueOf(failure == null ? null : failure.getMessage()));
                stream.close();
                places.release();
            } else {
                accepted.add(new VerbsSocket(loop, stream, stages));
            }
            over = true;
        }
    }

    /** {@return the address that it listens on, with the real port} */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * Waits for the next peer.
     *
     * @param timeout how long at most
     * @return a connected socket, closed by the caller
     * @throws SocketTimeoutException if none came in time
     * @throws IOException            if it is closed, also while waiting
     */
    public VerbsSocket accept(Duration timeout) throws IOException {
        long nanos = Waits.nanos(timeout);
        CompletableFuture<VerbsSocket> stage = accepted.take();
        try {
            return stage.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return withdrawn(stage, new SocketTimeoutException("no peer connected to " + address() + " within " + timeout));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return withdrawn(stage, new IOException("the thread was interrupted while it waited for a peer", e));
        } catch (ExecutionException e) {
            throw accepted.failure();
        }
    }

    /** A socket that has come at the last moment is not lost. */
    private VerbsSocket withdrawn(CompletableFuture<VerbsSocket> stage, IOException failure) throws IOException {
        if (stage.cancel(false)) {
            throw failure;
        }
        try {
            return stage.join();
        } catch (CompletionException e) {
            throw accepted.failure();
        }
    }

    /**
     * The twin of {@link #accept} that waits without a thread, as {@link VerbsSocket} says of all stages. Several stages may wait: the
     * first one gets the first peer.
     *
     * @return completes with a connected socket, closed by the caller, or with an {@link IOException} as of {@code accept};
     *         {@link java.nio.channels.AsynchronousCloseException} if this is closed while the stage waits
     */
    @Incubating("how a stage is withdrawn, and what holds for stages that wait beside each other")
    public CompletionStage<VerbsSocket> acceptAsync() {
        return accepted.take();
    }

    /** Stops listening, and closes the sockets that were not taken. */
    @Override
    public void close() {
        listener.close();
        accepted.close(new ClosedException("the server socket on " + Route.text(address()) + " is closed"));
        // The thread that takes peers may wait for a place.
        places.release();
    }
}
