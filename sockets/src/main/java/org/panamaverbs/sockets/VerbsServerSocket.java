package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.Complaints;
import org.panamaverbs.spi.Waits;

/** Takes peers that connect. A peer that does not finish its beginning makes no other wait. */
public final class VerbsServerSocket implements AutoCloseable {
    /** How long a peer may take to begin. */
    private static final Duration BEGINNING = Duration.ofSeconds(10);

    private final VerbsSockets sockets;
    private final Listener listener;
    private final StreamOptions options;
    private final Semaphore places;
    /** Sockets that are connected; after the listener has ended also the reason. */
    private final BlockingQueue<Object> ready = new LinkedBlockingQueue<>();
    private final Complaints complaints = new Complaints(VerbsServerSocket.class);

    VerbsServerSocket(VerbsSockets sockets, Listener listener, int backlog, StreamOptions options) {
        this.sockets = sockets;
        this.listener = listener;
        this.options = options;
        places = new Semaphore(backlog);
        Thread.startVirtualThread(this::run);
    }

    private void run() {
        try {
            while (true) {
                places.acquireUninterruptibly();
                admit(listener.awaitRequest(Verbs.FOREVER));
            }
        } catch (VerbsException e) {
            ready.add(e);
        }
    }

    private void admit(ConnectionRequest request) {
        try {
            SocketLoop loop = sockets.loop(request.device());
            Admission admission = new Admission(loop);
            loop.streams().accept(request, BEGINNING, options, admission);
        } catch (VerbsException e) {
            complaints.warn("the server socket on {} does not accept a peer: {}", address(), e.getMessage());
            request.close();
            places.release();
        }
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
            over = true;
            if (stream.remoteAddress() == null) {
                complaints.warn("the server socket on {} did not accept a peer: {}", address(), stream.failure().getMessage());
                stream.close();
                places.release();
            } else {
                ready.add(new VerbsSocket(loop, stream));
            }
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
    }
}
