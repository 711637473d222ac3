package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * A liar in the frames that start MPA: each field of a Request, which a listener answers by a Reply or by closing, never by a Terminate; and
 * each field of a Reply, which the initiator may answer by a Terminate (RFC 6581, 8 and 9). Afterwards nothing of it is left, and another
 * connection of the same device goes on.
 */
class LyingStartTest {
    private static final int FLAGS = 16;
    private static final int REVISION = 17;
    private static final int LENGTH = 18;
    private static final int SIZE = 24;
    /** The time that a listener takes before it gives up Requests that are never whole, in milliseconds. */
    private static final String SOON = "200";

    private static Host host;
    private static Host.Pair bystander;
    private static int drivers;

    /** A field, what the peer writes into it, the answer as in {@link Lie}, and how the sound frame changes. */
    record Row(String field, String says, int answer, UnaryOperator<byte[]> change) {
        @Override
        public String toString() {
            return field + ": " + says;
        }
    }

    @BeforeAll
    static void open() throws Exception {
        host = new Host("auto");
        bystander = host.connect();
        host.exchange(bystander);
        drivers = Inside.drivers(host);
    }

    @AfterAll
    static void close() {
        host.close();
    }

    private static Row row(String field, String says, int answer, UnaryOperator<byte[]> change) {
        return new Row(field, says, answer, change);
    }

    private static Row set(String field, String says, int answer, int at, int... values) {
        return row(field, says, answer, frame -> {
            for (int i = 0; i < values.length; i++) {
                frame[at + i] = (byte) values[i];
            }
            return frame;
        });
    }

    /** The words of IRD and ORD. */
    private static Row words(String field, String says, int answer, int ird, int ord) {
        return set(field, says, answer, 20, ird >>> 8, ird, ord >>> 8, ord);
    }

    private static UnaryOperator<byte[]> key(String key) {
        return frame -> {
            System.arraycopy(key.getBytes(StandardCharsets.US_ASCII), 0, frame, 0, 16);
            return frame;
        };
    }

    // @formatter:off
    /** Lies that are the same in both kinds of frame. */
    private static Stream<Row> both() {
        return Stream.of(
                set("key", "the first byte", Lie.CLOSED, 0, 'm'),
                set("key", "the last byte", Lie.CLOSED, 15, 'E'),
                set("key", "zeroes", Lie.CLOSED, 0, new int[16]),
                row("key", "upper case", Lie.CLOSED, key("MPA ID REQ FRAME")),
                set("revision", "0", Lie.CLOSED, REVISION, 0),
                set("revision", "3", Lie.CLOSED, REVISION, 3),
                set("revision", "255", Lie.CLOSED, REVISION, 255),
                set("reserved bits", "all set", Lie.ACCEPTED, FLAGS, 0x5F),
                set("PD_Length", "513", Lie.CLOSED, LENGTH, 2, 1),
                set("PD_Length", "65,535", Lie.CLOSED, LENGTH, 0xFF, 0xFF),
                row("S", "set, with 3 bytes of private data", Lie.CLOSED, frame -> length(Arrays.copyOf(frame, 23), 3)),
                row("S", "set, with no private data", Lie.CLOSED, frame -> length(Arrays.copyOf(frame, 20), 0)),
                set("S", "clear: the depths are private data", Lie.ACCEPTED, FLAGS, 0x40),
                set("C", "clear, though this side asks for CRCs", Lie.ACCEPTED, FLAGS, 0x10));
    }

    private static byte[] length(byte[] frame, int length) {
        frame[LENGTH] = (byte) (length >>> 8);
        frame[LENGTH + 1] = (byte) length;
        return frame;
    }

    private static Stream<Row> requests() {
        return Stream.concat(both(), Stream.of(
                row("key", "of a Reply", Lie.CLOSED, key("MPA ID Rep Frame")),
                set("R", "set, which is not checked (RFC 5044, 7.1.1)", Lie.ACCEPTED, FLAGS, 0x70),
                set("M", "set: all that is sent to it has Markers", Lie.ACCEPTED, FLAGS, 0xD0),
                set("revision", "1, with S set, which is reserved there", Lie.ACCEPTED, REVISION, 1),
                words("IRD", "16,383", Lie.ACCEPTED, 0x3FFF, 16),
                words("IRD and ORD", "0", Lie.ACCEPTED, 0, 0),
                words("ORD", "16,382: more than this side serves", Lie.ACCEPTED, 16, 0x3FFE),
                words("A", "set, with no way to be ready", Lie.ACCEPTED, 0x8010, 0x0010),
                words("B, C and D", "set without A", Lie.ACCEPTED, 0x4010, 0xC010),
                words("all control flags", "set", Lie.ACCEPTED, 0xFFFF, 0xFFFF)));
    }

