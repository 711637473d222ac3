package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.shared.Failure;

/** Captures of the Linux driver, which tcpdump wrote, whole and spoilt. How many messages are in them tshark 4.0 says, too. */
class DecodeCommandTest {
    private static final Path CAPTURES = Path.of("..", "soft-iwarp", "src", "test", "resources", "captures");
    private static final int MUTANTS = 400;

    @TempDir
    private Path folder;

    private static Path vector(String name) {
        return CAPTURES.resolve(name + ".pcap");
    }

    private static List<JsonNode> json(Path file) throws IOException {
        Program.Outcome outcome = Program.run("decode", "--json", file.toString());
        assertEquals(0, outcome.status(), outcome::errors);
        List<JsonNode> objects = new ArrayList<>();
        for (String line : outcome.out().lines().toList()) {
            objects.add(new ObjectMapper().readTree(line));
        }
        return objects;
    }

    private static List<JsonNode> fpdus(List<JsonNode> objects) {
        return objects.stream().filter(object -> object.path("kind").asText().equals("fpdu")).toList();
    }

    @ParameterizedTest
    @CsvSource({ "rping, 14, off", "rping-crc, 20, good", "rdma-client-server, 2, off", "nfs4-rdma, 110, off" })
    void shouldDecodeTheLinuxDriver(String name, int fpdus, String crc) throws Exception {
        List<JsonNode> objects = json(vector(name));
        JsonNode totals = objects.getLast();
        assertAll(() -> assertEquals(1, totals.path("connections").asInt()), () -> assertEquals(fpdus, totals.path("fpdus").asInt()),
                () -> assertEquals(0, totals.path("badCrcs").asInt() + totals.path("malformed").asInt() + totals.path("lost").asInt()),
                () -> assertEquals(List.of("request", "reply"),
                        objects.stream().limit(2).map(object -> object.path("kind").asText()).toList()),
                () -> fpdus(objects).forEach(object -> assertEquals(crc, object.path("crc").asText(), object::toString)),
                () -> objects.forEach(object -> assertEquals("pverbs.decode", object.path("schema").asText())));
    }

    @Test
    void shouldPrintOneLineForEachMessage() {
        Program.Outcome outcome = Program.run("decode", vector("rping").toString());
        assertEquals(0, outcome.status(), outcome::errors);
        List<String> lines = outcome.out().lines().toList();
        assertTrue(lines.getFirst().contains("MPA Request: revision 2, no CRC, no Markers"), lines::toString);
        assertTrue(lines.stream().anyMatch(line -> line.contains("Read Request, queue 1, MSN 1, MO 0") && line.contains("from STag")),
                lines::toString);
        assertTrue(lines.getLast().contains("1 connections with MPA: 14 FPDUs"), lines::getLast);
    }

    /** One byte in the payload of the last long packet is changed. */
    @Test
    void shouldFindABadChecksum() throws Exception {
        byte[] file = Files.readAllBytes(vector("rping-crc"));
        int at = 24;
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int found = -1;
        while (at < file.length) {
            int length = in.getInt(at + 8);
            found = length > 1000 ? at + 16 + length - 100 : found;
            at += 16 + length;
        }
        file[found] ^= 1;
        Path spoilt = Files.write(folder.resolve("spoilt.pcap"), file);
        List<JsonNode> objects = json(spoilt);
        assertEquals(1, objects.getLast().path("badCrcs").asInt());
        assertEquals(1, fpdus(objects).stream().filter(object -> object.path("crc").asText().equals("bad")).count());
        assertTrue(Program.run("decode", spoilt.toString()).out().contains("CRC BAD"));
    }

