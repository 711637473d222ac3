package org.panamaverbs.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.HeldFile;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Share reservations, and the names of states (RFC 8881, 8.2 and 9.7). */
class OpensTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;
    private static final Caller CALLER = Callers.at("192.0.2.1");

    @TempDir
    Path folder;

    private final Opens opens = new Opens(new Limits.Share(4, 3), new Limits.Share(10_000, 10_000));
    private final Client client = client(1);
    private final Client other = client(2);
    private final List<HeldFile> files = new ArrayList<>();
    private Export export;
    private Node file;
    private Node second;

    private static Client client(int id) {
        return new Client(id, owner(id), 0, CALLER, 0);
    }

    private static OwnerName owner(int name) {
        return new OwnerName(new byte[] { (byte) name });
    }

    @BeforeEach
    void make() throws IOException {
        Files.writeString(folder.resolve("file"), "text");
        Files.writeString(folder.resolve("second"), "text");
        export = new Export(folder, 10);
        file = export.lookup(export.root(), Name.of("file"));
        second = export.lookup(export.root(), Name.of("second"));
    }

    @AfterEach
    void close() {
        opens.closeAll();
        export.close();
        files.forEach(file -> assertTrue(isClosed(file), "a channel was left open"));
    }

    private HeldFile hold(Node node) throws IOException {
        HeldFile held = export.hold(node);
        files.add(held);
        return held;
    }

    private static boolean isClosed(HeldFile file) {
        assertThrows(ClosedChannelException.class, () -> file.open(false, false));
        return Stream.of(file.channel(true), file.channel(false)).allMatch(channel -> channel == null || !channel.isOpen());
    }

    private StateId open(Client by, int owner, Node node, int access, int deny) throws IOException {
        return opens.open(new Opens.Request(by, owner(owner), access, deny), hold(node));
    }

    private static void assertRefused(Status expected, Executable call) {
        assertEquals(expected, assertThrows(Refused.class, call).status());
    }

    @Test
    void shouldOpenTheChannelsOfItsAccess() throws IOException {
        StateId reading = open(client, 1, file, READ, 0);
        assertNotNull(opens.use(reading, client, file, READ).file().channel(false));
        assertNull(opens.use(reading, client, file, READ).file().channel(true));
        assertNull(opens.anyWriter(file));
        StateId writing = open(client, 2, file, WRITE, 0);
        assertNotNull(opens.use(writing, client, file, WRITE).file().channel(true));
        assertNotNull(opens.anyWriter(file));
        assertNull(opens.anyWriter(second));
        assertRefused(Status.OPENMODE, () -> opens.use(writing, client, file, READ));
        assertEquals(2, opens.size());
    }

    @ParameterizedTest
    @CsvSource({ "1, 0, 1, 0, true", "3, 0, 3, 0, true", "1, 1, 2, 0, true", "1, 2, 1, 0, true", "1, 2, 1, 2, true", "1, 1, 1, 0, false",
            "2, 2, 3, 0, false", "1, 3, 1, 0, false", "2, 0, 1, 2, false", "1, 0, 2, 1, false" })
    void shouldKeepShareReservations(int access, int deny, int otherAccess, int otherDeny, boolean allowed) throws IOException {
        open(client, 1, file, access, deny);
        open(client, 2, second, otherAccess, otherDeny);
        if (allowed) {
            open(other, 1, file, otherAccess, otherDeny);
        } else {
            assertRefused(Status.SHARE_DENIED, () -> open(other, 1, file, otherAccess, otherDeny));
            assertRefused(Status.SHARE_DENIED, () -> open(client, 2, file, otherAccess, otherDeny));
        }
    }

    @Test
    void shouldAddToTheOpenOfTheSameOwner() throws IOException {
        StateId first = open(client, 1, file, READ, READ);
        StateId more = open(client, 1, file, WRITE, 0);
        assertEquals(first.withSequence(2), more);
        assertEquals(1, opens.size());
        assertNotNull(opens.use(more, client, file, READ).file().channel(false));
        assertNotNull(opens.use(more, client, file, WRITE).file().channel(true));
        assertRefused(Status.SHARE_DENIED, () -> open(other, 1, file, READ, 0));
    }

    @Test
    void shouldKnowTheStatesOfTheClientAlone() throws IOException {
        StateId id = open(client, 1, file, READ, 0);
        StateId next = open(client, 1, file, READ, 0);
        assertRefused(Status.OLD_STATEID, () -> opens.find(id, client));
        assertRefused(Status.BAD_STATEID, () -> opens.find(next.withSequence(3), client));
        assertNotNull(opens.find(next.withSequence(0), client), "0 is the present one");
        assertRefused(Status.BAD_STATEID, () -> opens.find(next, other));
        assertRefused(Status.BAD_STATEID, () -> opens.find(StateId.INVALID, client));
        assertRefused(Status.BAD_STATEID, () -> opens.use(next, client, second, READ));
        assertNotEquals(next, open(client, 2, file, READ, 0));
    }

    @Test
    void shouldGiveUpAPartOfAnOpen() throws IOException {
        StateId id = open(client, 1, file, BOTH, BOTH);
        assertRefused(Status.INVAL, () -> opens.downgrade(id, client, file, 0, 0));
        assertRefused(Status.BAD_STATEID, () -> opens.downgrade(id, client, second, READ, 0));
        StateId less = opens.downgrade(id, client, file, READ, WRITE);
        assertEquals(id.withSequence(2), less);
        assertRefused(Status.OPENMODE, () -> opens.use(less, client, file, WRITE));
        assertRefused(Status.INVAL, () -> opens.downgrade(less, client, file, BOTH, WRITE));
        assertRefused(Status.INVAL, () -> opens.downgrade(less, client, file, READ, BOTH));
        open(other, 1, file, READ, 0);
    }

    @Test
    void shouldDenyAnonymousAccess() throws IOException {
        StateId id = open(client, 1, file, READ, WRITE);
        opens.checkAnonymous(file, READ);
        opens.checkAnonymous(second, WRITE);
        assertRefused(Status.LOCKED, () -> opens.checkAnonymous(file, WRITE));
        opens.close(id, client, file);
        opens.checkAnonymous(file, WRITE);
    }

    @Test
    void shouldCloseChannelsWithTheOpen() throws IOException {
        StateId id = open(client, 1, file, BOTH, 0);
        assertTrue(opens.has(client));
        assertRefused(Status.BAD_STATEID, () -> opens.close(id, client, second));
        opens.close(id, client, file);
        assertFalse(opens.has(client));
        assertRefused(Status.BAD_STATEID, () -> opens.close(id, client, file));
        assertTrue(isClosed(files.getFirst()));
    }

    @Test
    void shouldCloseAllOfAClient() throws IOException {
        open(client, 1, file, READ, 0);
        open(client, 2, second, READ, 0);
        StateId kept = open(other, 1, file, READ, 0);
        opens.closeAll(client);
        assertEquals(1, opens.size());
        assertNotNull(opens.find(kept, other));
    }

    @Test
    void shouldLimitOpensAndCloseWhatItWasGiven() throws IOException {
        for (int i = 0; i < 3; i++) {
            open(client, i, file, READ, 0);
        }
        assertRefused(Status.NOSPC, () -> opens.checkRoom(client));
        HeldFile refused = hold(file);
        assertRefused(Status.NOSPC, () -> opens.open(new Opens.Request(client, owner(9), READ, 0), refused));
        assertTrue(isClosed(refused));
    }

    @Test
    void shouldLimitTheOpensOfAllPeers() throws IOException {
        open(client, 1, file, READ, 0);
        open(other, 1, file, READ, 0);
        open(other, 2, file, READ, 0);
        assertRefused(Status.NOSPC, () -> open(client, 2, file, READ, 0));
        Client elsewhere = new Client(3, owner(3), 0, Callers.at("192.0.2.2"), 0);
        StateId last = open(elsewhere, 1, file, READ, 0);
        assertRefused(Status.NOSPC, () -> open(elsewhere, 2, file, READ, 0));
        opens.close(last, elsewhere, file);
        open(elsewhere, 2, file, READ, 0);
    }

    @Test
    void shouldKeepNothingOfAnOpenThatFails() throws IOException {
        HeldFile closed = hold(file);
        closed.close();
        assertThrows(IOException.class, () -> opens.open(new Opens.Request(client, owner(1), BOTH, 0), closed));
        assertEquals(0, opens.size());
        assertFalse(opens.has(client));
    }

    @Test
    void shouldTakeTheChannelsOfTheCreationOfTheFile() throws IOException {
        HeldFile created = export.create(export.root(), Name.of("created"), 0);
        FileChannel reader = created.channel(false);
        StateId id = opens.open(new Opens.Request(client, owner(1), READ, 0), created);
        assertEquals(reader, opens.use(id, client, created.node(), READ).file().channel(false));
    }

    @ParameterizedTest
    @CsvSource({ "1, 1", "2, 2", "3, 3", "0x401, 1", "0x10002, 2", "0, -1", "4, -1", "0x400, -1", "0x40001, -1" })
    void shouldTakeTheAccessWithoutTheWishForADelegation(String value, int access) throws Refused {
        int bits = Integer.decode(value);
        if (access < 0) {
            assertRefused(Status.INVAL, () -> Opens.checkAccess(bits));
        } else {
            assertEquals(access, Opens.checkAccess(bits));
        }
    }

    @Test
    void shouldTakeDenyBitsAlone() throws Refused {
        for (int deny = 0; deny <= BOTH; deny++) {
            assertEquals(deny, Opens.checkDeny(deny));
        }
        assertRefused(Status.INVAL, () -> Opens.checkDeny(4));
    }

    /** Each LOCK looks at all locks of its file, so their number has a limit of its own; one peer has half. */
    @Test
    void shouldLimitTheLocksOfAFile() throws IOException {
        StateId open = open(client, 1, file, READ, 0);
        Locks locks = opens.locks();
        for (int i = 0; i < 1024; i++) {
            locks.lock(open, file, wanted(client, 2 * i));
        }
        assertRefused(Status.DELAY, () -> locks.lock(open, file, wanted(client, 4711)));
        locks.lock(open, file, wanted(client, 10));
        assertRefused(Status.DELAY, () -> locks.lock(open(other, 1, file, READ, 0), file, wanted(other, 4711)));
        locks.lock(open(client, 1, second, READ, 0), second, wanted(client, 4711));
        Client elsewhere = new Client(3, owner(3), 0, Callers.at("192.0.2.99"), 0);
        locks.lock(open(elsewhere, 1, file, READ, 0), file, wanted(elsewhere, 4711));
    }

    private static Locks.Wanted wanted(Client by, long first) {
        return new Locks.Wanted(by, owner(7), new ByteRange(first, first), false);
    }
}