    /** Requests whose rest does not come in time. */
    private static Stream<Row> unfinished() {
        return Stream.of(
                set("PD_Length", "512, and nothing follows", Lie.CLOSED, LENGTH, 2, 0),
                row("the frame", "ends after the key", Lie.CLOSED, frame -> Arrays.copyOf(frame, 16)),
                row("the frame", "lacks its last byte", Lie.CLOSED, frame -> Arrays.copyOf(frame, 23)));
    }

    private static Stream<Row> replies() {
        return Stream.concat(both().filter(row -> !row.says().equals("upper case")), Stream.of(
                row("key", "of a Request", Lie.CLOSED, key("MPA ID Req Frame")),
                set("R", "set: the connection is rejected", Lie.CLOSED, FLAGS, 0x70),
                words("ORD", "16,382: more than this side serves", TerminateCode.MPA_INSUFFICIENT_IRD, 0x8010, 0xBFFE),
                words("A", "set, with no way to be ready", TerminateCode.MPA_NO_RTR, 0x8010, 0x0010),
                words("A", "clear, though the Request has it", Lie.ACCEPTED, 0x0010, 0x0010),
                words("IRD", "0", Lie.ACCEPTED, 0x8000, 0x8010),
                words("IRD", "16,383", Lie.ACCEPTED, 0xBFFF, 0x8010)));
    }
    // @formatter:on

    @ParameterizedTest
    @MethodSource("requests")
    void shouldAnswerEachRequest(Row row) throws Exception {
        CompletableFuture<Host.End> accepted = row.answer() == Lie.ACCEPTED
                ? host.accepting(ConnectionParameters.defaults().withReads(16, 16), null) : null;
        try (Socket peer = request(host, row)) {
            if (accepted == null) {
                assertEquals(0, read(peer).length, "bytes in place of a Reply");
            } else {
                byte[] reply = peer.getInputStream().readNBytes(20);
                assertEquals("MPA ID Rep Frame", new String(reply, 0, 16, StandardCharsets.US_ASCII));
                assertEquals(0, reply[FLAGS] & 0x20, "it is rejected");
                Host.End end = Host.get(accepted);
                end.connection.close();
                end.queue.close();
            }
        }
        assertNothingLeft();
    }

    private static Socket request(Host asked, Row row) throws IOException {
        Socket peer = new Socket(asked.listener.address().getAddress(), asked.listener.address().getPort());
        peer.setSoTimeout((int) Host.LIMIT.toMillis());
        peer.getOutputStream().write(row.change().apply(Forge.start(true, true, 16, 16)));
        return peer;
    }

    @ParameterizedTest
    @MethodSource("unfinished")
    void shouldCloseAfterEachRequestThatIsNotWholeInTime(Row row) throws Exception {
        try (Host impatient = new Host("auto", "request-timeout", SOON)) {
            Host.Pair other = impatient.connect(host);
            int before = Inside.drivers(impatient);
            try (Socket peer = request(impatient, row)) {
                assertEquals(0, read(peer).length, "bytes in place of a Reply");
            }
            Inside.awaitDrivers(impatient, before);
            impatient.exchange(other);
        }
    }

    @ParameterizedTest
    @MethodSource("replies")
    void shouldAnswerEachReply(Row row) throws Exception {
        CompletableFuture<byte[]> heard = new CompletableFuture<>();
        try (RawServer server = new RawServer(socket -> {
            RawServer.read(socket, SIZE);
            socket.getOutputStream().write(row.change().apply(Forge.start(false, true, 16, 16)));
            heard.complete(read(socket));
        })) {
            if (row.answer() == Lie.ACCEPTED) {
                Host.End end = host.connect(server.address(), ConnectionParameters.defaults().withReads(16, 16), Host.LIMIT);
                assertNull(end.connection.failure().orElse(null));
                end.connection.close();
                end.queue.close();
                Host.get(heard);
            } else {
                Class<? extends VerbsException> thrown = row.field().equals("R") ? RejectedException.class : PeerException.class;
                assertThrows(thrown, () -> host.connect(server.address(), ConnectionParameters.defaults().withReads(16, 16), Host.LIMIT));
                byte[] bytes = Host.get(heard);
                if (row.answer() == Lie.CLOSED) {
                    assertEquals(0, bytes.length, "bytes behind the Request");
                } else {
                    Segment terminate = new Segment(Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes)), 0);
                    assertEquals(Rdmap.TERMINATE, terminate.opcode());
                    assertEquals(TerminateCode.describe(row.answer()),
                            TerminateCode.describe(Terminate.error(terminate.stream(), terminate.payloadAt())));
                    assertEquals(terminate.computedCrc(), terminate.crc());
                }
            }
        }
        assertNothingLeft();
    }

    /** All bytes up to the end, in good order or not. */
    private static byte[] read(Socket socket) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(bytes);
        } catch (SocketException e) {
            // A reset. The bytes before it count.
        }
        return bytes.toByteArray();
    }

    private static void assertNothingLeft() throws Exception {
        Inside.awaitDrivers(host, drivers);
        host.exchange(bystander);
    }
}
