package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Retries that are none, calls that are cut, and users that take the owner's name of another. Other calls: NfsServerTest. */
class CompoundTest {
    /** The tag, the minor version, the count, SEQUENCE's number, and its arguments. */
    private static final int SEQUENCE_END = 8 + 4 + 4 + 4 + 16 + 4 * 4;

    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;
    private final AtomicLong clock = new AtomicLong();

    @BeforeEach
    void start() throws IOException {
        server = new NfsServer(folder, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1), clock::get);
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

    /** RFC 8881, 18.35.4, cases 3 and 9, and 18.36.4. */
    @Test
    void shouldKeepTheOwnersNameForItsUser() throws IOException {
        Calls.Op introduction = introduction(0);
        Calls.expect(Calls.run(server, Calls.caller("192.0.2.1", 1001), 1, introduction), Status.CLID_INUSE, 1);
        Calls.expect(Calls.run(server, Calls.caller("192.0.2.1", 1001), 1, introduction(0x40000000)), Status.PERM, 1);
        Calls.expect(Calls.run(server, Calls.caller("192.0.2.1", 1001), 1, client.session(2)), Status.CLID_INUSE, 1);
        client.call(Status.OK, Calls.root());
        Calls.expect(Calls.run(server, Calls.caller("192.0.2.2", 1000), 1, introduction), Status.OK, 1);
    }

    /** Case 3: a name without state, or whose lease is over, is free. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldGiveANameThatNobodyUsesToAnotherUser(boolean lease) throws IOException {
        if (lease) {
            client.call(Status.OK, Calls.root(), Calls.open("me", "file", 3, true));
            clock.addAndGet(Duration.ofSeconds(91).toNanos());
        } else {
            client.destroySession();
        }
        Calls another = new Calls(server, "client", Calls.caller("192.0.2.1", 1001));
        another.call(Status.OK, Calls.root());
        assertEquals(1, server.clients());
        assertEquals(0, server.opens());
        assertNotEquals(client.client, another.client);
    }

    private static Calls.Op introduction(int flags) {
        return Calls.op(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(1);
            xdr.xdrEncodeString("client");
            xdr.xdrEncodeInt(flags);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        });
    }
}
