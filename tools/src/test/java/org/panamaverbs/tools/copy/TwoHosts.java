package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Two network namespaces with a link between them that can be cut. Needs Linux, root and ip(8). */
final class TwoHosts implements AutoCloseable {
    static final String CLIENT = "10.78.0.1";
    static final String SERVER = "10.78.0.2";
    private static final String NOBODY = "02:00:00:00:00:01";
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Pattern RECEIVED = Pattern.compile("RX: +bytes[^\n]*\n *(\\d+)");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** At most 15 characters, and of this process: several runs may go on at a time. */
    private final String client = "pvc" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    private final String server = client.replace("pvc", "pvs");

    TwoHosts() throws IOException {
        run("ip", "netns", "add", client);
        run("ip", "netns", "add", server);
        run("ip", "-n", client, "link", "add", client, "type", "veth", "peer", "name", server, "netns", server);
        begin(client, CLIENT);
        begin(server, SERVER);
    }

    private static void begin(String name, String address) throws IOException {
        run("ip", "-n", name, "addr", "add", address + "/24", "dev", name);
        run("ip", "-n", name, "link", "set", "lo", "up");
        run("ip", "-n", name, "link", "set", name, "up");
    }

    /** Why there can be no such hosts here; empty if there can. */
    static String obstacle() {
        if (!System.getProperty("os.name").equals("Linux") || !Files.isWritable(Path.of("/run"))) {
            return "network namespaces need Linux and root";
        }
        try {
            new TwoHosts().close();
            return "";
        } catch (IOException e) {
            return "network namespaces need root, ip(8) of iproute2, and a kernel with veth: " + e.getMessage();
        }
    }

    /** The words before a command that run it at the client. */
    List<String> atClient() {
        return List.of("ip", "netns", "exec", client);
    }

    List<String> atServer() {
        return List.of("ip", "netns", "exec", server);
    }

    /** Waits until a host has received so much. */
    void awaitReceived(boolean byServer, long bytes) throws IOException, InterruptedException {
        String name = byServer ? server : client;
        long begin = System.nanoTime();
        while (true) {
            String said = run("ip", "-n", name, "-s", "link", "show", "dev", name);
            Matcher received = RECEIVED.matcher(said);
            if (received.find() && Long.parseLong(received.group(1)) >= bytes) {
                return;
            }
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new AssertionError(name + " has not received " + bytes + " bytes: " + said);
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    /** No packet arrives any more, and neither end hears of that: each sends its frames to a station that does not exist. */
    void cut() throws IOException {
        run("ip", "-n", client, "neigh", "replace", SERVER, "lladdr", NOBODY, "dev", client, "nud", "permanent");
        run("ip", "-n", server, "neigh", "replace", CLIENT, "lladdr", NOBODY, "dev", server, "nud", "permanent");
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
        return said;
    }

    @Override
    public void close() throws IOException {
        for (String each : List.of(client, server)) {
            if (Files.exists(Path.of("/run/netns", each))) {
                run("ip", "netns", "del", each);
            }
        }
    }
}
