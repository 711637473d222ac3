package org.panamaverbs.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.tools.DevicesCommand;
import picocli.CommandLine;

/** The events that can happen to devices, which the lab's machine causes, and what pverbs shows of them. For the lab only. */
class DevicesContractTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<String[]> undo = new ArrayList<>();

    @AfterEach
    void undo() throws Exception {
        for (String[] command : undo.reversed()) {
            run(command);
        }
    }

    @ParameterizedTest
    @CsvSource({ "siw0, siwnet", "rxe0, rxenet" })
    void shouldTellEverySessionOfAPortThatGoesDownAndUp(String device, String network) throws Exception {
        try (Verbs first = open(device); Verbs second = open(device)) {
            AsynchronousEvents here = first.device().asynchronousEvents();
            AsynchronousEvents there = second.device().asynchronousEvents();
            undo.add(new String[] { "ip", "link", "set", network, "up" });
            run("ip", "link", "set", network, "down");
            tells(here, AsynchronousEvent.Type.PORT_ERROR, first);
            tells(there, AsynchronousEvent.Type.PORT_ERROR, second);
            assertTrue(!first.device().attributes().active());
            assertEquals(PortAttributes.State.DOWN, first.device().ports().getFirst().state());
            run("ip", "link", "set", network, "up");
            tells(here, AsynchronousEvent.Type.PORT_ACTIVE, first);
            tells(there, AsynchronousEvent.Type.PORT_ACTIVE, second);
            assertTrue(first.device().attributes().active() && second.device().attributes().active());
        }
    }

    /** A listener at all addresses is reached over each device, and the address that a program connects to selects its device. */
    @Test
    void shouldListenAndConnectOverAllDevices() throws Exception {
        try (Verbs serving = Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").build());
                Verbs connecting = Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").build());
                Listener listener = ConnectionManager.of(serving).listen(new InetSocketAddress("0.0.0.0", 0), 8)) {
            for (String[] each : new String[][] { { "siw0", "192.0.2.1" }, { "rxe0", "198.51.100.1" }, { "siw0", "192.0.2.2" } }) {
                FutureTask<String> accepting = new FutureTask<>(() -> accept(listener, new CountDownLatch(0)));
                Thread.startVirtualThread(accepting);
                InetSocketAddress remote = new InetSocketAddress(each[1], listener.address().getPort());
                try (Connector connector = ConnectionManager.of(connecting).connector(remote, LIMIT)) {
                    assertEquals(each[0], connector.device().name());
                    try (ProtectionDomain domain = connector.device().allocateProtectionDomain();
                            CompletionQueue queue = connector.device().createCompletionQueue(256)) {
                        connector.createQueuePair(domain, QueuePairAttributes.of(queue).withInline(0));
                        try (Connection connection = connector.connect(ConnectionParameters.defaults().withReads(1, 1), LIMIT)) {
                            assertEquals(each[0] + " at " + each[1], accepting.get());
                            assertEquals(remote, connection.remoteAddress());
                        }
                    }
                }
            }
        }
    }

    /** The kernel's devices answer probes. (No peer of theirs can vanish here without a word.) */
    @ParameterizedTest
    @CsvSource({ "siw0, 192.0.2.1", "rxe0, 198.51.100.1" })
    void shouldProbeIdleConnections(String name, String address) throws Exception {
        Configuration keepsAlive = Configuration.builder().set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", name)
                .set("panamaverbs.rdmacore.keepalive", "300").build();
        CountDownLatch probed = new CountDownLatch(1);
        try (Verbs serving = open(name);
                Verbs connecting = Verbs.open(keepsAlive);
                Listener listener = ConnectionManager.of(serving).listen(new InetSocketAddress(address, 0), 8)) {
            FutureTask<String> accepting = new FutureTask<>(() -> accept(listener, probed));
            Thread.startVirtualThread(accepting);
            try (Connector connector = ConnectionManager.of(connecting).connector(listener.address(), LIMIT);
                    ProtectionDomain domain = connector.device().allocateProtectionDomain();
                    CompletionQueue queue = connector.device().createCompletionQueue(256)) {
                QueuePair queuePair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withInline(0));
                try (Connection connection = connector.connect(ConnectionParameters.defaults().withReads(1, 1), LIMIT)) {
                    await("three probes are answered",
                            () -> !connection.isConnected() || queuePair.statistics().requestsCompleted().orElseThrow() >= 3);
                    assertTrue(connection.isConnected(), () -> connection.end().toString());
                    assertEquals(0, queuePair.statistics().requestsFailed().orElseThrow());
                    assertEquals(0, queue.poll(Completions.allocate(8)), "no probe is for the program");
                } finally {
                    probed.countDown();
                }
            }
            assertEquals(name + " at " + address, accepting.get());
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, () -> what + ": not within " + LIMIT);
            Thread.sleep(10);
        }
    }

    /** Takes one request; tells its device and the address that it came to, once the connection may end. */
    private static String accept(Listener listener, CountDownLatch end) throws InterruptedException {
        try (ConnectionRequest request = listener.awaitRequest(LIMIT);
                ProtectionDomain domain = request.device().allocateProtectionDomain();
                CompletionQueue queue = request.device().createCompletionQueue(256)) {
            request.createQueuePair(domain, QueuePairAttributes.of(queue).withInline(0));
            try (Connection connection = request.accept(ConnectionParameters.defaults().withReads(1, 1), LIMIT)) {
                end.await();
                return request.device().name() + " at " + connection.localAddress().getAddress().getHostAddress();
            }
        }
    }

    private static void tells(AsynchronousEvents events, AsynchronousEvent.Type type, Verbs of) {
        AsynchronousEvent event = events.await(LIMIT);
        while (event.type() == AsynchronousEvent.Type.IDENTIFIER_CHANGE) {
            event = events.await(LIMIT);
        }
        assertEquals(type, event.type());
        assertEquals(1, event.port());
        assertSame(of.device(), event.source());
    }

    /** The kernel waits for the process, since neither driver can take a device away from one; connections are told all the same. */
    @ParameterizedTest
    @ValueSource(strings = { "rxe", "siw" })
    void shouldEndEveryWaitWhenADeviceIsRemoved(String driver) throws Exception {
        String device = driver + "9";
        undo.add(new String[] { "ip", "link", "delete", "gone" });
        run("ip", "link", "add", "gone", "type", "dummy");
        run("ip", "address", "add", "203.0.113.9/24", "dev", "gone");
        run("ip", "link", "set", "gone", "up");
        run("rdma", "link", "add", device, "type", driver, "netdev", "gone");
        Process process = start(program("wait", device, "203.0.113.9"));
        Process removing = null;
        List<String> said = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            String line;
            while ((line = reader.readLine()) != null) {
                said.add(line);
                if (line.equals("waiting")) {
                    removing = start(List.of("rdma", "link", "delete", device));
                }
            }
        }
        assertEquals(0, process.waitFor(), said::toString);
        assertNotNull(removing, said::toString);
        assertEquals(0, removing.waitFor(), "the device is gone once the process is");
        assertTrue(said.contains("event: DEVICE_FATAL of " + device), said::toString);
        for (String wait : List.of("channel", "listener", "queue without queue pairs", "connection")) {
            assertTrue(said.stream().anyMatch(each -> each.startsWith(wait + ": org.panamaverbs.SystemException: device " + device + " ")),
                    () -> wait + " in " + said);
        }
        assertTrue(said.contains("queue: FLUSHED") && said.contains("all waits have ended") && said.contains("closed"), said::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = { "siw0", "rxe0" })
    void shouldNameTheLimitOfLockedMemory(String device) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("prlimit", "--memlock=65536", "setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"));
        command.addAll(program("register", device, "1048576"));
        String said = run(command.toArray(String[]::new));
        assertTrue(said.contains("ResourceException") && said.contains("1048576 bytes") && said.contains("65536 bytes")
                && said.contains("RLIMIT_MEMLOCK") && said.contains("ulimit -l"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = { "uverbs0", "rdma_cm" })
    void shouldNameTheFilesThatMayNotBeOpened(String file) throws Exception {
        String path = "/dev/infiniband/" + file;
        undo.add(new String[] { "bash", "-c", "chmod 666 /dev/infiniband/*" });
        run("bash", "-c", "chmod 0 " + (file.equals("rdma_cm") ? path : "/dev/infiniband/uverbs*"));
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-dac_override,-dac_read_search"));
        command.addAll(program("register", "siw0", "4096"));
        String said = run(command.toArray(String[]::new));
        assertTrue(said.contains("may not read and write") && said.contains(path) && said.contains("chmod 666"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = { "siw0", "rxe0" })
    void shouldShowWhatIbvDevinfoShows(String name) throws Exception {
        Map<String, String> theirs = devinfo(name);
        JsonNode device = devices("--provider", "rdma-core", "--device", name).get("providers").get(0).get("devices").get(0);
        JsonNode identity = device.get("identity");
        JsonNode objects = device.get("objects");
        JsonNode port = device.get("ports").get(0);
        assertEquals(name, device.get("name").asText());
        assertEquals(theirs.get("node_guid"), identity.get("nodeIdentifier").asText());
        assertEquals(theirs.get("sys_image_guid"), identity.get("systemIdentifier").asText());
        assertEquals(theirs.get("vendor_id"), identity.get("vendor").asText());
        assertEquals(theirs.get("vendor_part_id"), identity.get("part").asText());
        assertEquals(theirs.get("hw_ver"), identity.get("revision").asText());
        assertEquals(theirs.get("fw_ver"), device.get("firmware").asText());
        assertEquals(theirs.get("phys_port_cnt"), Integer.toString(device.get("ports").size()));
        Map<String, JsonNode> limits = new LinkedHashMap<>();
        limits.put("max_qp", device.get("maximumQueuePairs"));
        limits.put("max_qp_wr", device.get("maximumWorkRequests"));
        limits.put("max_sge", device.get("maximumScatterGather"));
        limits.put("max_cqe", device.get("maximumCompletionQueueEntries"));
        limits.put("max_mr", device.get("maximumRegions"));
        limits.put("max_qp_rd_atom", device.get("maximumInboundReads"));
        limits.put("max_qp_init_rd_atom", device.get("maximumOutboundReads"));
        limits.put("max_cq", objects.get("completionQueues"));
        limits.put("max_pd", objects.get("protectionDomains"));
        limits.put("max_srq", objects.get("sharedReceiveQueues"));
        limits.put("max_srq_wr", objects.get("sharedReceives"));
        limits.put("max_srq_sge", objects.get("sharedReceiveElements"));
        limits.put("max_mw", objects.get("memoryWindows"));
        limits.put("max_ah", objects.get("addressHandles"));
        limits.put("sm_lid", port.get("subnetManager"));
        limits.put("port_lid", port.get("localIdentifier"));
        limits.put("pkey_tbl_len", port.get("partitionKeys"));
        limits.forEach((key, value) -> assertEquals(theirs.get(key), value.asText(), key));
        assertEquals("PORT_" + port.get("state").asText(), word(theirs.get("state")));
        assertEquals(word(theirs.get("max_mtu")), port.get("maximumMtu").asText());
        assertEquals(word(theirs.get("active_mtu")), port.get("activeMtu").asText());
        assertEquals(theirs.get("link_layer"), port.get("linkLayer").asText());
        assertEquals(Long.decode(theirs.get("max_msg_sz")), port.get("maximumMessageSize").asLong());
        assertEquals(word(theirs.get("active_speed")), port.get("speed").asText(), "over one lane, which both devices have");
        if (theirs.containsKey("phys_state")) {
            assertEquals(word(theirs.get("phys_state")), port.get("physicalState").asText());
        }
        for (int i = 0; theirs.containsKey("GID[  " + i + "]"); i++) {
            assertEquals(address(theirs.get("GID[  " + i + "]").split(",")[0]), address(port.get("identifiers").get(i).asText()));
        }
    }

    @Test
    void shouldNameTheDevicesThatThereAre() {
        StringWriter errors = new StringWriter();
        CommandLine command = new CommandLine(new DevicesCommand());
        command.setErr(new PrintWriter(errors));
        assertEquals(2, command.execute("--device", "nonesuch"));
        assertTrue(errors.toString().contains("siw0 (rdma-core)") && errors.toString().contains("rxe0 (rdma-core)")
                && errors.toString().contains("soft-iwarp0 (soft-iwarp)"), errors::toString);
    }

    /** In one form: Java does not leave out zeros. */
    private static String address(String text) throws IOException {
        return text.startsWith("::ffff:") ? text : InetAddress.getByName(text).getHostAddress();
    }

    private static String word(String value) {
        return value.split(" ")[0];
    }

    /** The output of ibv_devinfo, by the names it gives; the first port's, if there are several. */
    private static Map<String, String> devinfo(String device) throws Exception {
        Map<String, String> shown = new LinkedHashMap<>();
        for (String line : run("ibv_devinfo", "-v", "-d", device).split("\n")) {
            int colon = line.indexOf(":\t");
            if (colon > 0) {
                shown.putIfAbsent(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
            }
        }
        return shown;
    }

    private static JsonNode devices(String... arguments) throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new DevicesCommand());
        command.setOut(new PrintWriter(out));
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        assertEquals(0, command.execute(all.toArray(String[]::new)));
        return new ObjectMapper().readTree(out.toString());
    }

    private static Verbs open(String device) {
        return Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", device).build());
    }

    /** A Java process with the options of this one. */
    private static List<String> program(String... arguments) {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LabProgram.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String run(String... command) throws Exception {
        Process process = start(List.of(command));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ": " + said);
        return said;
    }
}
