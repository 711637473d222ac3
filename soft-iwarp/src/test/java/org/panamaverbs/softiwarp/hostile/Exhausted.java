package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;

/**
 * A process that runs out of something while peers connect; {@link ExhaustionTest} starts it with a limit. Arguments: the transport, and what
 * runs out: {@code descriptors} or {@code memory}; {@code processor} measures the loop without descriptors. Prints figures, and "survived"
 * last.
 */
final class Exhausted {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Long enough for some attempts of the listener. */
    private static final long MEASURED_NANOS = 500_000_000L;
    /** Of a processor, the most that a listener without descriptors may use. It asks again ten times a second. */
    private static final double MOST_BUSY = 0.2;
    private static final byte[] REQUEST = Forge.start(true, true, 16, 16);
    private static final int PEERS = 10;
    /** Open once the listener has found no descriptor for a peer. */
    private static final CountDownLatch COMPLAINED = new CountDownLatch(1);

    private Exhausted() {
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        watch(System.err);
        try (Host host = new Host(arguments[0])) {
            Host.Pair bystander = host.connect();
            host.exchange(bystander);
            // Classes that are loaded now need no descriptor later.
            refuse(host);
            host.exchange(host.connect());
            if (arguments[1].equals("memory")) {
                memory(host);
            } else {
                descriptors(host, bystander, Path.of(arguments[2]), arguments[1].equals("processor"));
            }
            host.exchange(bystander);
            host.exchange(host.connect());
        }
        System.out.println("survived");
    }

    /** Watches the log. */
    private static void watch(PrintStream log) {
        System.setErr(new PrintStream(log, true) {
            @Override
            public void println(String line) {
                super.println(line);
                if (line.contains("cannot accept peers")) {
                    COMPLAINED.countDown();
                }
            }
        });
    }

    /** A peer that speaks something else: so the log has been used once. */
    private static void refuse(Host host) throws IOException {
        try (Socket socket = connect(host.listener.address())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertTrue(isDropped(socket));
        }
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) Host.LIMIT.toMillis());
        return socket;
    }

    private static boolean isDropped(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void descriptors(Host host, Host.Pair bystander, Path file, boolean measures) throws Exception {
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            peers.add(connect(host.listener.address()));
        }
        long before = host.device.statistics().requestsRefused().getAsLong();
        List<Socket> late = new ArrayList<>();
        long idle = measures ? measure() : 0;
        long cpu = runWithoutDescriptors(host, bystander, file, late, measures);
        // Each of them is served as soon as there are descriptors again: no event reports them a second time.
        for (Socket each : late) {
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
            each.getOutputStream().write(REQUEST);
            Host.get(accepted).connection.close();
            each.close();
        }
        for (Socket each : peers) {
            each.close();
        }
        System.out.println("busy for " + 100 * idle / MEASURED_NANOS + " % of the time before, for " + 100 * cpu / MEASURED_NANOS
                + " % then, refused " + (host.device.statistics().requestsRefused().getAsLong() - before));
        assertTrue(idle < MOST_BUSY * MEASURED_NANOS, "an idle loop spins");
        assertTrue(cpu < MOST_BUSY * MEASURED_NANOS, "it spins without descriptors");
    }

    /** Connects late peers while there is no descriptor for the listener; returns the time that the loop is busy then. */
    private static long runWithoutDescriptors(Host host, Host.Pair bystander, Path file, List<Socket> late, boolean measures)
            throws Exception {
        List<FileInputStream> files = new ArrayList<>();
        try {
            exhaust(file, files);
            while (late.size() < PEERS) {
                // Room for one descriptor at a time: the peer's own. The listener's accept finds none.
                files.removeLast().close();
                connectLate(host.listener.address(), late);
                exhaust(file, files);
            }
            long cpu = measures ? measure() : 0;
            host.exchange(bystander);
            // On a slow machine the listener may rest after a long turn, and asks for peers only then.
            assertTrue(COMPLAINED.await(Host.LIMIT.toMillis(), TimeUnit.MILLISECONDS), "the listener did not ask for peers");
            return cpu;
        } finally {
            // Also after a failure: it can only be told, and the host be closed, if classes can be loaded.
            files.forEach(Exhausted::close);
        }
    }

    /** Adds a peer, unless the listener took the one descriptor for a peer before: it tries that ten times a second. */
    private static void connectLate(InetSocketAddress address, List<Socket> late) throws IOException {
        try {
            late.add(new Socket(address.getAddress(), address.getPort()));
        } catch (SocketException e) {
            if (!e.getMessage().contains("Too many open files")) {
                throw e;
            }
        }
    }

    private static void exhaust(Path file, List<FileInputStream> files) {
        try {
            while (true) {
                files.add(new FileInputStream(file.toFile()));
            }
        } catch (IOException e) {
            assertTrue(e.getMessage().contains("Too many open files"), e::toString);
        }
    }

    private static void close(AutoCloseable file) {
        try {
            file.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The time that the loop's thread spends on a processor within {@link #MEASURED_NANOS}. */
    private static long measure() throws InterruptedException {
        long thread = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(each -> each != null && each.getThreadName().startsWith("soft-iwarp0-progress-")).mapToLong(ThreadInfo::getThreadId)
                .findFirst().orElseThrow();
        long begin = THREADS.getThreadCpuTime(thread);
        Thread.sleep(MEASURED_NANOS / 1_000_000);
        return THREADS.getThreadCpuTime(thread) - begin;
    }

    /** The program has used up what -XX:MaxDirectMemorySize allows it: connections need none of that. */
    private static void memory(Host host) throws Exception {
        List<ByteBuffer> hoard = new ArrayList<>();
        for (int size = 1 << 20; size > 0; size /= 1024) {
            try {
                while (true) {
                    hoard.add(ByteBuffer.allocateDirect(size));
                }
            } catch (OutOfMemoryError e) {
                // All that is left is shorter.
            }
        }
        for (int i = 0; i < PEERS; i++) {
            host.exchange(host.connect());
        }
        System.out.println("hoarded " + hoard.size());
    }
}
