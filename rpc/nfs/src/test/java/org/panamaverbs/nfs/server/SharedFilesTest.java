package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Two clients, or a client and a program of the server's machine, on one file. */
class SharedFilesTest {
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int BOTH = 3;

    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;
    private Calls other;
    private final AtomicLong clock = new AtomicLong();

    /** A file that a client has open. */
    private record Opened(StateId state, FileHandle handle) {
    }

    /** The manners in which an open file loses its name. */
    enum Loss {
        REMOVED, REPLACED, REMOVED_BY_THE_HOST, REPLACED_BY_THE_HOST
    }

    @BeforeEach
    void start() throws IOException {
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withFiles(8, 1000).withTransfers(1 << 16, 2),
                clock::get);
        client = new Calls(server, "client");
        other = new Calls(server, "other");
    }

    @AfterEach
    void end() {
        server.close();
    }

    private static Opened open(Calls by, String name, int access) throws IOException {
        Xdr reply = by.call(Status.OK, Calls.root(), Calls.open("me", name, access, true), Calls.op(Operation.GETFH));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.OPEN, Status.OK);
        StateId state = StateId.decode(reply);
        reply.xdrDecodeBoolean();
        reply.xdrDecodeLong();
        reply.xdrDecodeLong();
        reply.xdrDecodeInt();
        Bitmap.decode(reply);
        reply.xdrDecodeInt();
        Calls.result(reply, Operation.GETFH, Status.OK);
        return new Opened(state, FileHandle.decode(reply));
    }

    private void lose(String name, Loss how) throws IOException {
        Path path = folder.resolve(name);
        Path another = folder.resolve("another");
        switch (how) {
            case REMOVED -> other.call(Status.OK, Calls.root(), Calls.name(Operation.REMOVE, name));
            case REPLACED -> {
                Files.writeString(another, "new");
                other.call(Status.OK, Calls.root(), Calls.op(Operation.SAVEFH), Calls.op(Operation.RENAME, xdr -> {
                    xdr.xdrEncodeString("another");
                    xdr.xdrEncodeString(name);
                }));
            }
            case REMOVED_BY_THE_HOST -> Files.delete(path);
            case REPLACED_BY_THE_HOST -> {
                Files.writeString(another, "new");
                Files.move(another, path, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** The descriptors of this process that keep files of the folder. */
    private long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(this::isOfFolder).count();
        }
    }

    private boolean isOfFolder(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(folder.toRealPath() + "/file");
        } catch (IOException e) {
            return false;
        }
    }

    private static Calls.Op close(Opened opened) {
        return Calls.close(opened.state());
    }

    private static Calls.Op attributes() {
        return Calls.op(Operation.GETATTR, Bitmap.of(Attribute.SIZE, Attribute.NUMLINKS)::encode);
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeAnOpenFileThatLostItsName(Loss how) throws IOException {
        Opened opened = open(client, "file", BOTH);
        lose("file", how);

        client.call(Status.OK, Calls.handle(opened.handle()), Calls.write(opened.state(), 0, "hello"));
        Xdr reply = client.call(Status.OK, Calls.handle(opened.handle()), Calls.read(opened.state(), 0, 100), attributes());
        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, Operation.READ, Status.OK);
        reply.xdrDecodeBoolean();
        assertEquals("hello", Calls.text(reply.xdrDecodeDynamicOpaque()));
        Calls.result(reply, Operation.GETATTR, Status.OK);
        Attributes attributes = Attributes.decode(reply);
        assertEquals(5L, attributes.require(Attribute.SIZE));
        assertEquals(0, attributes.require(Attribute.NUMLINKS));
        client.call(Status.OK, Calls.handle(opened.handle()), Calls.op(Operation.COMMIT, xdr -> {
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeInt(0);
        }));

        client.call(Status.OK, Calls.handle(opened.handle()), close(opened));
        assertEquals(0, server.opens());
        assertEquals(0, descriptors(), "the disk would stay full");
        client.call(Status.STALE, Calls.handle(opened.handle()), attributes());
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotRunOutOfOpensByFilesThatLoseTheirNames(Loss how) throws IOException {
        for (int i = 0; i < 50; i++) {
            Opened opened = open(client, "file", BOTH);
            lose("file", how);
            client.call(Status.OK, Calls.handle(opened.handle()), close(opened));
        }
        assertEquals(0, server.opens());
        assertEquals(0, descriptors());
    }

    @Test
    void shouldEndOpensOfRemovedFilesWithTheLease() throws IOException {
        open(client, "file", BOTH);
        lose("file", Loss.REMOVED);
        client.destroySession();
        clock.addAndGet(Duration.ofSeconds(91).toNanos());
        server.core().clients().expire();
        assertEquals(0, server.opens());
        assertEquals(0, descriptors());
    }

    /** RFC 8881, 8.4.3: however seldom the server sweeps. */
    @Test
    void shouldNotHoldAnOpenOffByOneWhoseLeaseIsOver() throws IOException {
        other.call(Status.OK, Calls.root(), Calls.open("other", "file", READ, WRITE, new Attributes()));
        clock.addAndGet(Duration.ofSeconds(60).toNanos());
        client.call(Status.SHARE_DENIED, Calls.root(), Calls.open("me", "file", WRITE, false));
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
        client.call(Status.OK, Calls.root(), Calls.open("me", "file", WRITE, false));
    }

    /** RFC 8881, 8.2.3: the current state is the newest one, but for CLOSE and OPEN_DOWNGRADE. */
    @Test
    void shouldTakeTheNewestOfTheCurrentState() throws IOException {
        Calls.Op open = Calls.open("me", "file", BOTH, true);
        Calls.Op[] upgraded = { Calls.root(), open, Calls.op(Operation.SAVEFH), Calls.root(), open, Calls.op(Operation.RESTOREFH) };
        client.call(Status.OK, with(upgraded, Calls.write(StateId.CURRENT, 0, "hello")));
        client.call(Status.OLD_STATEID, with(upgraded, Calls.close(StateId.CURRENT)));
        client.call(Status.OK, Calls.root(), open, Calls.close(StateId.CURRENT));
    }

    private static Calls.Op[] with(Calls.Op[] operations, Calls.Op last) {
        return Stream.concat(Stream.of(operations), Stream.of(last)).toArray(Calls.Op[]::new);
    }

    /** Two opens of two clients: the file stays until the last of them ends. */
    @Test
    void shouldServeTheLastOfSeveralOpens() throws IOException {
        Opened mine = open(client, "file", BOTH);
        Opened theirs = open(other, "file", READ);
        assertEquals(mine.handle(), theirs.handle());
        lose("file", Loss.REMOVED);
        client.call(Status.OK, Calls.handle(mine.handle()), Calls.write(mine.state(), 0, "hello"), close(mine));
        other.call(Status.OK, Calls.handle(theirs.handle()), Calls.read(theirs.state(), 0, 5), attributes(), close(theirs));
        assertEquals(0, descriptors());
    }

    /** RFC 8881, 18.16.3: UNCHECKED4 with a size of 0 cuts the file that there is, which is a write. */
    @Test
    void shouldNotCutAFileWhoseWritesAnotherClientDenies() throws IOException {
        Files.writeString(folder.resolve("file"), "text");
        Attributes empty = new Attributes().with(Attribute.SIZE, 0L);
        other.call(Status.OK, Calls.root(), Calls.open("other", "file", READ, WRITE, null));

        client.call(Status.SHARE_DENIED, Calls.root(), Calls.open("me", "file", READ, 0, empty));

        assertEquals("text", Files.readString(folder.resolve("file")));
        assertEquals(1, server.opens());
        other.call(Status.OK, Calls.root(), Calls.open("other", "file", READ, WRITE, empty));
        assertEquals("", Files.readString(folder.resolve("file")), "the owner of the denial writes");
    }

    /** docs/reference/nfs.md says so: as a file that a program of the server's machine has open. */
    @Test
    void shouldServeAFileThatLeftTheFolderUntilItIsClosed(@TempDir Path outside) throws IOException {
        Opened opened = open(client, "file", BOTH);
        Files.move(folder.resolve("file"), outside.resolve("file"));
        client.call(Status.OK, Calls.handle(opened.handle()), Calls.write(opened.state(), 0, "hello"), attributes(), close(opened));
        client.call(Status.STALE, Calls.handle(opened.handle()), Calls.read(StateId.ANONYMOUS, 0, 5));
        other.call(Status.STALE, Calls.handle(opened.handle()), attributes());
        assertEquals("hello", Files.readString(outside.resolve("file")));
    }

    /** A new file of the same name is another file. */
    @Test
    void shouldTellTheRemovedFileFromItsSuccessor() throws IOException {
        Opened removed = open(client, "file", BOTH);
        lose("file", Loss.REMOVED);
        Opened successor = open(other, "file", BOTH);
        assertTrue(!removed.handle().equals(successor.handle()));
        client.call(Status.OK, Calls.handle(removed.handle()), Calls.write(removed.state(), 0, "old"), close(removed));
        other.call(Status.OK, Calls.handle(successor.handle()), Calls.write(successor.state(), 0, "successor"), close(successor));
        assertEquals("successor", Files.readString(folder.resolve("file")));
    }
}
