package org.panamaverbs.tools.perf;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.tools.shared.HostPort;

/** Takes connections and serves each on a thread of its own, until it is closed. */
final class PerfListener implements AutoCloseable {
    static final String LISTENING = "listening on ";
    private static final int BACKLOG = 128;
    private static final int MAXIMUM_CONNECTIONS = 256;

    private final Device device;
    private final Listener listener;
    private final PrintWriter out;
    private final Semaphore free = new Semaphore(MAXIMUM_CONNECTIONS);

    PerfListener(Device device, InetSocketAddress address, PrintWriter out) {
        this.device = device;
        this.out = out;
        listener = ConnectionManager.of(device).listen(address, BACKLOG);
        say(LISTENING + HostPort.text(listener.address()));
    }

    /** Returns once it is closed. */
    void serve() {
        while (true) {
            ConnectionRequest request;
            try {
                request = listener.awaitRequest(Verbs.FOREVER);
            } catch (ClosedException e) {
                return;
            }
            Plan plan;
            try {
                plan = Plan.decode(request.privateData());
            } catch (IllegalArgumentException e) {
                refuse(request, e.getMessage());
                continue;
            }
            if (!free.tryAcquire()) {
                refuse(request, "there are " + MAXIMUM_CONNECTIONS + " connections already");
                continue;
            }
            // A thread of the system: it may spin.
            Thread.ofPlatform().daemon().name("perf-" + plan.operation()).start(() -> {
                try {
                    serve(request);
                } finally {
                    free.release();
                }
            });
        }
    }

    private void refuse(ConnectionRequest request, String why) {
        say(HostPort.text(request.remoteAddress()) + " refused: " + why);
        request.reject(why.getBytes(StandardCharsets.UTF_8));
    }

    private void serve(ConnectionRequest request) {
        String peer = HostPort.text(request.remoteAddress());
        try (Target target = new Target(device, request)) {
            say(peer + ": " + target.plan().operation() + ", " + target.plan().size() + " bytes");
            target.serve();
        } catch (RuntimeException | OutOfMemoryError e) {
            say(peer + ": " + e.getMessage());
        } finally {
            request.close();
        }
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    @Override
    public void close() {
        listener.close();
    }
}