    /** tcpdump -s: the file has the headers, and knows how long the packets were. */
    private Path cutAt(int snapLength) throws IOException {
        byte[] file = Files.readAllBytes(vector("rping-crc"));
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer cut = ByteBuffer.allocate(file.length).order(ByteOrder.LITTLE_ENDIAN).put(file, 0, 24);
        for (int at = 24; at < file.length; at += 16 + in.getInt(at + 8)) {
            int kept = Math.min(snapLength, in.getInt(at + 8));
            cut.put(file, at, 8).putInt(kept).putInt(in.getInt(at + 12)).put(file, at + 16, kept);
        }
        return Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(cut.array(), cut.position()));
    }

    @Test
    void shouldFollowPacketsThatAreCut() throws Exception {
        List<JsonNode> objects = json(cutAt(150));
        assertTrue(fpdus(objects).stream().anyMatch(object -> object.path("crc").asText().equals("unknown")), objects::toString);
        assertEquals(0, objects.getLast().path("badCrcs").asInt(), objects::toString);
        assertTrue(objects.getLast().path("fpdus").asInt() == 20, objects::toString);
    }

    /** The file has the headers of DDP, and not all of a Read Request. */
    @ParameterizedTest
    @ValueSource(ints = { 96, 100 })
    void shouldNotCallACutMessageMalformed(int snapLength) throws Exception {
        List<JsonNode> objects = json(cutAt(snapLength));
        assertEquals(0, objects.getLast().path("malformed").asInt(), objects::toString);
        assertEquals(20, objects.getLast().path("fpdus").asInt(), objects::toString);
        List<JsonNode> reads = fpdus(objects).stream().filter(object -> object.path("operation").asText().equals("Read Request")).toList();
        assertFalse(reads.isEmpty());
        reads.forEach(object -> assertTrue(object.path("cut").asBoolean() && object.path("readLength").isMissingNode(), object::toString));
        assertTrue(Program.run("decode", folder.resolve("cut.pcap").toString()).out().contains("28 bytes, the rest is cut, CRC unknown"));
    }

    @Test
    void shouldNameAPacketThatIsMissing() throws Exception {
        byte[] file = Files.readAllBytes(vector("rping"));
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer less = ByteBuffer.allocate(file.length).put(file, 0, 24);
        boolean left = false;
        int number = 0;
        for (int at = 24; at < file.length; at += 16 + in.getInt(at + 8)) {
            boolean drop = !left && number > 8 && in.getInt(at + 8) > 80;
            left |= drop;
            number++;
            if (!drop) {
                less.put(file, at, 16 + in.getInt(at + 8));
            }
        }
        List<JsonNode> objects = json(Files.write(folder.resolve("less.pcap"), Arrays.copyOf(less.array(), less.position())));
        assertTrue(left && objects.stream().anyMatch(object -> object.path("kind").asText().equals("lost")), objects::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = { "rping", "pcapng" })
    void shouldSayThatAFileIsCutShort(String name) throws Exception {
        byte[] file = name.equals("pcapng") ? pcapng() : Files.readAllBytes(vector(name));
        for (int length = 0; length < file.length; length++) {
            String said = decode(Arrays.copyOf(file, length));
            int cut = length;
            assertTrue(said.isEmpty() || said.contains("is cut short")
                    || cut < 4 && (said.contains("is neither") || said.contains("is empty")), () -> cut + ": " + said);
        }
    }

    /** The message of the failure, or an empty one. */
    private static String decode(byte[] file) throws IOException {
        try (PacketFile packets = PacketFile.of("mutant", new ByteArrayInputStream(file))) {
            new Decoder(entry -> assertFalse(entry.text().isEmpty())).decode(packets);
            return "";
        } catch (Failure e) {
            return e.getMessage();
        }
    }

    @Test
    void shouldPrintWhatComesBeforeTheEndOfACutFile() throws Exception {
        byte[] file = Files.readAllBytes(vector("rping"));
        Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(file, file.length - 1));
        Program.Outcome outcome = Program.run("decode", cut.toString());
        assertEquals(1, outcome.status());
        assertEquals("pverbs: " + cut + " is cut short: it ends at byte " + (file.length - 1) + ", in the middle of a packet or block",
                outcome.errors().strip());
        assertTrue(outcome.out().contains("Read Request"), outcome::out);
        assertTrue(outcome.out().contains("1 connections with MPA: "), outcome::out);
        List<String> lines = Program.run("decode", "--json", cut.toString()).out().lines().toList();
        assertEquals("totals", new ObjectMapper().readTree(lines.get(lines.size() - 2)).path("kind").asText(), lines::toString);
        assertEquals("file", new ObjectMapper().readTree(lines.getLast()).path("error").path("kind").asText(), lines::toString);
    }

    /** As {@code | head} does it: then the rest of the file is not read, and the exit status says so. */
    @Test
    void shouldStopIfNobodyReadsWhatItPrints() {
        ClosedPipe pipe = new ClosedPipe("Broken pipe");
        Program.Outcome outcome = Program.runInto(pipe, "decode", vector("rping").toString());
        assertEquals(1, outcome.status());
        assertEquals("", outcome.errors());
        assertEquals(2, pipe.writes, "the second line fails");
    }

    @Test
    void shouldSayThatItsOutputCannotBeWritten() {
        Program.Outcome outcome = Program.runInto(new ClosedPipe("No space left on device"), "decode", vector("rping").toString());
        assertEquals(1, outcome.status());
        assertEquals("pverbs: standard output cannot be written: No space left on device", outcome.errors().strip());
    }

    /** Takes a line; then it is closed. */
    private static final class ClosedPipe extends OutputStream {
        private final String reason;
        private int writes;

        private ClosedPipe(String reason) {
            this.reason = reason;
        }

        @Override
        public void write(int octet) throws IOException {
            write(new byte[] { (byte) octet }, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            writes++;
            if (writes > 1) {
                throw new IOException(reason);
            }
        }
    }

    /** Wherever a file is spoilt, the decoder ends in its own words, or at the end of the file. */
    @ParameterizedTest
    @ValueSource(strings = { "rping", "rping-crc", "rdma-client-server", "pcapng" })
    void shouldNotStumbleOverMutants(String name) throws Exception {
        byte[] file = name.equals("pcapng") ? pcapng() : Files.readAllBytes(vector(name));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = mutate(file, random);
            int number = i;
            try {
                String said = decode(mutant);
                assertTrue(said.isEmpty() || said.startsWith("mutant is "), said);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", mutant " + number + " of " + name, e);
            }
        }
    }

    private static byte[] mutate(byte[] file, Random random) {
        byte[] mutant = random.nextInt(4) == 0 ? Arrays.copyOf(file, random.nextInt(file.length)) : file.clone();
        for (int i = random.nextInt(8); i >= 0 && mutant.length > 4; i--) {
            int at = random.nextInt(mutant.length);
            switch (random.nextInt(4)) {
                case 0 -> mutant[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> mutant[at] = (byte) random.nextInt(256);
                case 2 -> ByteBuffer.wrap(mutant).putInt(Math.min(at, mutant.length - 4),
                        new int[] { 0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 65_535, 1 }[random.nextInt(6)]);
                default -> System.arraycopy(mutant, at, mutant, at / 2, mutant.length - at);
            }
        }
        return mutant;
    }

    /** A capture of tcpdump in the newer format: as many of its blocks as this decoder knows. */
    private static byte[] pcapng() throws IOException {
        byte[] file = Files.readAllBytes(vector("rping"));
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer out = ByteBuffer.allocate(4 * file.length).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putInt(1).putLong(-1).putInt(28);
        out.putInt(1).putInt(32).putShort((short) 1).putShort((short) 0).putInt(0).putShort((short) 9).putShort((short) 1).putInt(6)
                .putInt(0).putInt(32);
        out.putInt(0x0BAD).putInt(16).putInt(7).putInt(16);
        for (int at = 24; at < file.length; at += 16 + in.getInt(at + 8)) {
            int length = in.getInt(at + 8);
            int padded = length + 3 & ~3;
            out.putInt(6).putInt(32 + padded).putInt(0).putInt(0).putInt(in.getInt(at + 4)).putInt(length).putInt(in.getInt(at + 12))
                    .put(file, at + 16, length).position(out.position() + padded - length);
            out.putInt(32 + padded);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    @Test
    void shouldReadTheNewerFormat() throws Exception {
        Path file = Files.write(folder.resolve("rping.pcapng"), pcapng());
        assertEquals(14, json(file).getLast().path("fpdus").asInt());
    }

    @Test
    void shouldSayWhatToDoAboutAnotherFile() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty"));
        Path gzip = Files.write(folder.resolve("c.pcap.gz"), new byte[] { 0x1f, (byte) 0x8b, 8, 0, 0, 0 });
        Path notes = Files.writeString(folder.resolve("notes"), "buy milk");
        assertEquals("pverbs: " + empty + " is empty: write one by pverbs capture, tcpdump -w or Wireshark", errors(empty));
        assertEquals("pverbs: " + gzip + " is compressed: gunzip it first", errors(gzip));
        assertEquals("pverbs: " + notes + " is neither a pcapng nor a pcap file: write one by pverbs capture, tcpdump -w or Wireshark",
                errors(notes));
        assertEquals("pverbs: " + folder + " is a directory: name a file of packets in it", errors(folder));
        assertEquals("pverbs: " + Path.of("").toAbsolutePath() + " is a directory: name a file of packets in it", errors(Path.of("")));
    }

    private static String errors(Path file) {
        Program.Outcome outcome = Program.run("decode", file.toString());
        assertEquals(1, outcome.status());
        return outcome.errors().strip();
    }

    @Test
    void shouldSayTheLimitOfABlock() throws Exception {
        byte[] file = pcapng();
        // The length of the block after the section.
        ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(28 + 4, 16_777_220);
        Path corrupt = Files.write(folder.resolve("corrupt.pcapng"), file);
        assertEquals("pverbs: " + corrupt + " is corrupt at byte 28: a block of 16777220 bytes, and 16777216 is the limit; "
                + "the messages before it are printed above", errors(corrupt));
    }

    @Test
    void shouldRefuseAnotherFile() throws Exception {
        Program.Outcome outcome = Program.run("decode", "--json", Files.writeString(folder.resolve("notes"), "buy milk").toString());
        assertEquals(1, outcome.status());
        assertTrue(outcome.errors().contains("notes is neither a pcapng nor a pcap file"), outcome::errors);
        assertEquals("file", new ObjectMapper().readTree(outcome.out()).path("error").path("kind").asText());
        assertEquals(1, Program.run("decode", folder.resolve("missing").toString()).status());
    }
}
