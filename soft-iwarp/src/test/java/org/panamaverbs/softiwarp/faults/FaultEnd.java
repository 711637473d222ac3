package org.panamaverbs.softiwarp.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.panamaverbs.Configuration;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.statistics.DeviceStatistics;

/**
 * One end of the fault rounds: a process in a network namespace, which may be killed. It takes commands from its standard input and answers
 * each with a line:
 *
 * <pre>
 * open NAME=VALUE,...      opens a session with these settings; the server listens    ok RESOURCES
 * start ROUND BUSY IDLE MS connects within MS (client); private data tells the server  ok
 * ready NUMBER MILLIS      until so many connections have begun                        ready|hang SUMMARY;...
 * await MILLIS             until all connections have ended                           over|hang SUMMARY;...
 * quiet MILLIS             stops posting, until all requests are done                 quiet|hang SUMMARY;...
 * progress                 completions, and messages sent and received so far         done NUMBER NUMBER NUMBER
 * disconnect               in good order                                              ok
 * release MILLIS           closes what the round made, until RESOURCES are as before  ok|leak RESOURCES -> RESOURCES STATISTICS
 * </pre>
 */
public final class FaultEnd {
    private static final int PORT = 7471;
    private static final int ADVERTISEMENT = RemoteMemory.ENCODED_LENGTH;
    /** The first connections of a loop allocate some memory that stays with the loop. */
    private static final int KEPT_BYTES = 4096;
    /** Objects of the JVM itself come and go: up to 1.1 MiB within a round. The report shows what a round leaves on the heap. */
    private static final long KEPT_HEAP = 4 << 20;
    private static final int WARM = 100;
    /** So many equal counts in a row, one after each collection, are the baseline. */
    private static final int SETTLED = 4;
    private static final Duration AWAITING = Duration.ofSeconds(3);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final boolean client;
    private final InetSocketAddress server;
    private final List<Traffic> connections = new ArrayList<>();
    private String settings = "";
    /** For a connection to begin. */
    private volatile Duration patience = AWAITING;
    private Verbs verbs;
    private Listener listener;
    private Thread acceptor;
    private volatile boolean accepting;
    private Map<String, Long> baseline;

    private FaultEnd(boolean client, InetSocketAddress server) {
        this.client = client;
        this.server = server;
    }

