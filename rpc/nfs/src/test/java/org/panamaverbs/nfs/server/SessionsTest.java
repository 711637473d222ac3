package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** The limits of a session's calls and replies (RFC 8881, 2.10.6.4 and 18.36.3). */
class SessionsTest {
    /** RPC headers that say as little as possible (RFC 5531, 9). */
    private static final int CALL_HEADER = 40;
    private static final int REPLY_HEADER = 24;
    /** A call, and a reply, of SEQUENCE alone with the tag of {@link Calls}, which takes 4 bytes. */
    private static final int CALL = CALL_HEADER + 12 + 36 + 4;
    private static final int REPLY = REPLY_HEADER + 12 + 44 + 4;
    private static final int LARGE = 1 << 16;

    @TempDir
    private Path folder;
    private NfsServer server;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(folder.resolve("file"), "x".repeat(1000));
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1));
    }

    @AfterEach
    void end() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({ "88, 80, true", "87, 80, false", "88, 79, false", "512, 512, true", "0, 0, false", "-1, -1, true" })
    void shouldMakeSessionsThatASequenceFitsInto(int request, int response, boolean fits) throws IOException {
        if (fits) {
            new Calls(server, "client", request, response);
        } else {
            String refused = assertThrows(AssertionError.class, () -> new Calls(server, "client", request, response)).getMessage();
            assertTrue(refused.startsWith("TOOSMALL "), refused);
        }
    }

    /** The slot stays as it was: nothing of the call was executed. */
    @Test
    void shouldRefuseCallsThatAreTooLong() throws IOException {
        Calls client = new Calls(server, "client", CALL + 4, LARGE);
        byte[] fits = client.bytes(Calls.root());
        Calls.expect(Calls.run(server, fits), Status.OK, 2);
        byte[] tooLong = client.bytes(Calls.root(), Calls.root());
        assertEquals(CALL + 8 - CALL_HEADER, tooLong.length);
        Calls.expect(Calls.run(server, tooLong), Status.REQ_TOO_BIG, 1);
        client.again(Status.OK, Calls.root());
    }

    @Test
    void shouldRefuseALongNameInAShortSession() throws IOException {
        Calls client = new Calls(server, "client", 512, LARGE);
        client.call(Status.NAMETOOLONG, Calls.root(), Calls.name(Operation.LOOKUP, "x".repeat(300)));
        client.call(Status.REQ_TOO_BIG, Calls.root(), Calls.name(Operation.LOOKUP, "x".repeat(600)));
    }

    /** Whatever the limit is, no reply is longer, and one that fits is not refused. */
    @Test
    void shouldKeepRepliesWithinTheLimit() throws IOException {
        Calls.Op[] operations = { Calls.root(), Calls.name(Operation.LOOKUP, "file"),
                Calls.op(Operation.GETATTR, Bitmap.of(Attribute.SIZE, Attribute.TYPE)::encode), Calls.op(Operation.SAVEFH),
                Calls.op(Operation.RESTOREFH), Calls.op(Operation.GETFH) };
        int whole = REPLY_HEADER + Calls.raw(server, new Calls(server, "large", LARGE, LARGE).bytes(operations)).length;
        // Lengths of XDR are multiples of 4.
        for (int limit = REPLY; limit <= whole; limit += Integer.BYTES) {
            Calls client = new Calls(server, "client " + limit, LARGE, limit);
            byte[] reply = Calls.raw(server, client.bytes(operations));
            assertTrue(REPLY_HEADER + reply.length <= limit, reply.length + " bytes without header, limit " + limit);
            assertEquals(limit == whole ? Status.OK : Status.REP_TOO_BIG, Status.decode(Calls.decoding(reply)), "limit " + limit);
        }
    }

    /** An operation that fails for want of room was not executed, and no slot was used if that was SEQUENCE. */
    @Test
    void shouldNotUseASlotForASequenceWithoutRoom() throws IOException {
        Calls client = new Calls(server, "client", LARGE, REPLY);
        Calls.Op write = Calls.write(StateId.ANONYMOUS, 0, "y");
        client.call(Status.REP_TOO_BIG, Calls.root(), Calls.name(Operation.LOOKUP, "file"), write);
        client.again(Status.OK);
        assertEquals("x", Files.readString(folder.resolve("file")).substring(0, 1));
    }

    /** Of a file that is longer than a buffer: the numbers in front of the data have no room, and a buffer that was taken comes back. */
    @ParameterizedTest
    @CsvSource({ "24, REP_TOO_BIG", "28, REP_TOO_BIG", "32, REP_TOO_BIG", "36, OK" })
    void shouldRefuseAReadWithoutRoomForItsNumbers(int more, Status status) throws IOException {
        Files.write(folder.resolve("long"), new byte[100_000]);
        int free = server.freeBuffers();
        // As much more as the results of PUTROOTFH and LOOKUP take, and the head of that of READ.
        Calls client = new Calls(server, "client", LARGE, REPLY + more);
        client.call(status, Calls.root(), Calls.name(Operation.LOOKUP, "long"), Calls.read(StateId.ANONYMOUS, 0, Integer.MAX_VALUE));
        assertEquals(free, server.freeBuffers());
    }
}
