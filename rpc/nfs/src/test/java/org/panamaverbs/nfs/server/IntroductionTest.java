package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;

/** The cases of EXCHANGE_ID (RFC 8881, 18.35.4), by number, and the phases of CREATE_SESSION (18.36.4). A principal is a user of AUTH_SYS. */
class IntroductionTest {
    private static final Caller USER = Calls.USUAL;
    private static final Caller OTHER_USER = Calls.caller("192.0.2.1", 1001);
    private static final int UPDATE = 0x40000000;
    private static final int CONFIRMED = 0x80000000;
    private static final Duration LEASE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;
    private NfsServer server;
    private final AtomicLong clock = new AtomicLong();

    /** The answer of EXCHANGE_ID. */
    private record Known(long client, int sequence, boolean confirmed) {
    }

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("file"));
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1), clock::get);
    }

    @AfterEach
    void end() {
        server.close();
    }

    private Xdr exchange(Status expected, Caller user, long verifier, int flags) throws IOException {
        Xdr reply = Calls.run(server, user, 1, Calls.op(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(verifier);
            xdr.xdrEncodeString("client");
            xdr.xdrEncodeInt(flags);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        }));
        Calls.expect(reply, expected, 1);
        Calls.result(reply, Operation.EXCHANGE_ID, expected);
        return reply;
    }

    private Known exchange(Caller user, long verifier) throws IOException {
        return known(exchange(Status.OK, user, verifier, 0));
    }

    private static Known known(Xdr reply) throws IOException {
        return new Known(reply.xdrDecodeLong(), reply.xdrDecodeInt(), (reply.xdrDecodeInt() & CONFIRMED) != 0);
    }

    private byte[] createSession(Status expected, Caller user, long client, int sequence) throws IOException {
        ChannelAttributes channel = new ChannelAttributes(0, 4096, 4096, 4096, 8, 8);
        byte[] reply = Calls.raw(server, user, Calls.encoded(1, Calls.op(Operation.CREATE_SESSION, xdr -> {
            xdr.xdrEncodeLong(client);
            xdr.xdrEncodeInt(sequence);
            xdr.xdrEncodeInt(0);
            channel.encode(xdr);
            channel.encode(xdr);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        })));
        Calls.expect(Calls.decoding(reply), expected, 1);
        return reply;
    }

    /** A client with a session, and an open if it is to have more state than that. */
    private Calls confirmed(boolean open) throws IOException {
        Calls client = new Calls(server, "client");
        if (open) {
            client.call(Status.OK, Calls.root(), Calls.open("me", "file", 1, false));
        }
        return client;
    }

    @Test
    void case1ShouldMakeARecord() throws IOException {
        Known fresh = exchange(USER, 1);
        assertEquals(false, fresh.confirmed());
        createSession(Status.OK, USER, fresh.client(), fresh.sequence());
        assertEquals(1, server.clients());
    }

    @Test
    void case2ShouldFindTheConfirmedRecord() throws IOException {
        Calls client = confirmed(true);
        assertEquals(new Known(client.client, 2, true), exchange(USER, 1));
        assertEquals(new Known(client.client, 2, true), exchange(Calls.caller("192.0.2.99", 1000), 1), "over another connection");
        client.call(Status.OK, Calls.root());
        assertEquals(1, server.opens());
    }

    /** What the first user of a name has when another user comes. */
    enum Has {
        SESSION, OPEN, OPEN_WHOSE_LEASE_IS_OVER, NOTHING
    }

    @ParameterizedTest
    @EnumSource
    void case3ShouldKeepTheNameWhileItsUserHasState(Has what) throws IOException {
        Calls client = confirmed(what == Has.OPEN || what == Has.OPEN_WHOSE_LEASE_IS_OVER);
        switch (what) {
            case NOTHING -> client.destroySession();
            case OPEN_WHOSE_LEASE_IS_OVER -> clock.addAndGet(LEASE.toNanos() + 1);
            default -> {
            }
        }
        for (long verifier : new long[] { 1, 2 }) {
            if (what == Has.SESSION || what == Has.OPEN) {
                exchange(Status.CLID_INUSE, OTHER_USER, verifier, 0);
                client.call(Status.OK, Calls.root());
            } else {
                Known fresh = exchange(OTHER_USER, verifier);
                assertNotEquals(client.client, fresh.client());
                assertEquals(false, fresh.confirmed());
                assertEquals(0, server.opens());
                createSession(Status.STALE_CLIENTID, USER, client.client, 2);
            }
        }
        assertEquals(what == Has.OPEN ? 1 : 0, server.opens());
    }

    @Test
    void case4ShouldReplaceAnUnconfirmedRecord() throws IOException {
        Known first = exchange(USER, 1);
        Known again = exchange(USER, 1);
        Known another = exchange(OTHER_USER, 2);
        assertNotEquals(first.client(), again.client());
        createSession(Status.STALE_CLIENTID, USER, first.client(), first.sequence());
        createSession(Status.STALE_CLIENTID, USER, again.client(), again.sequence());
        createSession(Status.OK, OTHER_USER, another.client(), another.sequence());
    }

    @Test
    void case5ShouldEndTheStateOfTheIncarnationBefore() throws IOException {
        Calls client = confirmed(true);
        Known restarted = exchange(USER, 2);
        assertNotEquals(client.client, restarted.client());
        client.call(Status.OK, Calls.root());
        assertEquals(1, server.opens(), "until it is confirmed");
        createSession(Status.OK, USER, restarted.client(), restarted.sequence());
        assertEquals(0, server.opens());
        assertEquals(1, server.clients());
        client.call(Status.BADSESSION);
        assertEquals(new Known(restarted.client(), 2, true), exchange(USER, 2));
    }

    /** The incarnation before speaks again while the record of the new one is not confirmed: one of both is a ghost. */
    @Test
    void case5ShouldStillFindTheConfirmedRecord() throws IOException {
        Calls client = confirmed(true);
        exchange(USER, 2);
        assertEquals(new Known(client.client, 2, true), exchange(USER, 1));
        client.call(Status.OK, Calls.root());
    }

    @Test
    void case6ShouldUpdate() throws IOException {
        Calls client = confirmed(false);
        assertEquals(new Known(client.client, 2, true), known(exchange(Status.OK, USER, 1, UPDATE)));
    }

    @Test
    void case7ShouldNotUpdateWhatIsNotConfirmed() throws IOException {
        exchange(Status.NOENT, USER, 1, UPDATE);
        Known fresh = exchange(USER, 1);
        exchange(Status.NOENT, USER, 1, UPDATE);
        createSession(Status.OK, USER, fresh.client(), fresh.sequence());
    }

    @Test
    void case8ShouldNotUpdateAnotherIncarnation() throws IOException {
        Calls client = confirmed(true);
        exchange(Status.NOT_SAME, USER, 2, UPDATE);
        exchange(Status.NOT_SAME, OTHER_USER, 2, UPDATE);
        client.call(Status.OK, Calls.root());
        assertEquals(1, server.opens());
    }

    @Test
    void case9ShouldNotUpdateForAnotherUser() throws IOException {
        Calls client = confirmed(true);
        exchange(Status.PERM, OTHER_USER, 1, UPDATE);
        client.call(Status.OK, Calls.root());
        assertEquals(1, server.opens());
    }

    /** RFC 8881, 18.36.4, phase 2. */
    @Test
    void shouldCreateEachSessionOnce() throws IOException {
        Known fresh = exchange(USER, 1);
        int sequence = fresh.sequence();
        createSession(Status.SEQ_MISORDERED, USER, fresh.client(), sequence - 1);
        createSession(Status.SEQ_MISORDERED, USER, fresh.client(), sequence + 1);
        byte[] made = createSession(Status.OK, USER, fresh.client(), sequence);
        assertArrayEquals(made, createSession(Status.OK, USER, fresh.client(), sequence), "a retry");
        createSession(Status.SEQ_MISORDERED, USER, fresh.client(), sequence + 2);
        createSession(Status.OK, USER, fresh.client(), sequence + 1);
        createSession(Status.STALE_CLIENTID, USER, fresh.client() + 1, sequence);
    }

    /** Phase 3: the user that introduced the client confirms it; then sessions are those of any user of the client's machine. */
    @Test
    void shouldLetNoOtherUserConfirmAClient() throws IOException {
        Known fresh = exchange(USER, 1);
        createSession(Status.CLID_INUSE, OTHER_USER, fresh.client(), fresh.sequence());
        createSession(Status.SEQ_MISORDERED, OTHER_USER, fresh.client(), fresh.sequence() + 1);
        byte[] made = createSession(Status.OK, USER, fresh.client(), fresh.sequence());
        assertArrayEquals(made, createSession(Status.OK, OTHER_USER, fresh.client(), fresh.sequence()), "a retry");
        createSession(Status.OK, OTHER_USER, fresh.client(), fresh.sequence() + 1);
    }
}
