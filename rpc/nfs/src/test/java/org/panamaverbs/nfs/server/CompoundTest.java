package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Retries that are none, and calls that are cut. Other calls: NfsServerTest. */
class CompoundTest {
    /** The tag, the minor version, the count, SEQUENCE's number, and its arguments. */
    private static final int SEQUENCE_END = 8 + 4 + 4 + 4 + 16 + 4 * 4;

    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;

    @BeforeEach
    void start() throws IOException {
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1));
        client = new Calls(server, "client");
    }

    @AfterEach
    void end() {
        server.close();
    }

    private static Calls.Op makeDirectory(String name) {
        return Calls.op(Operation.CREATE, xdr -> {
            xdr.xdrEncodeInt(2);
            xdr.xdrEncodeString(name);
            Bitmap.EMPTY.encode(xdr);
            xdr.xdrEncodeInt(0);
        });
    }

    /** RFC 8881, 2.10.6.1.3.1: the reply that is kept belongs to another call. */
    @Test
    void shouldRefuseARetryThatIsAnotherCall() throws IOException {
        Files.createFile(folder.resolve("file"));
        byte[] first = client.bytes(Calls.root(), makeDirectory("folder"));
        Calls.expect(Calls.run(server, first), Status.OK, 3);

        client.again(Status.SEQ_FALSE_RETRY, Calls.root(), Calls.name(Operation.REMOVE, "file"));
        client.again(Status.SEQ_FALSE_RETRY, Calls.root(), makeDirectory("another"));

        assertTrue(Files.exists(folder.resolve("file")));
        assertArrayEquals(Calls.raw(server, first), Calls.raw(server, first), "the retry still gets its reply");
        Calls.expect(Calls.run(server, first), Status.OK, 3);
    }

    /** Another user must not read the replies of the first one. */
    @Test
    void shouldRefuseARetryOfAnotherUser() throws IOException {
        byte[] call = client.bytes(Calls.root(), Calls.op(Operation.GETATTR, Bitmap.of(Attribute.SIZE)::encode));
        byte[] reply = Calls.raw(server, call);
        Calls.expect(Calls.run(server, Calls.caller("192.0.2.1", 1001), call), Status.SEQ_FALSE_RETRY, 1);
        assertArrayEquals(reply, Calls.raw(server, Calls.caller("192.0.2.2", 1000), call), "the same user over another connection");
    }

    /** A client that sends again may count its slots anew (sa_highest_slotid), and is still the same. */
    @Test
    void shouldTakeARetryWithOtherSlots() throws IOException {
        byte[] call = client.bytes(Calls.root(), makeDirectory("folder"));
        byte[] reply = Calls.raw(server, call);
        call[SEQUENCE_END - Integer.BYTES - 1] = 5;
        assertArrayEquals(reply, Calls.raw(server, call));
    }

    @Test
    void shouldAnswerBadXdrToACallThatIsCut() throws IOException {
        byte[] whole = client.bytes(Calls.root(), Calls.open("me", "file", 3, true), Calls.write(StateId.CURRENT, 0, "text"));
        for (int length = SEQUENCE_END; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Status status = Status.decode(Calls.run(server, cut));
            assertEquals(Status.BADXDR, status, "cut at " + length + " of " + whole.length);
            whole = client.bytes(Calls.root(), Calls.open("me", "file", 3, true), Calls.write(StateId.CURRENT, 0, "text"));
        }
    }
}
