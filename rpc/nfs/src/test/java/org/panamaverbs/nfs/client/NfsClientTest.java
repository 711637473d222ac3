package org.panamaverbs.nfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.testing.Proofs;

class NfsClientTest {
    private static final NfsOptions OPTIONS = NfsOptions.defaults().withWaits(Duration.ofSeconds(60), Duration.ofSeconds(60));

    /** A server that answers one operation in a way of its own. */
    private static FakeServer answering(byte[] file, Operation which, FakeServer.Answer answer) throws IOException {
        return new FakeServer(file) {
            @Override
            Answer answerTo(Operation operation) {
                return operation == which ? answer : null;
            }
        };
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] readAll(FakeServer server, int room) throws IOException {
        try (NfsClient client = NfsClient.open(server.transport, OPTIONS); Arena arena = Arena.ofShared()) {
            OpenFile file = client.open(client.lookup("/file"));
            MemorySegment memory = arena.allocate(room);
            List<Long> progress = new ArrayList<>();
            long read = client.read(file, 0, memory, progress::add);
            client.close(file);
            assertEquals(read, progress.getLast());
            return memory.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void shouldReadAFileInPieces() throws IOException {
        byte[] file = random(100_001);
        try (FakeServer server = new FakeServer(file)) {
            assertArrayEquals(file, readAll(server, file.length));
            // 9,216 bytes of a reply leave room for 8,192 of data.
            assertEquals(13, server.seen.stream().filter(Operation.READ::equals).count());
            assertTrue(server.seen.containsAll(List.of(Operation.CLOSE, Operation.DESTROY_SESSION, Operation.DESTROY_CLIENTID)));
        }
    }

    @Test
    void shouldGoOnAfterShortReads() throws IOException {
        byte[] file = random(50_000);
        FakeServer[] self = new FakeServer[1];
        try (FakeServer server = answering(file, Operation.READ, (in, out) -> {
            self[0].read(in, out, 3001);
            return Status.OK;
        })) {
            self[0] = server;
            assertArrayEquals(file, readAll(server, file.length));
        }
    }

    @Test
    void shouldReadLessThanAskedForIfTheFileEnds() throws IOException {
        byte[] file = random(20_000);
        try (FakeServer server = new FakeServer(file)) {
            assertArrayEquals(file, readAll(server, 60_000));
        }
    }

    @Test
    void shouldRefuseAReadOfNothingThatIsNotTheEnd() throws IOException {
        try (FakeServer server = answering(random(50_000), Operation.READ, (in, out) -> {
            in.xdrDecodeOpaque(28);
            out.xdrEncodeBoolean(false);
            out.xdrEncodeInt(0);
            return Status.OK;
        })) {
            IOException failure = assertThrows(IOException.class, () -> readAll(server, 50_000));
            assertTrue(failure.getMessage().contains("/file: the server moves 0 bytes"), failure.getMessage());
        }
    }

    @Test
    void shouldRefuseMoreThanItAskedFor() throws IOException {
        try (FakeServer server = answering(random(5000), Operation.READ, (in, out) -> {
            in.xdrDecodeOpaque(28);
            out.xdrEncodeBoolean(true);
            out.xdrEncodeDynamicOpaque(new byte[5001]);
            return Status.OK;
        })) {
            assertThrows(IOException.class, () -> readAll(server, 5000));
        }
    }

    @Test
    void shouldRefuseLengthsThatTheReplyDoesNotHave() throws IOException {
        for (int length : new int[] { 4000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE }) {
            try (FakeServer server = answering(random(5000), Operation.READ, (in, out) -> {
                in.xdrDecodeOpaque(28);
                out.xdrEncodeBoolean(true);
                out.xdrEncodeInt(length);
                return Status.OK;
            })) {
                assertThrows(IOException.class, () -> readAll(server, 5000), () -> "length " + length);
            }
        }
    }

    @Test
    void shouldTryAgainWhatTheServerPutsOff() throws IOException {
        byte[] file = random(30_000);
        AtomicInteger count = new AtomicInteger();
        FakeServer[] self = new FakeServer[1];
        try (FakeServer server = answering(file, Operation.READ, (in, out) -> {
            if (count.incrementAndGet() % 2 == 1 && count.get() < 6) {
                return Status.DELAY;
            }
            self[0].read(in, out, Integer.MAX_VALUE);
            return Status.OK;
        })) {
            self[0] = server;
            assertArrayEquals(file, readAll(server, file.length));
        }
    }

    @Test
    void shouldEndItsPatience() throws IOException {
        NfsOptions impatient = OPTIONS.withWaits(Duration.ofSeconds(60), Duration.ofSeconds(Proofs.run() ? 2 : 1));
        try (FakeServer server = answering(new byte[1], Operation.OPEN, (in, out) -> Status.GRACE);
                NfsClient client = NfsClient.open(server.transport, impatient)) {
            NfsFile file = client.lookup("file");
            NfsException failure = assertThrows(NfsException.class, () -> client.open(file));
            assertEquals(Status.GRACE, failure.status());
            assertEquals(Operation.OPEN, failure.operation());
            // A busy machine may use up the time at once.
            assertTrue(!Proofs.run() || server.seen.stream().filter(Operation.OPEN::equals).count() > 1);
        }
    }

    @Test
    void shouldKeepSequenceNumbersRightAfterFailures() throws IOException {
        // The fake server refuses a number that is not the next of its slot.
        try (FakeServer server = new FakeServer(random(100)); NfsClient client = NfsClient.open(server.transport, OPTIONS)) {
            for (int i = 0; i < 3 * FakeServer.SLOTS; i++) {
                NfsException failure = assertThrows(NfsException.class, () -> client.lookup("nothing"));
                assertEquals(Status.NOENT, failure.status());
                assertTrue(failure.getMessage().startsWith("/nothing: there is no such file or directory"), failure.getMessage());
            }
            assertEquals(FileType.REGULAR, client.lookup("file").attributes().require(Attribute.TYPE));
        }
    }

    @Test
    @Tag(Proofs.TAG)
    void shouldGiveUpSlotsWhoseCallsHadNoAnswer() throws IOException {
        NfsOptions hasty = OPTIONS.withTransfers(2, 8192).withWaits(Duration.ofSeconds(2), Duration.ZERO);
        try (FakeServer server = new FakeServer(random(100)) {
            @Override
            boolean answers(Operation operation) {
                return operation != Operation.LOOKUP;
            }
        }; NfsClient client = NfsClient.open(server.transport, hasty)) {
            assertEquals(2, client.slots());
            assertThrows(SocketTimeoutException.class, () -> client.lookup("file"));
            assertThrows(SocketTimeoutException.class, () -> client.lookup("file"));
            IOException failure = assertThrows(IOException.class, () -> client.lookup("file"));
            assertTrue(failure.getMessage().contains("no call gets an answer any more"), failure.getMessage());
        }
    }

    /** One call is under way when the connection ends, and another waits for its slot. */
    @Test
    void shouldNotWaitForASlotThatIsLost() throws Exception {
        NfsOptions patient = OPTIONS.withTransfers(1, 8192).withWaits(Duration.ofSeconds(60), Duration.ZERO);
        List<CompletableFuture<NfsFile>> calls = new ArrayList<>();
        try (FakeServer server = new FakeServer(random(100)) {
            @Override
            boolean answers(Operation operation) {
                return operation != Operation.PUTROOTFH;
            }
        }) {
            NfsClient client = NfsClient.open(server.transport, patient);
            for (int i = 0; i < 2; i++) {
                calls.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return client.lookup("/");
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                }, task -> Thread.ofVirtual().start(task)));
            }
            while (!server.seen.contains(Operation.PUTROOTFH)) {
                Thread.onSpinWait();
            }
            server.end();
            for (CompletableFuture<NfsFile> call : calls) {
                assertThrows(ExecutionException.class, () -> call.get(60, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void shouldWriteAFileInPieces() throws IOException {
        byte[] file = random(100_001);
        try (FakeServer server = new FakeServer(new byte[0])) {
            write(server, file);
            assertArrayEquals(file, java.util.Arrays.copyOf(server.written, file.length));
            assertEquals(1, server.seen.stream().filter(Operation.COMMIT::equals).count());
        }
    }

    private static void write(FakeServer server, byte[] bytes) throws IOException {
        try (NfsClient client = NfsClient.open(server.transport, OPTIONS); Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(bytes.length);
            memory.copyFrom(MemorySegment.ofArray(bytes));
            OpenFile file = client.create(client.lookup("/"), FileName.of("new"), 0644);
            client.write(file, 0, memory, at -> {
            });
            client.close(file);
        }
    }

    @Test
    void shouldGoOnAfterShortWrites() throws IOException {
        byte[] file = random(30_000);
        FakeServer[] self = new FakeServer[1];
        try (FakeServer server = answering(new byte[0], Operation.WRITE, (in, out) -> {
            self[0].write(in, out, 2999);
            return Status.OK;
        })) {
            self[0] = server;
            write(server, file);
            assertArrayEquals(file, java.util.Arrays.copyOf(server.written, file.length));
        }
    }

    @Test
    void shouldWriteAgainIfTheServerStartedAgain() throws IOException {
        byte[] file = random(30_000);
        AtomicInteger commits = new AtomicInteger();
        FakeServer[] self = new FakeServer[1];
        try (FakeServer server = answering(new byte[0], Operation.COMMIT, (in, out) -> {
            in.xdrDecodeOpaque(12);
            if (commits.incrementAndGet() == 1) {
                self[0].verifier++;
                java.util.Arrays.fill(self[0].written, (byte) 0);
            }
            out.xdrEncodeLong(self[0].verifier);
            return Status.OK;
        })) {
            self[0] = server;
            write(server, file);
            assertEquals(2, commits.get());
            assertArrayEquals(file, java.util.Arrays.copyOf(server.written, file.length));
        }
    }

    @Test
    void shouldRefuseAWriteOfMoreThanWasSent() throws IOException {
        try (FakeServer server = answering(new byte[0], Operation.WRITE, (in, out) -> {
            in.xdrDecodeOpaque(28);
            in.xdrDecodeDynamicOpaque();
            out.xdrEncodeInt(Integer.MAX_VALUE);
            out.xdrEncodeInt(0);
            out.xdrEncodeLong(5);
            return Status.OK;
        })) {
            assertThrows(IOException.class, () -> write(server, new byte[100]));
        }
    }

    @Test
    void shouldRefuseRepliesWithTooManyOrTooFewResults() throws IOException {
        for (int surplus : new int[] { -1, 1, Integer.MAX_VALUE - 10, -100 }) {
            try (FakeServer server = new FakeServer(new byte[0]) {
                @Override
                int claimedResults(int results) {
                    return results + surplus;
                }
            }) {
                assertThrows(IOException.class, () -> NfsClient.open(server.transport, OPTIONS), () -> "surplus " + surplus);
            }
        }
    }

    @Test
    void shouldNotFollowLinksNorGoUp() throws IOException {
        try (FakeServer server = new FakeServer(new byte[0]) {
            @Override
            Attributes attributes() {
                return exists ? new Attributes().with(Attribute.TYPE, FileType.SYMBOLIC_LINK) : super.attributes();
            }
        }; NfsClient client = NfsClient.open(server.transport, OPTIONS)) {
            IOException failure = assertThrows(IOException.class, () -> client.lookup("/file/other"));
            assertTrue(failure.getMessage().startsWith("/file: is a symbolic link"), failure.getMessage());
            assertThrows(IllegalArgumentException.class, () -> client.lookup("/file/.."));
            assertThrows(IllegalArgumentException.class, () -> client.lookup("/./file"));
            assertFalse(server.seen.contains(Operation.READLINK));
        }
    }

    private static List<String> list(FakeServer server) throws IOException {
        List<String> names = new ArrayList<>();
        try (NfsClient client = NfsClient.open(server.transport, OPTIONS)) {
            client.list(client.lookup("/"), entry -> names.add(entry.name().toString()));
        }
        return names;
    }

    private static void page(XdrEncodingStream out, boolean eof, long cookie, String... names) throws IOException {
        out.xdrEncodeLong(3);
        for (String name : names) {
            out.xdrEncodeBoolean(true);
            out.xdrEncodeLong(cookie++);
            out.xdrEncodeString(name);
            new Attributes().with(Attribute.TYPE, FileType.REGULAR).encode(out);
        }
        out.xdrEncodeBoolean(false);
        out.xdrEncodeBoolean(eof);
    }

    @Test
    void shouldListPageByPage() throws IOException {
        try (FakeServer server = answering(new byte[0], Operation.READDIR, (in, out) -> {
            long cookie = in.xdrDecodeLong();
            long verifier = in.xdrDecodeLong();
            in.xdrDecodeOpaque(8);
            org.panamaverbs.nfs.xdr.Bitmap.decode(in);
            if (verifier != (cookie == 0 ? 0 : 3)) {
                return Status.NOT_SAME;
            }
            if (cookie == 0) {
                page(out, false, 10, "a", "b");
            } else {
                page(out, true, 20, "cookie " + cookie);
            }
            return Status.OK;
        })) {
            assertEquals(List.of("a", "b", "cookie 11"), list(server));
        }
    }

    @Test
    void shouldRefuseAListThatDoesNotGoOn() throws IOException {
        for (String[] names : new String[][] { {}, { "same" } }) {
            try (FakeServer server = answering(new byte[0], Operation.READDIR, (in, out) -> {
                in.xdrDecodeOpaque(24);
                org.panamaverbs.nfs.xdr.Bitmap.decode(in);
                page(out, false, 10, names);
                return Status.OK;
            })) {
                IOException failure = assertThrows(IOException.class, () -> list(server));
                assertTrue(failure.getMessage().contains("does not go on"), failure.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseAPageOfMoreThanItAskedFor() throws IOException {
        AtomicInteger taken = new AtomicInteger();
        try (FakeServer server = answering(new byte[0], Operation.READDIR, (in, out) -> {
            in.xdrDecodeOpaque(24);
            org.panamaverbs.nfs.xdr.Bitmap.decode(in);
            String[] names = new String[10_000];
            Arrays.fill(names, "a");
            page(out, true, 10, names);
            return Status.OK;
        }); NfsClient client = NfsClient.open(server.transport, OPTIONS)) {
            NfsFile root = client.lookup("/");
            IOException failure = assertThrows(IOException.class, () -> client.list(root, entry -> taken.incrementAndGet()));
            assertTrue(failure.getMessage().contains("more entries than fit into a page"), failure.getMessage());
            assertEquals(0, taken.get());
        }
    }

    /** Latin-1 and other bytes: RFC 8881, 14.4, leaves names to the server, and file systems take all but two bytes. */
    @Test
    void shouldSendAndTakeNamesAsBytes() throws IOException {
        byte[] name = { 'f', (byte) 0xe4, (byte) 0xff, 1 };
        List<byte[]> asked = new ArrayList<>();
        try (FakeServer server = new FakeServer(new byte[0]) {
            @Override
            Answer answerTo(Operation operation) {
                return switch (operation) {
                    case LOOKUP, REMOVE -> (in, out) -> {
                        asked.add(in.xdrDecodeDynamicOpaque());
                        return Status.NOENT;
                    };
                    case READDIR -> (in, out) -> {
                        in.xdrDecodeOpaque(24);
                        org.panamaverbs.nfs.xdr.Bitmap.decode(in);
                        out.xdrEncodeLong(3);
                        out.xdrEncodeBoolean(true);
                        out.xdrEncodeLong(10);
                        out.xdrEncodeDynamicOpaque(name);
                        new Attributes().encode(out);
                        out.xdrEncodeBoolean(false);
                        out.xdrEncodeBoolean(true);
                        return Status.OK;
                    };
                    default -> null;
                };
            }
        }; NfsClient client = NfsClient.open(server.transport, OPTIONS)) {
            NfsFile root = client.lookup("/");
            List<FileName> names = new ArrayList<>();
            client.list(root, entry -> names.add(entry.name()));
            assertEquals(List.of(FileName.of(name)), names);
            assertThrows(NfsException.class, () -> client.lookup(root, names.getFirst()));
            assertThrows(NfsException.class, () -> client.remove(root, names.getFirst()));
            assertArrayEquals(name, asked.get(0));
            assertArrayEquals(name, asked.get(1));
            String shown = names.getFirst().toString();
            assertThrows(IllegalArgumentException.class, () -> client.lookup("/" + shown), "another name");
            assertThrows(IllegalArgumentException.class, () -> client.lookup("/\ud800"), "half a character");
            assertEquals(2, asked.size());
        }
    }

    @Test
    void shouldRefuseNamesThatAreNone() throws IOException {
        for (String name : new String[] { "", ".", "..", "../../etc/passwd", "a\0b" }) {
            try (FakeServer server = answering(new byte[0], Operation.READDIR, (in, out) -> {
                in.xdrDecodeOpaque(24);
                org.panamaverbs.nfs.xdr.Bitmap.decode(in);
                page(out, true, 10, name);
                return Status.OK;
            })) {
                IOException failure = assertThrows(IOException.class, () -> list(server));
                assertTrue(failure.getMessage().contains("not the name of a file"), failure.getMessage());
            }
        }
    }
}
