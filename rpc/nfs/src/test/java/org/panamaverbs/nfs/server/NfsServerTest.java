package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** The server from call to reply, without a network. */
class NfsServerTest {
    private static final int READ = 1;
    private static final int BOTH = 3;
    /** How often directories are swapped for links while the server is asked. */
    private static final int ROUNDS = 1000;

    @TempDir
    private Path outside;
    private Path folder;
    private NfsServer server;
    private Calls client;
    private final AtomicLong clock = new AtomicLong();

    @BeforeEach
    void start() throws IOException {
        folder = Files.createDirectory(outside.resolve("export"));
        Files.writeString(outside.resolve("secret"), "secret");
        start(ServerOptions.defaults().withWritable(true).withFiles(64, 1000).withTransfers(1 << 16, 2));
    }

    private void start(ServerOptions options) throws IOException {
        if (server != null) {
            server.close();
        }
        server = NfsServer.open(folder, options, clock::get);
        client = new Calls(server, "client");
    }

    @AfterEach
    void end() {
        server.close();
    }

    private StateId open(String owner, String name, int access, boolean create) throws IOException {
        Xdr reply = client.call(Status.OK, Calls.root(), Calls.open(owner, name, access, create));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.OPEN, Status.OK);
        return StateId.decode(reply);
    }

    private FileHandle handle(String name) throws IOException {
        Xdr reply = client.call(Status.OK, Calls.root(), Calls.name(Operation.LOOKUP, name), Calls.op(Operation.GETFH));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.LOOKUP, Status.OK);
        Calls.result(reply, Operation.GETFH, Status.OK);
        return FileHandle.decode(reply);
    }

    @Test
    void shouldWriteAndReadAFile() throws IOException {
        StateId state = open("me", "file", BOTH, true);
        client.call(Status.OK, Calls.handle(handle("file")), Calls.write(state, 3, "hello"));
        assertArrayEquals("\0\0\0hello".getBytes(), Files.readAllBytes(folder.resolve("file")));

        Xdr reply = client.call(Status.OK, Calls.handle(handle("file")), Calls.read(state, 3, 100));

        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, Operation.READ, Status.OK);
        assertTrue(reply.xdrDecodeBoolean());
        assertEquals("hello", Calls.text(reply.xdrDecodeDynamicOpaque()));
    }

    @Test
    void shouldGiveBuffersBack() throws IOException {
        Files.write(folder.resolve("file"), new byte[100_000]);
        int free = server.core().buffers().free();
        for (int i = 0; i < 10; i++) {
            client.call(Status.OK, Calls.handle(handle("file")), Calls.read(StateId.ANONYMOUS, 0, 50_000));
        }
        assertEquals(free, server.core().buffers().free());
    }

    @Test
    void shouldRenameAndRemoveAndKeepHandles() throws IOException {
        Files.writeString(folder.resolve("a"), "a");
        Files.createDirectory(folder.resolve("dir"));
        FileHandle handle = handle("a");
        client.call(Status.OK, Calls.root(), Calls.op(Operation.SAVEFH), Calls.name(Operation.LOOKUP, "dir"),
                Calls.op(Operation.RENAME, xdr -> {
                    xdr.xdrEncodeString("a");
                    xdr.xdrEncodeString("b");
                }));
        assertEquals("a", Files.readString(folder.resolve("dir/b")));
        client.call(Status.OK, Calls.handle(handle), Calls.read(StateId.ANONYMOUS, 0, 1));

        client.call(Status.NOTEMPTY, Calls.root(), Calls.name(Operation.REMOVE, "dir"));
        client.call(Status.OK, Calls.root(), Calls.name(Operation.LOOKUP, "dir"), Calls.name(Operation.REMOVE, "b"));
        client.call(Status.OK, Calls.root(), Calls.name(Operation.REMOVE, "dir"));
        client.call(Status.STALE, Calls.handle(handle), Calls.read(StateId.ANONYMOUS, 0, 1));
        assertFalse(Files.exists(folder.resolve("dir")));
    }

    @Test
    void shouldChangeNothingIfReadOnly() throws IOException {
        Files.writeString(folder.resolve("a"), "a");
        start(ServerOptions.defaults().withTransfers(4096, 1));
        client.call(Status.ROFS, Calls.root(), Calls.name(Operation.REMOVE, "a"));
        client.call(Status.ROFS, Calls.root(), Calls.open("me", "new", READ, true));
        client.call(Status.ROFS, Calls.root(), Calls.open("me", "a", BOTH, false));
        client.call(Status.ROFS, Calls.handle(handle("a")), Calls.write(StateId.ANONYMOUS, 0, "x"));
        open("me", "a", READ, true);
        assertEquals("a", Files.readString(folder.resolve("a")));
        assertEquals(1, folder.toFile().list().length);
    }

    @Test
    void shouldRefuseNamesThatAreNone() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), outside);
        for (String name : new String[] { "..", "." }) {
            client.call(Status.BADNAME, Calls.root(), Calls.name(Operation.LOOKUP, name));
            client.call(Status.BADNAME, Calls.root(), Calls.name(Operation.REMOVE, name));
        }
        for (String name : new String[] { "../secret", "/etc/passwd", "a\0b", "a/" }) {
            client.call(Status.BADCHAR, Calls.root(), Calls.name(Operation.LOOKUP, name));
            client.call(Status.BADCHAR, Calls.root(), Calls.open("me", name, BOTH, true));
        }
        client.call(Status.INVAL, Calls.root(), Calls.name(Operation.LOOKUP, ""));
        client.call(Status.NAMETOOLONG, Calls.root(), Calls.name(Operation.LOOKUP, "x".repeat(256)));
        client.call(Status.NOENT, Calls.root(), Calls.op(Operation.LOOKUPP));
    }

    @Test
    void shouldFollowNoLink() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), outside);
        Files.createSymbolicLink(folder.resolve("file"), outside.resolve("secret"));
        client.call(Status.SYMLINK, Calls.root(), Calls.name(Operation.LOOKUP, "link"), Calls.name(Operation.LOOKUP, "secret"));
        client.call(Status.SYMLINK, Calls.root(), Calls.open("me", "file", READ, false));
        client.call(Status.SYMLINK, Calls.root(), Calls.open("me", "file", BOTH, true));
        client.call(Status.SYMLINK, Calls.handle(handle("file")), Calls.read(StateId.ANONYMOUS, 0, 1));
        assertEquals("secret", Files.readString(outside.resolve("secret")));
    }

    @Test
    void shouldStayInsideWhileOthersSwapDirectoriesForLinks() throws Exception {
        Path swapped = folder.resolve("swapped");
        Path aside = folder.resolve("aside");
        Path link = folder.resolve("link");
        Files.createDirectory(swapped);
        Files.writeString(swapped.resolve("secret"), "public");
        Files.createSymbolicLink(link, outside);
        FileHandle directory = handle("swapped");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread attacker = Thread.ofPlatform().daemon().uncaughtExceptionHandler((thread, e) -> failure.set(e)).start(() -> {
            while (!done.get()) {
                swap(swapped, aside, link);
                rounds.incrementAndGet();
            }
        });
        int seen = 0;
        int missed = 0;
        try {
            // Both must have met each other: the directory in its place, and not.
            for (int i = 0; attacker.isAlive() && (i < 3000 || rounds.get() < ROUNDS || seen == 0 || missed == 0); i++) {
                byte[] all = Calls.raw(server, client.bytes(Calls.handle(directory), Calls.name(Operation.LOOKUP, "secret"),
                        Calls.read(StateId.ANONYMOUS, 0, 100)));
                assertFalse(Calls.text(all).contains("secret"));
                boolean found = Calls.text(all).contains("public");
                seen += found ? 1 : 0;
                missed += found ? 0 : 1;
            }
        } finally {
            done.set(true);
            attacker.join();
        }
        assertNull(failure.get(), "the thread that swaps has died");
        assertTrue(rounds.get() >= ROUNDS, () -> "the directory was swapped " + rounds + " times only");
        assertTrue(seen > 0, "the directory was there now and then");
        assertTrue(missed > 0, "the directory was away now and then");
    }

    /** Puts the link in the directory's place, and the directory back. */
    private static void swap(Path directory, Path aside, Path link) {
        try {
            Files.move(directory, aside);
            Files.move(link, directory);
            Files.move(directory, link);
            Files.move(aside, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldForgetSessionsInARestart() throws IOException {
        byte[] call = client.bytes(Calls.root());
        start(ServerOptions.defaults().withTransfers(4096, 1));
        Calls.expect(Calls.run(server, call), Status.BADSESSION, 1);
    }

    /** RFC 8881, 18.32.3: so a client learns that data may be lost. */
    @Test
    void shouldChangeTheVerifierOfWritesInARestart() throws IOException {
        long first = verifier();
        assertEquals(first, verifier());
        start(ServerOptions.defaults().withWritable(true).withTransfers(4096, 1));
        assertNotEquals(first, verifier());
    }

    private long verifier() throws IOException {
        open("me", "file", BOTH, true);
        Xdr reply = client.call(Status.OK, Calls.handle(handle("file")), Calls.write(StateId.ANONYMOUS, 0, "text"),
                Calls.op(Operation.COMMIT, xdr -> {
                    xdr.xdrEncodeLong(0);
                    xdr.xdrEncodeInt(0);
                }));
        Calls.result(reply, Operation.PUTFH, Status.OK);
        Calls.result(reply, Operation.WRITE, Status.OK);
        reply.xdrDecodeLong();
        long written = reply.xdrDecodeLong();
        Calls.result(reply, Operation.COMMIT, Status.OK);
        assertEquals(written, reply.xdrDecodeLong());
        return written;
    }

    @Test
    void shouldListADirectoryPageByPage() throws IOException {
        TreeSet<String> expected = new TreeSet<>();
        for (int i = 0; i < 300; i++) {
            Files.createFile(folder.resolve("file-" + i));
            expected.add("file-" + i);
        }
        TreeSet<String> names = new TreeSet<>();
        long cookie = 0;
        boolean eof = false;
        int pages = 0;
        while (!eof) {
            long from = cookie;
            Xdr reply = client.call(Status.OK, Calls.root(), Calls.op(Operation.READDIR, xdr -> {
                xdr.xdrEncodeLong(from);
                xdr.xdrEncodeLong(0);
                xdr.xdrEncodeInt(0);
                xdr.xdrEncodeInt(1000);
                Bitmap.of(1, 19, 20).encode(xdr);
            }));
            Calls.result(reply, Operation.PUTROOTFH, Status.OK);
            Calls.result(reply, Operation.READDIR, Status.OK);
            reply.xdrDecodeLong();
            while (reply.xdrDecodeBoolean()) {
                cookie = reply.xdrDecodeLong();
                assertTrue(names.add(reply.xdrDecodeString()));
                Bitmap.decode(reply);
                reply.xdrDecodeDynamicOpaque();
            }
            eof = reply.xdrDecodeBoolean();
            pages++;
            // A file that is removed meanwhile disturbs nothing.
            Files.deleteIfExists(folder.resolve(names.first()));
        }
        assertEquals(expected, names);
        assertTrue(pages > 10);
    }

    @Test
    void shouldExecuteACallOnce() throws IOException {
        Files.createFile(folder.resolve("a"));
        byte[] call = client.bytes(Calls.root(), Calls.name(Operation.REMOVE, "a"));
        byte[] first = Calls.raw(server, call);
        byte[] second = Calls.raw(server, call);
        assertArrayEquals(first, second);
        Calls.expect(Calls.run(server, call), Status.OK, 3);
    }

    @Test
    void shouldAskForASessionAndVersionOne() throws IOException {
        Calls.expect(Calls.run(server, 1, Calls.root()), Status.OP_NOT_IN_SESSION, 1);
        Calls.expect(Calls.run(server, 0, Calls.root()), Status.MINOR_VERS_MISMATCH, 0);
        Calls.expect(Calls.run(server, 2, Calls.root()), Status.MINOR_VERS_MISMATCH, 0);
        client.call(Status.OP_ILLEGAL, Calls.op(Operation.ILLEGAL));
        client.call(Status.NOTSUPP, Calls.op(Operation.LINK));
        client.call(Status.NOFILEHANDLE, Calls.op(Operation.GETFH));
    }

    @Test
    void shouldLimitOpens() throws IOException {
        Files.createFile(folder.resolve("a"));
        for (int i = 0; i < 32; i++) {
            open("owner " + i, "a", READ, false);
        }
        for (int i = 0; i < 1000; i++) {
            client.call(Status.NOSPC, Calls.root(), Calls.open("more " + i, "a", READ, false));
        }
        assertEquals(32, server.opens());
    }

    @Test
    void shouldForgetSilentClients() throws IOException {
        open("me", "file", BOTH, true);
        clock.addAndGet(Duration.ofSeconds(91).toNanos());
        server.core().clients().expire();
        assertEquals(0, server.opens());
        assertEquals(0, server.clients());
        client.call(Status.BADSESSION, Calls.root());
    }

    @Test
    void shouldAnswerCallsThatAreCutAnywhere() throws IOException {
        StateId state = open("me", "file", BOTH, true);
        byte[] whole = client.bytes(Calls.root(), Calls.open("me", "file", BOTH, true), Calls.write(state, 0, "text"),
                Calls.op(Operation.READDIR, xdr -> {
                    xdr.xdrEncodeLong(0);
                    xdr.xdrEncodeLong(0);
                    xdr.xdrEncodeInt(100);
                    xdr.xdrEncodeInt(1000);
                    Bitmap.of(1, 19, 20).encode(xdr);
                }));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(whole, length);
            if (length < 20) {
                // tag, minor version and count: "garbage arguments" of RPC.
                int shorter = length;
                if (length < 16) {
                    assertThrows(IOException.class, () -> Calls.run(server, cut), () -> "cut at " + shorter);
                }
            } else {
                assertFalse(Status.decode(Calls.run(server, cut)) == Status.OK, "cut at " + length);
            }
        }
    }

    @Test
    void shouldSurviveAnything() throws IOException {
        Files.createDirectory(folder.resolve("dir"));
        Files.writeString(folder.resolve("dir/a"), "a");
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            int count = random.nextInt(6);
            Calls.Op[] ops = new Calls.Op[count];
            for (int k = 0; k < count; k++) {
                ops[k] = random.nextBoolean() ? Calls.root() : garbage(random);
            }
            byte[] call = client.bytes(ops);
            for (int flips = random.nextInt(3); flips > 0; flips--) {
                call[20 + random.nextInt(call.length - 20)] ^= (byte) (1 << random.nextInt(8));
            }
            Calls.run(server, call);
        }
        assertEquals("secret", Files.readString(outside.resolve("secret")));
        assertEquals(2, outside.toFile().list().length);
        assertEquals(2 + 128, server.core().buffers().free());
        new Calls(server, "another").call(Status.OK, Calls.root());
    }

    private static Calls.Op garbage(Random random) {
        Operation[] all = Operation.values();
        Operation operation = all[random.nextInt(all.length)];
        int length = 4 * random.nextInt(40);
        return Calls.op(operation, xdr -> {
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                // Small numbers lead deeper.
                bytes[i] = (byte) (i % 4 == 3 ? random.nextInt(6) : random.nextInt(40) == 0 ? random.nextInt(256) : 0);
            }
            xdr.xdrEncodeOpaque(bytes, 0, length);
        });
    }
}
