package org.panamaverbs.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.RejectedException;

/**
 * How connections between soft-iwarp and siw begin (RFC 5044, 7.1; RFC 6581), in both roles: CRC, the peer-to-peer model, both revisions, and
 * Markers, which siw lacks. Each connection that comes to be carries a Send each way, a Write and a Read. For the lab only, with siw's
 * settings as parameters of its module (LAB_SIW=parameters).
 *
 * <p>What each side asked for and what it got goes into {@code table} in the folder that the environment names as LAB_OUT.
 */
class MpaContractTest {
    private static final Path PARAMETERS = Path.of("/sys/module/siw/parameters");
    private static final String ADDRESS = "192.0.2.1";
    private static final String WE_CONNECT = "soft-iwarp";
    private static final String SIW_CONNECTS = "siw";

    /** Kinds of ready-to-receive indication, as siw's parameter rtr_type has them: a big-endian word on a little-endian machine. */
    private enum Indication {
        WRITE(0x80), READ(0x40), WRITE_OR_READ(0xC0);

        private final int parameter;

        Indication(int parameter) {
            this.parameter = parameter;
        }
    }

    /** The kernel's side: whether it asks for CRCs, whether it insists (also on none), and what it asks for as initiator. */
    private record Siw(boolean crc, boolean strict, boolean peerToPeer, Indication indication, int revision) {
        static final Siw USUAL = new Siw(false, false, false, Indication.WRITE_OR_READ, 2);

        boolean forbidsCrc() {
            return strict && !crc;
        }

        void set() throws IOException {
            set("mpa_crc_required", crc ? "1" : "0");
            set("mpa_crc_strict", strict ? "1" : "0");
            set("peer_to_peer", peerToPeer ? "1" : "0");
            set("rtr_type", Integer.toString(indication.parameter));
            set("mpa_version", Integer.toString(revision));
        }

        private static void set(String parameter, String value) throws IOException {
            Files.writeString(PARAMETERS.resolve(parameter), value, StandardOpenOption.WRITE);
        }

        @Override
        public String toString() {
            return "CRC " + (crc ? strict ? "insisted on" : "asked for" : strict ? "forbidden" : "not asked for");
        }

        /** What it asks for when it connects. */
        String asInitiator() {
            return this + ", revision " + revision
                    + (peerToPeer ? ", peer-to-peer by " + indication.toString().toLowerCase(Locale.ROOT).replace('_', ' ') : "");
        }
    }

    /** Our side. */
    private record Ours(boolean crc, int revision) {
        Configuration configuration() {
            return Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.crc", crc ? "on" : "off")
                    .set("panamaverbs.softiwarp.mpa-revision", Integer.toString(revision)).set("panamaverbs.softiwarp.capture", capture())
                    .build();
        }

        private static String capture() {
            String folder = System.getenv("LAB_OUT");
            return folder == null ? "" : Path.of(folder, "mpa.pcapng").toString();
        }

        @Override
        public String toString() {
            return "CRC " + (crc ? "on" : "off");
        }
    }

