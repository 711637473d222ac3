package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.testing.Proofs;

/** Handles live as long as their files do (RFC 8881, 4.2.2), and lead to no file outside of the folder. */
class HandlesTest {
    private static final int NODES = 100;
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final Calls.Op SIZE = Calls.op(Operation.GETATTR, Bitmap.of(Attribute.SIZE)::encode);

    @TempDir
    private Path outside;
    private Path folder;
    private NfsServer server;
    private Calls client;

    @BeforeEach
    void start() throws IOException {
        folder = Files.createDirectory(outside.resolve("export"));
        restart(NODES);
    }

    private void restart(int nodes) throws IOException {
        end();
        server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withFiles(64, nodes).withTransfers(1 << 16, 2));
        client = new Calls(server, "client");
    }

    @AfterEach
    void clean() throws IOException {
        end();
        if (folder.startsWith(MEMORY)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private void end() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    private static FileHandle handle(Calls by, String... path) throws IOException {
        List<Calls.Op> operations = new ArrayList<>(List.of(Calls.root()));
        for (String name : path) {
            operations.add(Calls.name(Operation.LOOKUP, name));
        }
        operations.add(Calls.op(Operation.GETFH));
        Xdr reply = by.call(Status.OK, operations.toArray(Calls.Op[]::new));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        for (int i = 0; i < path.length; i++) {
            Calls.result(reply, Operation.LOOKUP, Status.OK);
        }
        Calls.result(reply, Operation.GETFH, Status.OK);
        return FileHandle.decode(reply);
    }

    private FileHandle handle(String... path) throws IOException {
        return handle(client, path);
    }

    private Attributes attributes(FileHandle handle, Attribute<?> wanted) throws IOException {
        Xdr reply = client.call(Status.OK, Calls.handle(handle), Calls.op(Operation.GETATTR, Bitmap.of(wanted)::encode));
        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, Operation.GETATTR, Status.OK);
        return Attributes.decode(reply);
    }

    private void assertLeadsTo(String text, FileHandle handle) throws IOException {
        Xdr reply = client.call(Status.OK, Calls.handle(handle), Calls.read(StateId.ANONYMOUS, 0, 100));
        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, Operation.READ, Status.OK);
        reply.xdrDecodeBoolean();
        assertEquals(text, Calls.text(reply.xdrDecodeDynamicOpaque()));
    }

    private void assertStale(FileHandle handle) throws IOException {
        client.call(Status.STALE, Calls.handle(handle), SIZE);
    }

    @Test
    void shouldKeepHandlesOverARestart() throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/b/file"), "text");
        FileHandle root = handle();
        FileHandle directory = handle("a", "b");
        FileHandle file = handle("a", "b", "file");

        restart(NODES);

        assertLeadsTo("text", file);
        client.call(Status.OK, Calls.handle(directory), Calls.name(Operation.LOOKUP, "file"));
        client.call(Status.OK, Calls.handle(root), Calls.name(Operation.LOOKUP, "a"));
        client.call(Status.OK, Calls.handle(directory), Calls.op(Operation.LOOKUPP), Calls.op(Operation.LOOKUPP));
        assertEquals(List.of(root, directory, file), List.of(handle(), handle("a", "b"), handle("a", "b", "file")));
        assertEquals(Nfs4.FH4_PERSISTENT, attributes(file, Attribute.FH_EXPIRE_TYPE).require(Attribute.FH_EXPIRE_TYPE));
    }

    /** A restart while files move: the handle means the file, not its name. */
    @Test
    void shouldFindFilesThatMoved() throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/b/file"), "text");
        Files.writeString(folder.resolve("here"), "here");
        FileHandle file = handle("a", "b", "file");
        FileHandle here = handle("here");

        Files.move(folder.resolve("here"), folder.resolve("a/there"));
        assertLeadsTo("here", here);
        end();
        Files.move(folder.resolve("a/b"), folder.resolve("c"));
        Files.writeString(folder.resolve("here"), "another");
        restart(NODES);

        assertLeadsTo("text", file);
        assertLeadsTo("here", here);
    }

    @Test
    void shouldKeepAHandleWhileALongFolderIsListed() throws IOException {
        int nodes = Proofs.run() ? ServerOptions.defaults().nodes() : 20 * NODES;
        int names = nodes * 3 / 2;
        if (MEMORY.toFile().canWrite()) {
            // On a disk it takes half a minute to make as many files as the profile has.
            folder = Files.createTempDirectory(MEMORY, "nfs-handles");
        }
        Files.createDirectory(folder.resolve("kept"));
        Files.createDirectory(folder.resolve("many"));
        for (int i = 0; i < names; i++) {
            Files.createFile(folder.resolve("many/" + i));
        }
        restart(nodes);
        FileHandle kept = handle("kept");
        FileHandle many = handle("many");
        int listed = 0;
        FileHandle first = null;
        long cookie = 0;
        for (boolean eof = false; !eof;) {
            long from = cookie;
            Xdr reply = client.call(Status.OK, Calls.handle(many), Calls.op(Operation.READDIR, xdr -> {
                xdr.xdrEncodeLong(from);
                xdr.xdrEncodeLong(0);
                xdr.xdrEncodeInt(0);
                xdr.xdrEncodeInt(1 << 20);
                Bitmap.of(Attribute.FILEHANDLE).encode(xdr);
            }));
            Calls.result(reply, Operation.PUTFH, Status.OK);
            Calls.result(reply, Operation.READDIR, Status.OK);
            reply.xdrDecodeLong();
            while (reply.xdrDecodeBoolean()) {
                cookie = reply.xdrDecodeLong();
                reply.xdrDecodeDynamicOpaque();
                FileHandle handle = Attributes.decode(reply).require(Attribute.FILEHANDLE);
                first = first == null ? handle : first;
                listed++;
            }
            eof = reply.xdrDecodeBoolean();
        }
        assertEquals(names, listed);
        client.call(Status.OK, Calls.handle(kept), SIZE);
        client.call(Status.OK, Calls.handle(first), SIZE);
    }

    @Test
    void shouldKeepAHandleWhileManyNamesAreLookedUp() throws IOException {
        Files.writeString(folder.resolve("kept"), "kept");
        FileHandle kept = handle("kept");
        for (int i = 0; i < 3 * NODES; i++) {
            Files.createFile(folder.resolve("file" + i));
            handle("file" + i);
        }
        assertLeadsTo("kept", kept);
        assertTrue(server.core().export().nodes() <= NODES);
    }

    @Test
    void shouldKnowNoHandleOfARemovedFile() throws IOException {
        for (String name : new String[] { "by client", "by host", "before a restart" }) {
            Files.createFile(folder.resolve(name));
        }
        FileHandle byClient = handle("by client");
        FileHandle byHost = handle("by host");
        FileHandle before = handle("before a restart");
        client.call(Status.OK, Calls.root(), Calls.name(Operation.REMOVE, "by client"));
        Files.delete(folder.resolve("by host"));
        assertStale(byClient);
        assertStale(byHost);

        Files.delete(folder.resolve("before a restart"));
        restart(NODES);
        assertStale(byClient);
        assertStale(byHost);
        assertStale(before);
    }

    /** The same number of an inode, even within the same tick of the kernel's clock. */
    @Test
    void shouldTellAFileFromItsSuccessorWithItsNumber() throws IOException {
        boolean same = false;
        Path path = folder.resolve("file");
        for (int i = 0; i < 100; i++) {
            Files.createFile(path);
            FileHandle removed = handle("file");
            Object number = Files.getAttribute(path, "unix:ino");
            Files.delete(path);
            Files.createFile(path);
            if (number.equals(Files.getAttribute(path, "unix:ino"))) {
                same = true;
                assertNotEquals(removed, handle("file"));
                assertStale(removed);
                restart(NODES);
                assertStale(removed);
            }
            Files.delete(path);
        }
        assumeTrue(same, "this file system does not use numbers again at once");
    }

    @Test
    void shouldKnowAFileAgainThatWasOutside() throws IOException {
        Files.writeString(folder.resolve("file"), "text");
        FileHandle handle = handle("file");
        Files.move(folder.resolve("file"), outside.resolve("file"));
        assertStale(handle);
        Files.move(outside.resolve("file"), folder.resolve("back"));
        assertEquals(handle, handle("back"));
        for (int i = 0; i < 2 * NODES; i++) {
            Files.createFile(folder.resolve("file" + i));
            handle("file" + i);
        }
        assertLeadsTo("text", handle);
    }

    /** These handles are right, at a server of another folder. */
    @Test
    void shouldNotLeadOutside() throws IOException {
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectory(outside.resolve("directory"));
        List<FileHandle> handles = new ArrayList<>();
        try (NfsServer other = NfsServer.open(outside, ServerOptions.defaults().withTransfers(4096, 1))) {
            Calls there = new Calls(other, "client");
            handles.add(handle(there, "secret"));
            handles.add(handle(there, "directory"));
            handles.add(handle(there, "export"));
        }
        for (FileHandle handle : handles) {
            assertStale(handle);
        }
        restart(NODES);
        for (FileHandle handle : handles) {
            assertStale(handle);
        }
        // A file that is inside is anybody's, until it leaves.
        Files.writeString(folder.resolve("left"), "left");
        FileHandle left = handle("left");
        Files.move(folder.resolve("left"), outside.resolve("left"));
        assertStale(left);
        restart(NODES);
        assertStale(left);
    }

    @Test
    void shouldNotKnowHandlesThatAreMadeUp() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            byte[] guess = new byte[16];
            random.nextBytes(guess);
            assertStale(FileHandle.of(guess));
        }
        byte[] near = handle(Files.createFile(folder.resolve("a")).getFileName().toString()).bytes();
        near[15]++;
        assertStale(FileHandle.of(near));
        client.call(Status.BADHANDLE, Calls.handle(FileHandle.of(new byte[5])));
    }

    /** RFC 8881, 4.2.3: a file system that tells files apart by their numbers alone, which it uses again. */
    @Test
    void shouldSayThatHandlesExpireIfNothingLastsInTheFileSystem() throws IOException {
        folder = Path.of("/proc/sys");
        assumeTrue(Files.isDirectory(folder));
        restart(NODES);
        assumeTrue(!server.core().export().keepsHandles(), "/proc has lasting handles");
        FileHandle kernel = handle("kernel");
        assertEquals(Nfs4.FH4_VOLATILE_ANY, attributes(kernel, Attribute.FH_EXPIRE_TYPE).require(Attribute.FH_EXPIRE_TYPE));
        restart(NODES);
        client.call(Status.FHEXPIRED, Calls.handle(kernel));
    }
}
