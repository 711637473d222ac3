package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.capture.CaptureFile;
import org.panamaverbs.softiwarp.transport.capture.CapturingMultiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.testing.Program;
import org.panamaverbs.testing.Transports;

/** A capture's record of a connection, read by itself and by tshark. The whole decoder is tested in tools. */
class CaptureFileTest {
    private static final int ENHANCED_PACKET = 6;
    private static final int SIZE = 200_000;

    @TempDir
    private Path folder;

    private Map<String, String> settings(String transport, String... others) {
        List<String> all = new ArrayList<>(List.of("capture", file().toString()));
        all.addAll(List.of(others));
        return SoftIwarp.settings(transport, all.toArray(String[]::new));
    }

    private Path file() {
        return folder.resolve("verbs.pcapng");
    }

    /** The bodies of the enhanced packet blocks; fails if the file is not made of whole blocks. */
    private static List<ByteBuffer> packets(Path file) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        List<ByteBuffer> packets = new ArrayList<>();
        int at = 0;
        while (at < all.limit()) {
            int length = all.getInt(at + 4);
            assertEquals(length, all.getInt(at + length - 4), "the block at " + at);
            if (all.getInt(at) == ENHANCED_PACKET) {
                packets.add(all.slice(at + 8, length - 12));
            }
            at += length;
        }
        return packets;
    }

    @ParameterizedTest
    @Transports({ "nio", "epoll" })
    void shouldHaveEachByteOnce(String transport) throws Exception {
        WriteBeyond.run(settings(transport), SIZE);
        Map<Integer, Long> next = new TreeMap<>();
        Map<Integer, Long> payload = new TreeMap<>();
        for (ByteBuffer packet : packets(file())) {
            ByteBuffer ip = packet.slice(20, packet.getInt(12));
            assertEquals(packet.getInt(12), packet.getInt(16), "whole");
            boolean four = ip.get(0) == 0x45;
            int tcp = four ? 20 : 40;
            int length = ip.limit() - tcp - (ip.get(tcp + 12) >> 4 & 0x0F) * 4;
            int from = Short.toUnsignedInt(ip.getShort(tcp));
            long sequence = Integer.toUnsignedLong(ip.getInt(tcp + 4));
            if ((ip.get(tcp + 13) & 2) != 0) {
                next.put(from, sequence + 1);
            } else {
                assertEquals(next.get(from), sequence, "no gap and nothing twice");
                next.merge(from, (long) length, Long::sum);
                payload.merge(from, (long) length, Long::sum);
            }
            next.merge(from, (long) (ip.get(tcp + 13) & 1), Long::sum);
        }
        assertEquals(2, payload.size());
        payload.values().forEach(bytes -> assertTrue(bytes > SIZE && bytes < 3 * SIZE, payload::toString));
    }

    @ParameterizedTest
    @CsvSource({ "shared-memory, off", "nio, off", "epoll, on" })
    void shouldBeReadByTshark(String transport, String crc) throws Exception {
        assumeTrue(installed("tshark"), "tshark is needed (the Debian package of that name)");
        WriteBeyond.run(settings(transport, "crc", crc), SIZE);
        List<String> opcodes = fields("iwarp_mpa.fpdu", "iwarp_rdma.opcode");
        List<String> checks = tshark("-Y", "iwarp_mpa.fpdu", "-V").stream().filter(line -> line.contains("CRC check")).toList();
        assertAll(() -> assertEquals(1, fields("iwarp_mpa.req", "frame.number").size(), "Requests"),
                () -> assertEquals(1, fields("iwarp_mpa.rep", "frame.number").size(), "Replies"),
                () -> assertEquals(1, opcodes.stream().filter(each -> Integer.decode(each) == 7).count(), () -> "Terminates " + opcodes),
                () -> assertEquals(1, opcodes.stream().filter(each -> Integer.decode(each) == 1).count(), () -> "Reads " + opcodes),
                () -> assertEquals(crc.equals("on") ? opcodes.size() : 0, checks.size(), () -> "checksums " + checks),
                () -> assertTrue(checks.stream().allMatch(line -> line.contains("Good CRC32")), checks::toString),
                () -> assertEquals(List.of(), fields("_ws.malformed || iwarp_mpa.bad_length || tcp.analysis.flags || "
                        + "ip.checksum.status != Good || tcp.checksum.status != Good", "frame.number"), "faults"));
    }

    @Test
    void shouldEndAtItsLargestSizeAndNotDisturbTheConnection() throws Exception {
        WriteBeyond.run(settings("nio", "capture-size", "1"), 4 << 20);
        assertTrue(Files.size(file()) <= 1 << 20 && packets(file()).size() > 5, () -> file().toString());
    }

    @Test
    void shouldCutPackets() throws Exception {
        WriteBeyond.run(settings("nio", "capture-snaplen", "100"), SIZE);
        List<ByteBuffer> packets = packets(file());
        packets.forEach(packet -> assertTrue(packet.getInt(12) <= 100 && packet.getInt(16) >= packet.getInt(12), "lengths"));
        assertTrue(packets.stream().anyMatch(packet -> packet.getInt(16) > 10_000), "a cut one");
    }

    /** The system lets a file grow to a size, as a disk that is full. */
    @Test
    void shouldEndAtAFullDiskAndNotDisturbTheConnection() throws Exception {
        Path output = folder.resolve("said");
        List<String> command = List.of("bash", "-c", "ulimit -f 300 && exec \"$@\"", "bash",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xshare:auto",
                "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                WriteBeyond.class.getName(), "transport=nio", "capture=" + file());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        String said = Program.finished(process, output);
        assertEquals(1, said.lines().filter(line -> line.contains("ends: writing failed")).count(), said);
        packets(file());
    }

    @Test
    void shouldOverwriteACaptureButNoOtherFile() throws Exception {
        Files.writeString(make(), "the only copy of a thesis");
        SystemException refused = assertThrows(SystemException.class, () -> WriteBeyond.run(settings("nio"), SIZE));
        assertTrue(refused.getMessage().contains("is no capture"), refused::getMessage);
        assertEquals("the only copy of a thesis", Files.readString(file()));
        byte[] old = new byte[5 << 20];
        ByteBuffer.wrap(old).putInt(0x0A0D0D0A);
        Files.write(file(), old);
        WriteBeyond.run(settings("nio"), SIZE);
        int once = packets(file()).size();
        assertTrue(once > 5, () -> "packets: " + once);
        // Of its own process it keeps what there is.
        WriteBeyond.run(settings("nio"), SIZE);
        assertTrue(packets(file()).size() > once, "packets");
    }

    /** A file that only its user may read. */
    private Path make() throws IOException {
        return Files.createFile(file(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private String refused() {
        return assertThrows(SystemException.class, this::capture).getMessage();
    }

    @Test
    void shouldMakeAFileThatOnlyItsUserMayRead() throws IOException {
        capture().close();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
    }

    @ParameterizedTest
    @ValueSource(strings = { "rw-r--r--", "rw-r-----", "rw----r--", "rw--w----", "rw-rw-rw-" })
    void shouldRefuseAFileThatOthersMayReadOrWrite(String mode) throws IOException {
        Files.setPosixFilePermissions(make(), PosixFilePermissions.fromString(mode));
        assertEquals("the capture " + file() + " cannot be written: its mode " + mode + " lets other users read or change it; "
                + "chmod go-rw " + file(), refused());
        assertEquals(0, Files.size(file()));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldRefuseAFileOfAnotherUser(boolean link) throws IOException {
        Path given = link ? Files.createSymbolicLink(file(), Files.createFile(folder.resolve("own"))) : make();
        try {
            Files.getFileAttributeView(given, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setOwner(given.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        } catch (FileSystemException e) {
            assumeTrue(false, "only root may give files away");
        }
        assertEquals("the capture " + file() + " cannot be written: it belongs to user nobody; remove it, or make it yours by chown",
                refused());
        assertEquals(0, Files.size(file()));
    }

    @Test
    void shouldTakeAnotherNameIfAnotherProcessCapturesToTheFile() throws Exception {
        try (FileChannel other = FileChannel.open(make(), StandardOpenOption.WRITE)) {
            // The lock of this process would be seen as that of another copy of the library, which counts as another process.
            other.lock();
            WriteBeyond.run(settings("nio"), SIZE);
            assertEquals(0, other.size());
        }
        Path own = folder.resolve("verbs." + ProcessHandle.current().pid() + ".pcapng");
        assertTrue(packets(own).size() > 5, own::toString);
    }

    /** The other one wrote the file while this process wrote a file of its own. */
    @Test
    void shouldNotAppendToTheCaptureOfAnotherProcess() throws Exception {
        byte[] section = new byte[1000];
        ByteBuffer.wrap(section).putInt(0x0A0D0D0A);
        try (FileChannel other = FileChannel.open(make(), StandardOpenOption.WRITE)) {
            other.lock();
            other.write(ByteBuffer.wrap(section));
            capture().close();
            assertEquals(section.length, other.size());
        }
        capture().close();
        long once = Files.size(file());
        assertTrue(once > 0 && once < section.length, () -> "size " + once);
        capture().close();
        assertEquals(2 * once, Files.size(file()), "its own it keeps");
    }

    private CaptureFile capture() {
        return CaptureFile.open(file().toString(), 1000, 1 << 20);
    }

    /** Else it would find the file locked, by itself. Much is written last, so that the end takes a moment. */
    @Test
    void shouldOpenAgainWhatAnotherThreadCloses() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            IoVector message = Peers.vector(arena.allocate(2 << 10));
            for (int i = 0; i < 60; i++) {
                CaptureFile capture = CaptureFile.open(file().toString(), 1 << 20, 1L << 30);
                assertEquals(file(), capture.path(), "round " + i);
                Multiplexer multiplexer = new CapturingMultiplexer(new NioMultiplexer(), capture);
                try (Peers peers = Peers.connect(multiplexer)) {
                    for (int j = 0; j < 1500; j++) {
                        assertEquals(2 << 10, peers.client.channel.write(message));
                        assertEquals(2 << 10, peers.server.channel.read(message));
                    }
                }
                CountDownLatch closing = new CountDownLatch(1);
                Thread.ofPlatform().start(() -> {
                    closing.countDown();
                    multiplexer.close();
                });
                closing.await();
            }
        }
        capture().close();
    }

    /** A channel that cannot be captured, for lack of memory say. */
    @Test
    void shouldCloseAPeerThatItCannotCapture() {
        AtomicInteger closed = new AtomicInteger();
        Channel channel = proxy(Channel.class, method -> {
            if (method.equals("close")) {
                closed.incrementAndGet();
                return null;
            }
            throw new OutOfMemoryError("thrown by the test");
        });
        Acceptor<?> inner = proxy(Acceptor.class, method -> method.equals("accept") ? channel : null);
        CapturingMultiplexer multiplexer = new CapturingMultiplexer(
                proxy(Multiplexer.class, method -> method.equals("listen") ? inner : null), capture());
        Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress(0), 1, 0);
        assertThrows(OutOfMemoryError.class, acceptor::accept);
        assertEquals(1, closed.get());
        multiplexer.close();
    }

    private static <T> T proxy(Class<T> type, Function<String, Object> answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (self, method, arguments) -> answer.apply(method.getName())));
    }

    @Test
    void shouldCaptureNothingWithoutTheSetting() throws Exception {
        WriteBeyond.run(SoftIwarp.settings("nio"), SIZE);
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void shouldRefuseAFileThatCannotBeWritten() {
        Map<String, String> settings = SoftIwarp.settings("nio", "capture", folder.resolve("no/such/folder").toString());
        Configuration.Builder configuration = Configuration.builder();
        settings.forEach(configuration::set);
        assertTrue(assertThrows(SystemException.class, () -> Verbs.open(configuration.build())).getMessage()
                .endsWith("/no/such/folder cannot be written: its directory does not exist"));
    }

    private List<String> fields(String filter, String field) throws IOException {
        return tshark("-Y", filter, "-T", "fields", "-e", field).stream().flatMap(line -> Stream.of(line.split(",")))
                .filter(value -> !value.isBlank()).toList();
    }

    private List<String> tshark(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("tshark", "-n", "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-r", file().toString()));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }

    private static boolean installed(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
