package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Grace and reclaim (RFC 8881, 8.4.2 and 18.51): the server ends as by a crash, and starts again. */
class RestartTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;
    private static final long END = -1;

    @TempDir
    private Path folder;
    @TempDir
    private Path elsewhere;
    private Path state;
    private NfsServer server;
    private final AtomicLong clock = new AtomicLong();

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("file"));
        state = elsewhere.resolve("not/made/yet");
        server = server(Duration.ofSeconds(90));
    }

    private NfsServer server(Duration lease) throws IOException {
        return NfsServer.open(folder,
                ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 2).withLease(lease).withState(state), clock::get);
    }

    @AfterEach
    void end() {
        server.close();
    }

    /** Nothing of what happens in {@code close} may be needed: the record is as it was before. */
    private void crash() throws IOException {
        byte[] record = Files.readAllBytes(state.resolve("record"));
        server.close();
        assertArrayEquals(record, Files.readAllBytes(state.resolve("record")), "a crash would leave something else");
        server = server(Duration.ofSeconds(90));
    }

    private Calls returning(String owner) throws IOException {
        return Calls.returning(server, owner, Calls.USUAL);
    }

    private static Calls.Op[] onFile(Calls.Op... operations) {
        Calls.Op[] all = new Calls.Op[operations.length + 2];
        all[0] = Calls.root();
        all[1] = Calls.name(Operation.LOOKUP, "file");
        System.arraycopy(operations, 0, all, 2, operations.length);
        return all;
    }

    private static Calls.Op open(int access) {
        return Calls.open("me", "file", access, false);
    }

    /** The state that the third operation returns. */
    private static StateId state(Calls by, Calls.Op op) throws IOException {
        Xdr reply = by.call(Status.OK, onFile(op));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.LOOKUP, Status.OK);
        Calls.result(reply, op.operation(), Status.OK);
        return StateId.decode(reply);
    }

    private static Calls.Op reclaim(int access, int deny) {
        return Calls.reclaim("me", access, deny, 0);
    }

    private void pass(int seconds) {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    /** RFC 8881, 18.51.3: also if there is nothing to reclaim. */
    @Test
    void shouldOpenOnlyAfterReclaimComplete() throws IOException {
        Calls client = returning("client");
        client.call(Status.GRACE, Calls.root(), open(READ));
        client.call(Status.GRACE, Calls.root(), Calls.open("me", "new", WRITE, true));
        client.call(Status.NO_GRACE, onFile(reclaim(READ, 0)));
        assertFalse(Files.exists(folder.resolve("new")));
        client.call(Status.OK, Calls.reclaimComplete());
        client.call(Status.OK, Calls.root(), open(READ));
        client.call(Status.COMPLETE_ALREADY, Calls.reclaimComplete());
        client.call(Status.NO_GRACE, onFile(reclaim(READ, 0)));
    }

    @Test
    void shouldGiveOpensAndLocksBack() throws IOException {
        Calls before = new Calls(server, "client");
        before.call(Status.OK, Calls.root(), open(BOTH));
        crash();

        Calls client = returning("client");
        StateId open = state(client, reclaim(BOTH, WRITE));
        StateId locks = state(client, Calls.lock(open, "process", WRITE, true, 0, 10));
        client.call(Status.OK, onFile(Calls.write(locks, 0, "hello"), Calls.read(open, 0, 5)));
        client.call(Status.GRACE, onFile(Calls.lock(open, "process", WRITE, 20, 10)));
        client.call(Status.OK, Calls.reclaimComplete());

        client.call(Status.NO_GRACE, onFile(reclaim(BOTH, 0)));
        client.call(Status.NO_GRACE, onFile(Calls.lock(open, "process", WRITE, true, 20, 10)));
        Calls other = new Calls(server, "other");
        other.call(Status.SHARE_DENIED, Calls.root(), open(WRITE));
        other.call(Status.DENIED, onFile(Calls.testLock("process", READ, 0, END)));
        client.call(Status.OK, onFile(Calls.lock(open, "process", WRITE, 20, 10)));
        assertEquals("hello", Files.readString(folder.resolve("file")));
    }

    /** Clients do not look names up before they reclaim; the file may have another one by now. */
    @Test
    void shouldGiveAnOpenBackByTheHandleOfTheRunBefore() throws IOException {
        Calls before = new Calls(server, "client");
        before.call(Status.OK, Calls.root(), open(BOTH));
        Xdr reply = before.call(Status.OK, onFile(Calls.op(Operation.GETFH)));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.LOOKUP, Status.OK);
        Calls.result(reply, Operation.GETFH, Status.OK);
        FileHandle handle = FileHandle.decode(reply);
        crash();
        Files.move(folder.resolve("file"), folder.resolve("renamed"));

        Calls client = returning("client");
        client.call(Status.OK, Calls.handle(handle), reclaim(BOTH, 0), Calls.write(StateId.CURRENT, 0, "hello"));
        assertEquals("hello", Files.readString(folder.resolve("renamed")));
    }

    /** A client that holds nothing is not waited for. */
    @Test
    void shouldHaveNoGraceIfNobodyHadAnything() throws IOException {
        Calls looker = new Calls(server, "looker");
        looker.call(Status.OK, onFile());
        crash();
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        returning("looker").call(Status.NO_GRACE, onFile(reclaim(READ, 0)));
    }

    /** RFC 8881, 8.4.2.1: until all that were recorded have reclaimed. */
    @Test
    void shouldEndTheGraceWithTheLastReclaimComplete() throws IOException {
        for (String owner : new String[] { "one", "two" }) {
            new Calls(server, owner).call(Status.OK, Calls.root(), Calls.open(owner, "file", BOTH, false));
        }
        crash();
        Calls newcomer = new Calls(server, "newcomer");
        Calls one = returning("one");
        Calls two = returning("two");
        one.call(Status.OK, onFile(reclaim(BOTH, 0)));
        one.call(Status.OK, Calls.reclaimComplete());
        one.call(Status.GRACE, Calls.root(), Calls.open("another", "file", READ, false));
        newcomer.call(Status.GRACE, Calls.root(), open(READ));
        newcomer.call(Status.GRACE, onFile(Calls.testLock("process", READ, 0, END)));
        two.call(Status.OK, onFile(reclaim(BOTH, 0)));
        two.call(Status.OK, Calls.reclaimComplete());
        newcomer.call(Status.OK, Calls.root(), open(READ));
        newcomer.call(Status.OK, onFile(Calls.testLock("process", READ, 0, END)));
        assertEquals(3, server.opens());
    }

    /** A longer lease of the run before counts, since clients still go by it. */
    @ParameterizedTest
    @ValueSource(ints = { 90, 60, 120 })
    void shouldEndTheGraceWithTheLease(int before) throws IOException {
        server.close();
        server = server(Duration.ofSeconds(before));
        new Calls(server, "lost").call(Status.OK, Calls.root(), open(BOTH));
        crash();
        int lease = Math.max(before, 90);
        pass(lease - 1);
        Calls newcomer = new Calls(server, "newcomer");
        newcomer.call(Status.GRACE, Calls.root(), open(READ));
        pass(1);
        Calls late = returning("lost");
        late.call(Status.NO_GRACE, onFile(reclaim(BOTH, 0)));
        newcomer.call(Status.OK, Calls.root(), open(READ));
    }

    /** A client with many files may still be at it when the lease is over: it is waited for, but not for ever. */
    @Test
    void shouldWaitForAClientThatReclaims() throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        crash();
        Calls newcomer = new Calls(server, "newcomer");
        Calls client = returning("client");
        pass(89);
        for (int second = 89; second < 180; second++) {
            client.call(Status.OK, onFile(Calls.reclaim("owner " + second, READ, 0, 0)));
            newcomer.call(Status.GRACE, Calls.root(), open(READ));
            pass(1);
        }
        client.call(Status.NO_GRACE, onFile(reclaim(READ, 0)));
        newcomer.call(Status.OK, Calls.root(), open(READ));
    }

    /** RFC 8881, 8.4.2.1: READ and WRITE could meet a denial that is reclaimed later. */
    @Test
    void shouldNotServeAnonymousAccessDuringTheGrace() throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        crash();
        Calls newcomer = new Calls(server, "newcomer");
        newcomer.call(Status.GRACE, onFile(Calls.read(StateId.ANONYMOUS, 0, 1)));
        newcomer.call(Status.GRACE, onFile(Calls.write(StateId.ANONYMOUS, 0, "x")));
        newcomer.call(Status.GRACE, onFile(Calls.write(StateId.READ_BYPASS, 0, "x")));
        newcomer.call(Status.GRACE, onFile(cut()));
        newcomer.call(Status.OK, onFile(Calls.read(StateId.READ_BYPASS, 0, 1)));
        Calls client = returning("client");
        client.call(Status.OK, Calls.reclaimComplete());
        newcomer.call(Status.OK, onFile(Calls.write(StateId.ANONYMOUS, 0, "x"), cut()));
    }

    /** An open file outlives its name, so its name must not go before it could be reclaimed. */
    @Test
    void shouldKeepNamesUntilTheirFilesWereReclaimed() throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        Files.writeString(folder.resolve("another"), "another");
        crash();
        Calls newcomer = new Calls(server, "newcomer");
        Calls.Op[] rename = { Calls.root(), Calls.op(Operation.SAVEFH), Calls.op(Operation.RENAME, xdr -> {
            xdr.xdrEncodeString("another");
            xdr.xdrEncodeString("file");
        }) };
        newcomer.call(Status.GRACE, Calls.root(), Calls.name(Operation.REMOVE, "file"));
        newcomer.call(Status.GRACE, rename);
        Calls client = returning("client");
        StateId open = state(client, reclaim(BOTH, 0));
        client.call(Status.OK, onFile(Calls.write(open, 0, "hello")));
        client.call(Status.OK, Calls.reclaimComplete());
        newcomer.call(Status.OK, rename);
        newcomer.call(Status.OK, Calls.root(), Calls.name(Operation.REMOVE, "file"));
    }

    private static Calls.Op cut() {
        return Calls.op(Operation.SETATTR, xdr -> {
            StateId.ANONYMOUS.encode(xdr);
            new Attributes().with(Attribute.SIZE, 0L).encode(xdr);
        });
    }

    /** Others must not claim what they never had (RFC 8881, 8.4.2.1). */
    @ParameterizedTest
    @ValueSource(strings = { "another owner", "another user" })
    void shouldGiveNothingBackToOthers(String what) throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        crash();
        Caller user = what.equals("another user") ? Calls.caller("192.0.2.1", 1001) : Calls.USUAL;
        Calls other = Calls.returning(server, what.equals("another user") ? "client" : "other", user);
        other.call(Status.NO_GRACE, onFile(reclaim(BOTH, BOTH)));
        other.call(Status.OK, Calls.reclaimComplete());
        other.call(Status.GRACE, Calls.root(), open(READ));
    }

    @Test
    void shouldTellReclaimsThatConflict() throws IOException {
        for (String owner : new String[] { "one", "two" }) {
            new Calls(server, owner).call(Status.OK, Calls.root(), Calls.open(owner, "file", BOTH, false));
        }
        crash();
        Calls one = returning("one");
        StateId mine = state(one, Calls.reclaim("me", BOTH, 0, 0));
        Calls two = returning("two");
        two.call(Status.RECLAIM_CONFLICT, onFile(Calls.reclaim("you", READ, WRITE, 0)));
        StateId theirs = state(two, Calls.reclaim("you", BOTH, 0, 0));
        one.call(Status.OK, onFile(Calls.lock(mine, "process", WRITE, true, 0, 10)));
        two.call(Status.RECLAIM_CONFLICT, onFile(Calls.lock(theirs, "process", WRITE, true, 9, 10)));
        two.call(Status.RECLAIM_BAD, onFile(Calls.reclaim("you", READ, 0, 1)));
        two.call(Status.BADXDR, onFile(Calls.reclaim("you", READ, 0, 4)));
    }

    /** The ways in which a client loses what it had, so that it must not reclaim it (RFC 8881, 8.4.3). */
    enum Loss {
        LEASE, DESTROYED, STARTED_AGAIN, NOT_RECLAIMED
    }

    @ParameterizedTest
    @EnumSource
    void shouldForgetClientsThatLostTheirState(Loss how) throws IOException {
        Calls client = new Calls(server, "client");
        StateId open = state(client, openCurrent());
        switch (how) {
            case LEASE -> {
                pass(91);
                server.core().clients().expire();
            }
            case DESTROYED -> {
                client.call(Status.OK, onFile(Calls.close(open)));
                client.destroySession();
                Calls.expect(Calls.run(server, 1, Calls.op(Operation.DESTROY_CLIENTID, xdr -> xdr.xdrEncodeLong(client.client))), Status.OK,
                        1);
            }
            case STARTED_AGAIN -> new Calls(server, "client", Calls.USUAL, 2);
            case NOT_RECLAIMED -> {
                // Another client of the record comes back: what it gets after the grace could be what the first one had.
                new Calls(server, "another").call(Status.OK, Calls.root(), Calls.open("another", "file", BOTH, false));
                crash();
                Calls another = returning("another");
                another.call(Status.OK, Calls.reclaimComplete());
                another.call(Status.GRACE, Calls.root(), Calls.open("another", "file", BOTH, false));
                pass(90);
                another.call(Status.OK, Calls.root(), Calls.open("another", "file", BOTH, false));
            }
        }
        crash();
        returning("client").call(Status.NO_GRACE, onFile(reclaim(BOTH, 0)));
    }

    /** OPEN of the current file. */
    private static Calls.Op openCurrent() {
        return Calls.op(Operation.OPEN, xdr -> {
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(BOTH);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString("me");
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(4);
        });
    }

    /** A second crash during the grace takes nothing away. */
    @Test
    void shouldGiveStateBackAfterSeveralCrashes() throws IOException {
        for (String owner : new String[] { "one", "two" }) {
            new Calls(server, owner).call(Status.OK, Calls.root(), Calls.open(owner, "file", BOTH, false));
        }
        crash();
        Calls one = returning("one");
        one.call(Status.OK, onFile(reclaim(BOTH, 0)));
        one.call(Status.OK, Calls.reclaimComplete());
        returning("two").call(Status.OK, onFile(Calls.reclaim("two", BOTH, 0, 0)));
        crash();
        for (String owner : new String[] { "one", "two" }) {
            Calls again = returning(owner);
            again.call(Status.OK, onFile(Calls.reclaim(owner, BOTH, 0, 0)));
            again.call(Status.OK, Calls.reclaimComplete());
            if (owner.equals("one")) {
                again.call(Status.GRACE, Calls.root(), Calls.open("another", "file", READ, false));
            }
        }
        assertEquals(2, server.opens());
    }

    /** Without a place for the record the server serves, and gives nothing back. */
    @ParameterizedTest
    @ValueSource(strings = { "none", "file", "taken", "garbled", "long", "newer" })
    void shouldGoOnWithoutARecord(String why) throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        server.close();
        NfsServer first = null;
        switch (why) {
            case "none" -> state = null;
            case "file" -> state = folder.resolve("file");
            case "taken" -> first = server(Duration.ofSeconds(90));
            case "garbled" -> Files.writeString(state.resolve("record"), Files.readString(state.resolve("record")).replace("client ", "x"));
            case "long" -> Files.writeString(state.resolve("record"), Files.readString(state.resolve("record")).repeat(200_000));
            case "newer" -> Files.writeString(state.resolve("record"), Files.readString(state.resolve("record")).replace(" 1\n", " 2\n"));
            default -> throw new AssertionError(why);
        }
        try {
            server = server(Duration.ofSeconds(90));
            Calls client = returning("client");
            client.call(Status.NO_GRACE, onFile(reclaim(BOTH, 0)));
            client.call(Status.OK, Calls.reclaimComplete());
            client.call(Status.OK, Calls.root(), open(BOTH));
        } finally {
            if (first != null) {
                first.close();
            }
        }
    }

    /** A record that cannot be written any more must not lead to a reclaim of what was lost. */
    @Test
    void shouldRemoveARecordThatItCannotWrite() throws IOException {
        Calls client = new Calls(server, "client");
        client.call(Status.OK, Calls.root(), open(BOTH));
        Files.createDirectory(state.resolve("record.new"));
        Files.createFile(state.resolve("record.new/full"));
        new Calls(server, "other").call(Status.OK, Calls.root(), Calls.open("other", "file", READ, false));
        assertFalse(Files.exists(state.resolve("record")));
    }

    @Test
    void shouldKeepTheRecordForItsUser() throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(state)));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("record"))));
        String text = Files.readString(state.resolve("record"));
        assertTrue(text.matches("pverbs nfs state 1\nserver [0-9a-f]{32}\nlease 90\nclient [0-9a-f]{64}\n"), text);
    }

    /** A record that was removed while the server does not run is no error. */
    @Test
    void shouldBeginAnewIfTheRecordIsGone() throws IOException {
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        server.close();
        Files.delete(state.resolve("record"));
        server = server(Duration.ofSeconds(90));
        new Calls(server, "client").call(Status.OK, Calls.root(), open(BOTH));
        crash();
        returning("client").call(Status.OK, onFile(reclaim(BOTH, 0)));
    }

    /** RFC 8881, 2.10.4: the scope says whether there is anything to reclaim. */
    @Test
    void shouldKeepItsNameWithTheRecord() throws IOException {
        byte[] scope = scope();
        crash();
        assertArrayEquals(scope, scope());
        Files.delete(state.resolve("record"));
        server.close();
        server = server(Duration.ofSeconds(90));
        assertFalse(Arrays.equals(scope, scope()));
        state = null;
        server.close();
        server = server(Duration.ofSeconds(90));
        byte[] random = scope();
        server.close();
        server = server(Duration.ofSeconds(90));
        assertFalse(Arrays.equals(random, scope()));
    }

    private byte[] scope() throws IOException {
        Xdr reply = Calls.run(server, 1, Calls.op(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(1);
            xdr.xdrEncodeString("asks");
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        }));
        Calls.expect(reply, Status.OK, 1);
        Calls.result(reply, Operation.EXCHANGE_ID, Status.OK);
        reply.xdrDecodeOpaque(8 + 4 + 4 + 4 + 8);
        byte[] owner = reply.xdrDecodeDynamicOpaque();
        byte[] scope = reply.xdrDecodeDynamicOpaque();
        assertArrayEquals(owner, scope);
        return scope;
    }
}