    private static Side siw() {
        return new Side(Configuration.builder().set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", "siw0").build());
    }

    @BeforeAll
    static void requireParameters() {
        assumeTrue(Files.isWritable(PARAMETERS.resolve("peer_to_peer")), "siw has no parameters: LAB_SIW=parameters");
        row("connects", "siw", "soft-iwarp", "Request", "Reply", "what came of it");
        row("---", "---", "---", "---", "---", "---");
    }

    @AfterEach
    void reset() throws IOException {
        Siw.USUAL.set();
    }

    private static void row(String... cells) {
        String folder = System.getenv("LAB_OUT");
        if (folder == null) {
            return;
        }
        try {
            Files.writeString(Path.of(folder, "table"), "| " + String.join(" | ", cells) + " |\n", StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void row(String connects, Siw siw, Ours ours, Relay relay, String outcome) {
        boolean we = connects.equals(WE_CONNECT);
        row(connects, we ? siw.toString() : siw.asInitiator(), we ? ours + ", revision " + ours.revision() : ours.toString(),
                relay.request() == null ? "none" : relay.request().toString(), relay.reply() == null ? "none" : relay.reply().toString(),
                outcome);
    }

    private static List<Siw> crcPolicies() {
        List<Siw> all = new ArrayList<>();
        for (boolean crc : new boolean[] { false, true }) {
            for (boolean strict : new boolean[] { false, true }) {
                all.add(new Siw(crc, strict, false, Indication.WRITE_OR_READ, 2));
            }
        }
        return all;
    }

    /** We connect. */
    static List<Object[]> connecting() {
        List<Object[]> all = new ArrayList<>();
        for (Siw siw : crcPolicies()) {
            for (boolean crc : new boolean[] { false, true }) {
                for (int revision = 1; revision <= 2; revision++) {
                    all.add(new Object[] { siw, new Ours(crc, revision) });
                }
            }
        }
        return all;
    }

    /** siw connects. */
    static List<Object[]> accepting() {
        List<Object[]> all = new ArrayList<>();
        for (Siw policy : crcPolicies()) {
            for (boolean crc : new boolean[] { false, true }) {
                Ours ours = new Ours(crc, 2);
                all.add(new Object[] { policy, ours });
                all.add(new Object[] { new Siw(policy.crc, policy.strict, true, Indication.WRITE_OR_READ, 2), ours });
            }
        }
        for (boolean crc : new boolean[] { false, true }) {
            Ours ours = new Ours(crc, 2);
            all.add(new Object[] { new Siw(crc, false, true, Indication.WRITE, 2), ours });
            all.add(new Object[] { new Siw(crc, false, true, Indication.READ, 2), ours });
            all.add(new Object[] { new Siw(crc, false, false, Indication.WRITE_OR_READ, 1), ours });
        }
        return all;
    }

    @ParameterizedTest(name = "siw: {0}; {1}")
    @MethodSource("connecting")
    void shouldConnectToSiwWhateverBothSidesWant(Siw siw, Ours ours) throws Exception {
        siw.set();
        try (Side server = siw();
                Side client = new Side(ours.configuration());
                Listener listener = server.listen(ADDRESS);
                Relay relay = new Relay(listener.address(), 0, 0)) {
            FutureTask<Connection> accepting = accepting(server, listener);
            if (ours.crc && siw.forbidsCrc()) {
                VerbsException refused = assertThrows(RejectedException.class, () -> client.connect(relay.address()));
                row(WE_CONNECT, siw, ours, relay, "refused by siw; ours: " + refused.getMessage());
                assertTrue(relay.reply().has(StartFrame.REJECTED), () -> relay.reply().toString());
                assertTrue(refused.getMessage().contains("refuse the CRCs"), refused::getMessage);
                giveUp(accepting, listener);
                return;
            }
            Connection connection = client.connect(relay.address());
            get(accepting);
            exchange(client, server, ours.revision == 2);
            end(connection, server.connection());
            row(WE_CONNECT, siw, ours, relay, "connected, data right both ways");
            // siw repeats our flag, also where it requires CRCs: then its program has none if we ask for none.
            agreed(relay, ours.crc, ours.revision, ours.revision == 2 ? List.of("Write") : List.of());
        }
    }

    @ParameterizedTest(name = "siw: {0}; {1}")
    @MethodSource("accepting")
    void shouldAcceptSiwWhateverBothSidesWant(Siw siw, Ours ours) throws Exception {
        siw.set();
        try (Side client = siw();
                Side server = new Side(ours.configuration());
                Listener listener = server.listen(ADDRESS);
                Relay relay = new Relay(listener.address(), 0, 0)) {
            FutureTask<Connection> accepting = accepting(server, listener);
            if (ours.crc && siw.forbidsCrc()) {
                VerbsException refused = assertThrows(PeerException.class, () -> client.connect(relay.address()));
                row(SIW_CONNECTS, siw, ours, relay, "refused by siw (" + refused.getMessage() + "); ours: " + endOf(accepting));
                assertTrue(relay.reply().has(StartFrame.CRC), () -> relay.reply().toString());
                return;
            }
            Connection connection = client.connect(relay.address());
            get(accepting);
            exchange(client, server, siw.peerToPeer);
            end(server.connection(), connection);
            row(SIW_CONNECTS, siw, ours, relay, "connected, data right both ways");
            assertEquals(siw.crc, relay.request().has(StartFrame.CRC), "C of the Request");
            agreed(relay, ours.crc || siw.crc, siw.revision, siw.peerToPeer ? List.of("Write", "Read") : List.of());
        }
    }

    @Test
    void shouldBeRefusedBySiwWhenMarkersAreAskedFor() throws Exception {
        Ours ours = new Ours(true, 2);
        try (Side server = siw(); Listener listener = server.listen(ADDRESS)) {
            FutureTask<Connection> accepting = accepting(server, listener);
            try (Side client = new Side(ours.configuration()); Relay relay = new Relay(listener.address(), StartFrame.MARKERS, 0)) {
                long began = System.nanoTime();
                RejectedException refused = assertThrows(RejectedException.class, () -> client.connect(relay.address()));
                row(WE_CONNECT, Siw.USUAL, ours, relay, "the Request got M; refused by siw; ours: " + refused.getMessage());
                assertTrue(System.nanoTime() - began < Side.LIMIT.toNanos() / 2, "took too long");
                assertTrue(relay.reply().has(StartFrame.REJECTED) && !relay.reply().has(StartFrame.MARKERS),
                        () -> relay.reply().toString());
            }
            // The kernel has not shown that Request to its program, which takes the next one.
            try (Side client = new Side(ours.configuration()); Relay relay = new Relay(listener.address(), 0, 0)) {
                client.connect(relay.address());
                get(accepting);
                exchange(client, server, true);
            }
        }
    }

    @Test
    void shouldSeeSiwLeaveWhenItsReplyAsksForMarkers() throws Exception {
        Ours ours = new Ours(true, 2);
        try (Side server = new Side(ours.configuration()); Listener listener = server.listen(ADDRESS)) {
            try (Side client = siw(); Relay relay = new Relay(listener.address(), 0, StartFrame.MARKERS)) {
                FutureTask<Connection> accepting = accepting(server, listener);
                VerbsException refused = assertThrows(PeerException.class, () -> client.connect(relay.address()));
                row(SIW_CONNECTS, Siw.USUAL, ours, relay,
                        "the Reply got M; refused by siw (" + refused.getMessage() + "); ours: " + endOf(accepting));
                server.expectFlush();
            }
            try (Side client = siw(); Relay relay = new Relay(listener.address(), 0, 0)) {
                FutureTask<Connection> accepting = accepting(server, listener);
                client.connect(relay.address());
                get(accepting);
                exchange(client, server, false);
            }
        }
    }

    private static FutureTask<Connection> accepting(Side server, Listener listener) {
        FutureTask<Connection> task = new FutureTask<>(() -> server.accept(listener));
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static Connection get(FutureTask<Connection> accepting) throws Exception {
        return accepting.get(Side.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Nobody has asked the program that waits for requests. */
    private static void giveUp(FutureTask<Connection> accepting, Listener listener) {
        assertFalse(accepting.isDone(), "siw told its program of the connection");
        listener.close();
        assertThrows(Exception.class, () -> get(accepting));
    }

    /** How the accepting side heard that the peer took its Reply for none: accepting failed, or the connection ended. */
    private static String endOf(FutureTask<Connection> accepting) throws Exception {
        Connection connection;
        try {
            connection = get(accepting);
        } catch (ExecutionException e) {
            return e.getCause().getMessage();
        }
        assertTrue(connection.awaitDisconnected(Side.LIMIT), "the accepting side still waits");
        ConnectionEnd end = connection.end().orElseThrow();
        return end.cause() + end.failure().map(failure -> ": " + failure.getMessage()).orElse("");
    }

    /** Data in both directions; the side that accepted begins if it may. */
    private static void exchange(Side client, Side server, boolean serverMayBegin) {
        if (serverMayBegin) {
            server.send(client);
            client.send(server);
        } else {
            client.send(server);
            server.send(client);
        }
        client.writeAndRead(server);
        server.writeAndRead(client);
    }

    /** Our side leaves, and both ends hear of an end in good order. */
    private static void end(Connection ours, Connection theirs) {
        ours.disconnect();
        assertTrue(theirs.awaitDisconnected(Side.LIMIT), "siw still waits");
        assertEquals(ConnectionEnd.Cause.ORDERLY, ours.end().orElseThrow().cause(), () -> ours.end().toString());
        assertEquals(0, ours.queuePair().statistics().checksumErrors().getAsLong(), "checksum errors");
    }

    private static void agreed(Relay relay, boolean crc, int revision, List<String> indications) {
        StartFrame reply = relay.reply();
        assertEquals(crc, reply.has(StartFrame.CRC), "C of the Reply");
        assertEquals(revision, reply.revision(), "the revision of the Reply");
        assertEquals(indications, reply.indications(), "the indications of the Reply");
        assertFalse(reply.has(StartFrame.MARKERS), "M of the Reply");
        assertNull(reply.has(StartFrame.REJECTED) ? reply : null, "R of the Reply");
    }
}