    /** The arguments are {@code client} or {@code server}, and the address of the server. */
    public static void main(String[] arguments) throws IOException {
        FaultEnd end = new FaultEnd(arguments[0].equals("client"), new InetSocketAddress(arguments[1], PORT));
        warmUp();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String answer;
            try {
                answer = end.carryOut(line.split(" "));
            } catch (RuntimeException | Error e) {
                e.printStackTrace();
                answer = "failed " + e.toString().replace('\n', ' ');
            }
            System.out.println(answer);
        }
        // The controller is gone, or wanted no more than this process to load its classes.
        System.exit(0);
    }

    /** Talks to itself for a moment: so the first round does not wait for classes that are loaded. */
    private static void warmUp() {
        // The spare of an end has the same network.
        InetSocketAddress self = new InetSocketAddress("127.0.0.1", 10_000 + (int) (ProcessHandle.current().pid() % 20_000));
        FaultEnd near = new FaultEnd(true, self);
        FaultEnd far = new FaultEnd(false, self);
        for (String transport : new String[] { "transport=nio", "transport=epoll", "transport=shared-memory" }) {
            far.open(transport);
            near.open(transport);
            near.start(0, 1, 1, AWAITING);
            await("5000", () -> near.connections().stream().mapToLong(Traffic::done).sum() > WARM);
            near.carryOut(new String[] { "quiet", "1000" });
            far.carryOut(new String[] { "quiet", "1000" });
            near.carryOut(new String[] { "disconnect" });
            far.carryOut(new String[] { "await", "1000" });
            near.carryOut(new String[] { "await", "1000" });
            near.closeEnded();
            far.closeEnded();
        }
        near.shut();
        far.shut();
    }

    private String carryOut(String[] words) {
        return switch (words[0]) {
            case "open" -> open(words[1]);
            case "start" -> start(Long.parseLong(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]),
                    Duration.ofMillis(Long.parseLong(words[4])));
            case "await" -> summary(await(words[1], () -> connections().stream().allMatch(Traffic::hasEnded)) ? "over" : "hang");
            case "quiet" -> {
                connections().forEach(Traffic::stop);
                yield summary(await(words[1], () -> connections().stream().allMatch(Traffic::isQuiet)) ? "quiet" : "hang");
            }
            case "ready" ->
                summary(await(words[2], () -> connections().stream().filter(Traffic::hasBegun).count() == Integer.parseInt(words[1]))
                        ? "ready" : "hang");
            case "progress" -> "done " + connections().stream().mapToLong(Traffic::done).sum() + " "
                    + connections().stream().mapToLong(Traffic::told).sum() + " " + connections().stream().mapToLong(Traffic::heard).sum();
            case "disconnect" -> {
                connections().forEach(Traffic::disconnect);
                yield "ok";
            }
            case "release" -> release(words[1]);
            default -> "failed: no command " + words[0];
        };
    }

    private String open(String wanted) {
        if (!wanted.equals(settings)) {
            shut();
            Configuration.Builder builder = Configuration.builder().set("panamaverbs.provider", "soft-iwarp");
            for (String setting : wanted.split(",")) {
                builder.set("panamaverbs.softiwarp." + setting.substring(0, setting.indexOf('=')),
                        setting.substring(setting.indexOf('=') + 1));
            }
            verbs = Verbs.open(builder.build());
            if (!client) {
                listener = ConnectionManager.of(verbs.device()).listen(server, 64);
                accepting = true;
                acceptor = Thread.ofPlatform().start(this::accept);
            }
            settings = wanted;
            baseline = count();
            // The memory that earlier sessions had in automatic arenas comes back with collections, and a while after them.
            int[] same = new int[1];
            await("2000", () -> {
                LockSupport.parkNanos(POLL_NANOS);
                Map<String, Long> before = baseline;
                baseline = count();
                before.put(Resources.HEAP_BYTES, baseline.get(Resources.HEAP_BYTES));
                same[0] = baseline.equals(before) ? same[0] + 1 : 0;
                return same[0] == SETTLED;
            });
        }
        return "ok " + baseline;
    }

    private void shut() {
        if (verbs != null) {
            accepting = false;
            if (listener != null) {
                listener.close();
                join(acceptor);
            }
            verbs.close();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Traffic> connections() {
        synchronized (connections) {
            return List.copyOf(connections);
        }
    }

    private void add(Traffic traffic) {
        synchronized (connections) {
            connections.add(traffic);
            Thread.ofPlatform().daemon().start(traffic);
        }
    }

    private String start(long round, int busy, int idle, Duration limit) {
        patience = limit;
        for (int i = 0; client && i < busy + idle; i++) {
            int index = i;
            boolean idles = i >= busy;
            ByteBuffer data = ByteBuffer.allocate(ADVERTISEMENT + Long.BYTES + 2 * Integer.BYTES);
            add(new Traffic(verbs.device(), round, index, true, idles, traffic -> {
                data.put(traffic.advertisement()).putLong(round).putInt(index).putInt(idles ? 1 : 0);
                return connect(traffic, data.array());
            }));
        }
        return "ok";
    }

    private Connection connect(Traffic traffic, byte[] data) {
        try (Connector connector = ConnectionManager.of(verbs.device()).connector(Route.to(server), patience)) {
            traffic.prepare(connector.createQueuePair(traffic.domain(), traffic.attributes()));
            Connection connection = connector.connect(ConnectionParameters.defaults().withPrivateData(data), patience);
            traffic.peer(connection.privateData());
            return connection;
        }
    }

    private void accept() {
        while (accepting) {
            try {
                ConnectionRequest request = listener.awaitRequest(AWAITING);
                ByteBuffer data = ByteBuffer.wrap(request.privateData());
                byte[] remote = new byte[ADVERTISEMENT];
                data.get(remote);
                add(new Traffic(verbs.device(), data.getLong(), data.getInt(), false, data.getInt() == 1, traffic -> {
                    try (request) {
                        traffic.prepare(request.createQueuePair(traffic.domain(), traffic.attributes()));
                        traffic.peer(remote);
                        return request.accept(ConnectionParameters.defaults().withPrivateData(traffic.advertisement()), patience);
                    }
                }));
            } catch (VerbsTimeoutException e) {
                // No client yet.
            } catch (VerbsException e) {
                if (accepting) {
                    e.printStackTrace();
                }
            }
        }
    }

    private static boolean await(String millis, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(millis));
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    private String summary(String word) {
        if (word.equals("hang")) {
            Thread.getAllStackTraces().forEach((thread, stack) -> {
                System.err.println(thread);
                for (StackTraceElement element : stack) {
                    System.err.println("    at " + element);
                }
            });
        }
        return word + " " + connections().stream().map(Traffic::summary).collect(Collectors.joining(";"));
    }

    private String release(String millis) {
        String[] counts = new String[1];
        boolean same = await(millis, () -> {
            closeEnded();
            Map<String, Long> now = count();
            counts[0] = now + " " + verbs.device().statistics();
            return isBaseline(now) && connections().isEmpty() && allEnded(verbs.device().statistics());
        });
        return (same ? "ok " : "leak ") + baseline + " -> " + counts[0];
    }

    private static boolean allEnded(DeviceStatistics statistics) {
        return statistics.connectionsEstablished().getAsLong() == statistics.endedOrderly().getAsLong()
                + statistics.endedByLocalError().getAsLong() + statistics.endedByRemoteError().getAsLong()
                + statistics.endedByLoss().getAsLong();
    }

    /** Counts after a collection, so that the heap has nothing but what is in use. */
    private Map<String, Long> count() {
        System.gc();
        return Resources.count(verbs);
    }

    /** Whether the counts are those from before the first connection, but for what one is made with and stays. */
    private boolean isBaseline(Map<String, Long> now) {
        Map<String, Long> without = new HashMap<>(now);
        without.compute(Resources.NATIVE_BYTES,
                (name, bytes) -> Math.max(baseline.get(name), bytes <= baseline.get(name) + KEPT_BYTES ? 0 : bytes));
        without.compute(Resources.HEAP_BYTES, (name, bytes) -> bytes <= baseline.get(name) + KEPT_HEAP ? baseline.get(name) : bytes);
        return without.equals(baseline);
    }

    /** Also those that a client asked for before it was killed, and that come only now. */
    private void closeEnded() {
        for (Traffic traffic : connections()) {
            if (traffic.hasEnded()) {
                traffic.close();
                synchronized (connections) {
                    connections.remove(traffic);
                }
            }
        }
    }
}
