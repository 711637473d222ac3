package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Byte-range locks of two clients (RFC 8881, 9, 18.10 to 18.12). */
class LocksTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;
    private static final int POSIX = 4;
    private static final long END = -1;

    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;
    private Calls other;
    private FileHandle file;
    private StateId mine;
    private StateId theirs;
    private final AtomicLong clock = new AtomicLong();

    /** A lock in the way, as LOCK and LOCKT tell it. */
    private record Denied(long offset, long length, int type, long client, String owner) {
    }

    @BeforeEach
    void start() throws IOException {
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withFiles(8, 1000).withTransfers(1 << 16, 2),
                clock::get);
        client = new Calls(server, "client");
        other = new Calls(server, "other");
        mine = open(client, "me", BOTH);
        theirs = open(other, "you", BOTH);
    }

    @AfterEach
    void end() {
        server.close();
    }

    private StateId open(Calls by, String owner, int access) throws IOException {
        Xdr reply = by.call(Status.OK, Calls.root(), Calls.open(owner, "file", access, true), Calls.op(Operation.GETFH));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.OPEN, Status.OK);
        StateId state = StateId.decode(reply);
        reply.xdrDecodeBoolean();
        reply.xdrDecodeLong();
        reply.xdrDecodeLong();
        assertEquals(POSIX, reply.xdrDecodeInt(), "Linux has no locks without this flag");
        Bitmap.decode(reply);
        reply.xdrDecodeInt();
        Calls.result(reply, Operation.GETFH, Status.OK);
        file = FileHandle.decode(reply);
        return state;
    }

    /** The reply behind the result of PUTFH and the head of the operation. */
    private Xdr run(Calls by, Status expected, Calls.Op op) throws IOException {
        Xdr reply = by.call(expected, Calls.handle(file), op);
        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, op.operation(), expected);
        return reply;
    }

    private StateId state(Calls by, Calls.Op op) throws IOException {
        return StateId.decode(run(by, Status.OK, op));
    }

    private Denied denied(Calls by, Calls.Op op) throws IOException {
        Xdr reply = run(by, Status.DENIED, op);
        return new Denied(reply.xdrDecodeLong(), reply.xdrDecodeLong(), reply.xdrDecodeInt(), reply.xdrDecodeLong(),
                Calls.text(reply.xdrDecodeDynamicOpaque()));
    }

    @ParameterizedTest
    @CsvSource({ "1, 1, true", "1, 2, false", "2, 1, false", "2, 2, false", "3, 3, true", "3, 4, false", "4, 1, false" })
    void shouldHoldOffLocksThatConflict(int first, int second, boolean allowed) throws IOException {
        state(client, Calls.lock(mine, "process", first, 10, 5));

        state(other, Calls.lock(theirs, "process", second, 0, 10));
        state(other, Calls.lock(theirs, "process", second, 15, END));
        if (allowed) {
            state(other, Calls.lock(theirs, "process", second, 14, 1));
            run(other, Status.OK, Calls.testLock("process", second, 0, END));
        } else {
            Denied denied = new Denied(10, 5, first % 2 == 0 ? WRITE : READ, client.client, "process");
            assertEquals(denied, denied(other, Calls.lock(theirs, "process", second, 14, 1)));
            assertEquals(denied, denied(other, Calls.testLock("process", second, 0, END)));
            assertEquals(denied, denied(client, Calls.testLock("thread", second, 0, END)), "another owner of the same client");
        }
        run(client, Status.OK, Calls.testLock("process", allowed ? READ : WRITE, 10, 5));
    }

    /** RFC 8881, 9.4: each change of the locks counts. */
    @Test
    void shouldCountTheChangesOfALockState() throws IOException {
        StateId first = state(client, Calls.lock(mine, "process", READ, 0, 10));
        assertEquals(1, first.sequence());
        assertNotEquals(first.withSequence(1), mine.withSequence(1));
        StateId second = state(client, Calls.lock(first, READ, 20, 10));
        assertEquals(first.withSequence(2), second);
        assertEquals(first.withSequence(3), state(client, Calls.lock(mine, "process", READ, 40, 10)), "it names itself again");
        assertEquals(first.withSequence(4), state(client, Calls.unlock(first.withSequence(0), 0, END)));

        run(client, Status.OLD_STATEID, Calls.lock(second, READ, 0, 1));
        run(client, Status.BAD_STATEID, Calls.unlock(first.withSequence(5), 0, 1));
    }

    /** POSIX: an owner cuts, joins and changes what it has (RFC 8881, 9.2 and 9.3). */
    @Test
    void shouldSplitAndChangeLocks() throws IOException {
        StateId state = state(client, Calls.lock(mine, "process", WRITE, 0, END));
        state = state(client, Calls.unlock(state, 10, 10));
        state = state(client, Calls.lock(state, READ, 0, 5));

        state(other, Calls.lock(theirs, "process", WRITE, 10, 10));
        state(other, Calls.lock(theirs, "process", READ, 0, 5));
        assertEquals(new Denied(5, 5, WRITE, client.client, "process"), denied(other, Calls.testLock("process", READ, 0, 10)));
        assertEquals(new Denied(20, END, WRITE, client.client, "process"), denied(other, Calls.testLock("process", READ, 10, END)));
        assertEquals(READ, denied(client, Calls.lock(state, WRITE, 0, 5)).type(), "the upgrade has to wait for the other reader");
        run(other, Status.OK, Calls.testLock("process", READ, 0, 5));
    }

    /** RFC 8881, 18.10.3. */
    @ParameterizedTest
    @CsvSource({ "0, 0, INVAL", "5, 0, INVAL", "-1, 1, INVAL", "1, -2, OK", "2, -2, INVAL", "0, -1, OK", "-1, -1, OK", "-2, 1, OK",
            "-9223372036854775808, 9223372036854775807, OK", "-9223372036854775808, -9223372036854775808, INVAL" })
    void shouldCheckRanges(long offset, long length, Status expected) throws IOException {
        run(client, expected, Calls.lock(mine, "process", WRITE, offset, length));
        run(other, expected == Status.OK ? Status.DENIED : expected, Calls.testLock("process", READ, offset, length));
        StateId state = state(client, Calls.lock(mine, "process", READ, 0, 1));
        run(client, expected, Calls.unlock(state, offset, length));
        run(other, expected, Calls.testLock("process", READ, offset, length));
    }

    @Test
    void shouldRefuseTypesThatDoNotExist() throws IOException {
        run(client, Status.BADXDR, Calls.lock(mine, "process", 0, 0, 1));
        run(client, Status.BADXDR, Calls.testLock("process", 5, 0, 1));
    }

    /** A reader gets no write lock, as POSIX says (RFC 8881, 18.10.4). */
    @Test
    void shouldLockWithTheRightsOfTheOpen() throws IOException {
        StateId reader = open(client, "reader", READ);
        StateId writer = open(client, "writer", WRITE);
        run(client, Status.OPENMODE, Calls.lock(reader, "process", WRITE, 0, 1));
        run(client, Status.OPENMODE, Calls.lock(writer, "process", READ, 0, 1));
        StateId state = state(client, Calls.lock(reader, "process", READ, 0, 1));
        run(client, Status.OPENMODE, Calls.lock(state, WRITE, 0, 1));
        assertEquals(1 + 1, server.core().opens().locks().size(), "a refused lock leaves nothing");
    }

    /** RFC 8881, 8.2.4: a state of the wrong kind, of another client, or of another file. */
    @Test
    void shouldRefuseStatesOfTheWrongKind() throws IOException {
        StateId locks = state(client, Calls.lock(mine, "process", WRITE, 0, 1));
        for (StateId wrong : new StateId[] { mine, theirs, StateId.ANONYMOUS, StateId.READ_BYPASS, StateId.CURRENT, StateId.INVALID }) {
            run(client, Status.BAD_STATEID, Calls.lock(wrong, WRITE, 0, 1));
            run(client, Status.BAD_STATEID, Calls.unlock(wrong, 0, 1));
        }
        run(client, Status.BAD_STATEID, Calls.lock(locks, "process", WRITE, 0, 1));
        run(client, Status.BAD_STATEID, Calls.close(locks));
        run(other, Status.BAD_STATEID, Calls.unlock(locks, 0, 1));
        Files.createFile(folder.resolve("second"));
        client.call(Status.BAD_STATEID, Calls.root(), Calls.name(Operation.LOOKUP, "second"), Calls.unlock(locks, 0, 1));
        client.call(Status.ISDIR, Calls.root(), Calls.unlock(locks, 0, 1));
        client.call(Status.ISDIR, Calls.root(), Calls.testLock("process", READ, 0, 1));
        client.call(Status.ISDIR, Calls.root(), Calls.lock(locks, READ, 0, 1));
        client.call(Status.NOFILEHANDLE, Calls.lock(locks, READ, 0, 1));
    }

    /** RFC 8881, 9.1.2: the access is that of the open; locks are advisory. */
    @Test
    void shouldReadAndWriteByALockState() throws IOException {
        StateId locks = state(client, Calls.lock(mine, "process", WRITE, 0, END));
        run(client, Status.OK, Calls.write(locks, 0, "hello"));
        Xdr reply = run(client, Status.OK, Calls.read(locks.withSequence(0), 0, 10));
        reply.xdrDecodeBoolean();
        assertEquals("hello", Calls.text(reply.xdrDecodeDynamicOpaque()));
        run(other, Status.OK, Calls.write(theirs, 0, "HELLO"));
    }

    @Test
    void shouldNotWriteByTheLocksOfAReader() throws IOException {
        StateId locks = state(client, Calls.lock(open(client, "reader", READ), "process", READ, 0, END));
        run(client, Status.OPENMODE, Calls.write(locks, 0, "hello"));
        run(client, Status.OK, Calls.read(locks, 0, 1));
    }

    /** RFC 8881, 18.2.3: the server may free the locks, but none may stay. */
    @Test
    void shouldFreeTheLocksOfAnOpenThatIsClosed() throws IOException {
        StateId locks = state(client, Calls.lock(mine, "process", WRITE, 0, 10));
        StateId another = open(client, "another", BOTH);
        state(client, Calls.lock(another, "process", WRITE, 20, 10));

        run(client, Status.OK, Calls.close(mine));

        run(other, Status.OK, Calls.testLock("process", WRITE, 0, 20));
        assertEquals(20, denied(other, Calls.testLock("process", WRITE, 0, END)).offset(), "the other open keeps its own");
        run(client, Status.BAD_STATEID, Calls.unlock(locks, 0, 10));
        run(client, Status.OK, Calls.close(another));
        assertEquals(0, server.core().opens().locks().size());
    }

    /** RFC 8881, 9.5: one owner by two opens. */
    @Test
    void shouldTellOwnersOfLocksNotOpensApart() throws IOException {
        StateId first = state(client, Calls.lock(mine, "process", WRITE, 0, 10));
        StateId second = state(client, Calls.lock(open(client, "another", BOTH), "process", WRITE, 5, 10));
        assertNotEquals(first, second);
        state(client, Calls.unlock(second, 0, 2));
        assertEquals(2, denied(other, Calls.testLock("process", WRITE, 0, END)).offset());
        assertEquals(first.withSequence(2), state(client, Calls.unlock(first, 2, END)), "its number did not change by the other");
        run(other, Status.OK, Calls.testLock("process", WRITE, 0, END));
    }

    private Status[] tested(StateId... states) throws IOException {
        Xdr reply = client.call(Status.OK, Calls.op(Operation.TEST_STATEID, xdr -> {
            xdr.xdrEncodeInt(states.length);
            for (StateId state : states) {
                state.encode(xdr);
            }
        }));
        Calls.result(reply, Operation.TEST_STATEID, Status.OK);
        Status[] codes = new Status[reply.xdrDecodeInt()];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = Status.decode(reply);
        }
        return codes;
    }

    private static Calls.Op free(StateId state) {
        return Calls.op(Operation.FREE_STATEID, state::encode);
    }

    /** RFC 8881, 8.2.4, 18.38 and 18.48. */
    @Test
    void shouldKeepAnEmptyStateUntilItIsFreed() throws IOException {
        StateId old = state(client, Calls.lock(mine, "process", WRITE, 0, 10));
        client.call(Status.LOCKS_HELD, free(old));
        StateId state = state(client, Calls.unlock(old, 0, END));
        Status[] expected = { Status.OK, Status.OK, Status.OLD_STATEID, Status.BAD_STATEID };
        assertEquals(List.of(expected), List.of(tested(mine, state, old, StateId.ANONYMOUS)));
        client.call(Status.OLD_STATEID, free(old));
        client.call(Status.LOCKS_HELD, free(mine));
        client.call(Status.OK, free(state));
        client.call(Status.BAD_STATEID, free(state));
        assertEquals(Status.BAD_STATEID, tested(state)[0]);
        assertEquals(1, state(client, Calls.lock(mine, "process", WRITE, 0, 10)).sequence(), "a new one");
    }

    /** A lock must not outlive its client: the lease ends, another incarnation comes, or another user takes the name. */
    @ParameterizedTest
    @ValueSource(strings = { "sweep", "conflict" })
    void shouldFreeLocksWithTheLease(String by) throws IOException {
        state(client, Calls.lock(mine, "process", WRITE, 0, END));
        clock.addAndGet(Duration.ofSeconds(60).toNanos());
        denied(other, Calls.lock(theirs, "process", WRITE, 0, 1));
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
        if (by.equals("sweep")) {
            server.core().clients().expire();
            assertEquals(0, server.core().opens().locks().size());
        }
        // RFC 8881, 8.4.3: a lock of an expired lease must not stand in the way, however seldom the server sweeps.
        state(other, Calls.lock(theirs, "process", WRITE, 0, 1));
    }

    @Test
    void shouldFreeTheLocksOfAClientThatStartedAgain() throws IOException {
        state(client, Calls.lock(mine, "process", WRITE, 0, END));
        new Calls(server, "client", Calls.USUAL, 2);
        state(other, Calls.lock(theirs, "process", WRITE, 0, 1));
        assertEquals(2, server.core().opens().locks().size());
    }

    @Test
    void shouldKeepAClientThatHasLocks() throws IOException {
        state(client, Calls.lock(mine, "process", WRITE, 0, END));
        client.destroySession();
        Calls.Op destroy = Calls.op(Operation.DESTROY_CLIENTID, xdr -> xdr.xdrEncodeLong(client.client));
        Calls.expect(Calls.run(server, 1, destroy), Status.CLIENTID_BUSY, 1);
        denied(other, Calls.testLock("process", READ, 0, 1));
    }

    /** withFiles(8, ...) gives 32 locks and sets; one peer has half. */
    @Test
    void shouldLimitLocks() throws IOException {
        Calls elsewhere = new Calls(server, "elsewhere", Calls.caller("192.0.2.2", 0));
        StateId first = state(client, Calls.lock(mine, "process", READ, 0, 1));
        for (int i = 2; i < 16; i++) {
            state(client, Calls.lock(first.withSequence(0), READ, 2 * i, 1));
        }
        assertEquals(16, server.core().opens().locks().size());
        run(client, Status.DELAY, Calls.lock(first.withSequence(0), READ, 100, 1));
        run(other, Status.DELAY, Calls.lock(theirs, "process", READ, 0, 1));
        run(elsewhere, Status.OK, Calls.lock(open(elsewhere, "they", BOTH), "process", READ, 0, 1));

        state(client, Calls.lock(first.withSequence(0), READ, 0, 2000));
        assertEquals(1 + 1 + 2, server.core().opens().locks().size(), "they are one now");
        for (int i = 1; i < 15; i++) {
            state(client, Calls.unlock(first.withSequence(0), 2 * i, 1));
        }
        run(client, Status.DELAY, Calls.unlock(first.withSequence(0), 100, 1));
        state(client, Calls.unlock(first.withSequence(0), 0, END));
        assertEquals(1 + 2, server.core().opens().locks().size());
    }

    /** A lock that is in the way has a name of up to 1,024 bytes: a short reply has no room for it. */
    @Test
    void shouldNotAnswerMoreThanTheSessionTakes() throws IOException {
        state(client, Calls.lock(mine, "x".repeat(1024), WRITE, 0, END));
        Calls narrow = new Calls(server, "narrow", 1 << 20, 1024);
        Xdr reply = narrow.call(Status.REP_TOO_BIG, Calls.handle(file), Calls.testLock("process", READ, 0, 1));
        assertTrue(reply.asBuffer().remaining() < 1024);
    }

    /** RFC 8881, 18.10.1: the owner of a lock has at most 1,024 bytes. */
    @Test
    void shouldRefuseAnOwnerThatIsTooLong() throws IOException {
        run(client, Status.BADXDR, Calls.lock(mine, "x".repeat(1025), WRITE, 0, END));
    }

    /** RFC 8881, 16.2.3.1.2: the state of LOCK is the current one. */
    @Test
    void shouldPassTheStateOnInTheCall() throws IOException {
        client.call(Status.OK, Calls.handle(file), Calls.lock(mine, "process", WRITE, 0, END), Calls.write(StateId.CURRENT, 0, "hello"),
                Calls.unlock(StateId.CURRENT, 0, END));
        assertEquals("hello", Files.readString(folder.resolve("file")));
        run(other, Status.OK, Calls.testLock("process", WRITE, 0, END));
    }
}
