package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
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
    /** Sockets that are connected; after the listener has ended also the reason. */
    private final BlockingQueue<Object> ready = new LinkedBlockingQueue<>();
    private final Complaints complaints = new Complaints(VerbsServerSocket.class);
    private final Complaints.Message notAdmitted = complaints.message("the server socket on {} does not accept a peer: {}");
    private final Complaints.Message admissionFailed = complaints.message("the server socket on {} could not accept a peer");
    private final Complaints.Message notAccepted = complaints.message("the server socket on {} did not accept a peer: {}");

    VerbsServerSocket(VerbsSockets sockets, Listener listener, int backlog, StreamOptions options) {
        this.sockets = sockets;
        this.listener = listener;
        this.options = options;
        places = new Semaphore(backlog);
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
            ready.add(e);
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
        } catch (RuntimeException | Error e) {
            request.close();
            throw e;
        }
        loop.streams().accept(request, BEGINNING, options, admission);
    }

    /** A stream that is not ready yet. */
    private final class Admission implements StreamListener {
        private final SocketLoop loop;
        private boolean over;

        Admission(SocketLoop loop) {
            this.loop = loop;
        }

        @Override
        public void changed(ByteStream stream) {
            if (over || stream.remoteAddress() == null && !stream.hasEnded()) {
                return;
            }
            if (stream.remoteAddress() == null) {
                notAccepted.warn(address(), stream.failure().getMessage());
                stream.close();
                places.release();
            } else {
                ready.add(new VerbsSocket(loop, stream));
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
        try {
            Object next = ready.poll(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
            if (next instanceof VerbsSocket socket) {
                places.release();
                return socket;
            }
            if (next == null) {
                throw new SocketTimeoutException("no peer connected to " + address() + " within " + timeout);
            }
            ready.add(next);
            VerbsException reason = (VerbsException) next;
            throw new IOException(reason.getMessage(), reason);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the thread was interrupted while it waited for a peer", e);
        }
    }

    /** Stops listening, and closes the sockets that were not taken. */
    @Override
    public void close() {
        listener.close();
        for (Object next = ready.poll(); next != null; next = ready.poll()) {
            if (next instanceof VerbsSocket socket) {
                socket.close();
            }
        }
        // The thread that takes peers may wait for a place.
        places.release();
    }
}
