package org.panamaverbs.tools.shared;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.rpcrdma.limits.Budget;

/** Takes connections at an address and serves each on a thread of its own. The failure of one is a line, and no matter to the others. */
public final class Service implements AutoCloseable {
    /** The words of its first line before the address. */
    public static final String LISTENING = "listening on ";

    private static final int BACKLOG = 128;
    /** The name of a thread without a client. */
    private static final String FREE = "serves nobody";

    /** The pause after a client for whom there was no memory. */
    private static final long REST_NANOS = 1_000_000;

    private final Listener listener;
    private final PrintWriter out;
    private final Limits limits;
    private final Budget shares;
    private final Set<Place> places = ConcurrentHashMap.newKeySet();
    /** Threads of the system: they may spin, or wait for a disk. One that has served its client serves another. */
    private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

    /**
     * How many clients there may be.
     *
     * @param most    at a time; a machine gets as many as it leaves to the others
     * @param silence if there is no place, a new client gets that of the client that has been silent for longest, and for so long: of one of
     *                its own machine if that has its share, else of any. If there is none, the new one is rejected
     */
    public record Limits(int most, Duration silence) {
    }

    /**
     * Listens.
     *
     * @param what stands before {@link #LISTENING} in the first line; may be empty
     */
    public Service(ConnectionManager connections, InetSocketAddress address, Limits limits, PrintWriter out, String what) {
        this.out = out;
        this.limits = limits;
        this.shares = new Budget(limits.most());
        listener = connections.listen(address, BACKLOG);
        say(what + LISTENING + HostPort.text(listener.address()));
    }

    /** The address that it listens on, with the real port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Serves until it is closed. The thread of a client that has lost its place ends soon. */
    public void serve(BiConsumer<ConnectionRequest, Place> server) {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = serveNext(server);
            } catch (OutOfMemoryError e) {
                // For the next client there may be some again.
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** {@return whether further clients may come} */
    private boolean serveNext(BiConsumer<ConnectionRequest, Place> server) {
        ConnectionRequest request;
        try {
            request = listener.awaitRequest(Verbs.FOREVER);
        } catch (ClosedException e) {
            return false;
        }
        try {
            admit(request, server);
        } catch (OutOfMemoryError e) {
            request.close();
            throw e;
        }
        return true;
    }

    private void admit(ConnectionRequest request, BiConsumer<ConnectionRequest, Place> server) {
        PeerNetwork peer = PeerNetwork.of(request.remoteAddress());
        if (!shares.tryTake(peer, 1) && !takePlace(peer)) {
            refuse(request,
                    shares.takenBy(peer) > 0
                            ? "there are " + shares.takenBy(peer) + " connections from this machine already: close some, or try again later"
                            : "there are " + limits.most() + " connections already: try again later");
            return;
        }
        Place place = new Place(peer);
        places.add(place);
        try {
            threads.execute(() -> serve(request, place, server));
        } catch (OutOfMemoryError | RejectedExecutionException e) {
            leave(place);
            refuse(request, "there is no thread for another connection: try again later");
        }
    }

    private void serve(ConnectionRequest request, Place place, BiConsumer<ConnectionRequest, Place> server) {
        Thread.currentThread().setName("serve-" + HostPort.text(request.remoteAddress()));
        try (request) {
            server.accept(request, place);
        } catch (ClosedException e) {
            // The program has closed the device, since it ends. The client did nothing wrong.
        } catch (RuntimeException | Error e) {
            // The wall of this thread: its client alone is lost.
            say(HostPort.text(request.remoteAddress()) + ": " + (e instanceof RuntimeException ? e.getMessage() : e.toString()));
        } finally {
            leave(place);
            Thread.currentThread().setName(FREE);
        }
    }

    private void leave(Place place) {
        places.remove(place);
        if (place.giveUp()) {
            shares.giveBack(place.peer(), 1);
        }
    }

    /** Refuses a connection on the thread that accepts, which goes on if the peer has left meanwhile. */
    private void refuse(ConnectionRequest request, String why) {
        try (request) {
            reject(request, why);
        } catch (RuntimeException e) {
            say(HostPort.text(request.remoteAddress()) + ": " + e.getMessage());
        }
    }

    /** Takes the place of the client that has been silent for longest, whose thread then does not free it again. */
    private boolean takePlace(PeerNetwork peer) {
        long nanoTime = System.nanoTime();
        boolean own = shares.takenBy(peer) > 0;
        Optional<Place> longest = places.stream().filter(place -> place.isHeld() && (!own || place.peer().equals(peer)))
                .max(Comparator.comparing(place -> place.silence(nanoTime)));
        if (longest.isPresent() && longest.get().silence(nanoTime).compareTo(limits.silence()) >= 0 && longest.get().giveUp()) {
            shares.giveBack(longest.get().peer(), 1);
        }
        // That one may have left by itself.
        return shares.tryTake(peer, 1);
    }

    /** Serves one connection only. */
    public void serveOnce(BiConsumer<ConnectionRequest, Place> server) {
        try (ConnectionRequest request = listener.awaitRequest(Verbs.FOREVER)) {
            server.accept(request, new Place(PeerNetwork.of(request.remoteAddress())));
        }
    }

    /** Refuses a connection, telling both ends why. */
    public void reject(ConnectionRequest request, String why) {
        say(HostPort.text(request.remoteAddress()) + " refused: " + why);
        request.reject(why.getBytes(StandardCharsets.UTF_8));
    }

    /** Says a line at once; a peer's text in it may be anything. */
    public void say(String line) {
        out.println(Printable.of(line));
        out.flush();
    }

    @Override
    public void close() {
        listener.close();
        threads.shutdown();
    }
}
