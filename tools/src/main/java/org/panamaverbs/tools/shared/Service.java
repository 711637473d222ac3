package org.panamaverbs.tools.shared;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;

/** Takes connections at an address and serves each on a thread of its own. What goes wrong with one is a line, and no matter to the others. */
public final class Service implements AutoCloseable {
    /** What it says first, followed by the address. */
    public static final String LISTENING = "listening on ";

    private static final int BACKLOG = 128;

    private final Listener listener;
    private final PrintWriter out;
    private final int most;
    private final Semaphore free;

    /**
     * Listens.
     *
     * @param what stands before {@link #LISTENING} in the first line; may be empty
     * @param most connections at a time; further ones are rejected
     */
    public Service(Device device, InetSocketAddress address, int most, PrintWriter out, String what) {
        this.out = out;
        this.most = most;
        this.free = new Semaphore(most);
        listener = ConnectionManager.of(device).listen(address, BACKLOG);
        say(what + LISTENING + HostPort.text(listener.address()));
    }

    /** Where it listens, with the real port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Serves until it is closed. */
    public void serve(Consumer<ConnectionRequest> server) {
        while (true) {
            ConnectionRequest request;
            try {
                request = listener.awaitRequest(Verbs.FOREVER);
            } catch (ClosedException e) {
                return;
            }
            if (!free.tryAcquire()) {
                reject(request, "there are " + most + " connections already");
                continue;
            }
            // A thread of the system: it may spin, or wait for a disk.
            Thread.ofPlatform().daemon().name("serve-" + HostPort.text(request.remoteAddress())).start(() -> {
                try (request) {
                    server.accept(request);
                } catch (RuntimeException | OutOfMemoryError e) {
                    say(HostPort.text(request.remoteAddress()) + ": " + e.getMessage());
                } finally {
                    free.release();
                }
            });
        }
    }

    /** Serves one connection only. */
    public void serveOnce(Consumer<ConnectionRequest> server) {
        try (ConnectionRequest request = listener.awaitRequest(Verbs.FOREVER)) {
            server.accept(request);
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
    }
}
