package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** If a file lacks bytes, the decoder does not use memory without limit, and says how to help. */
class DecoderMemoryTest extends DecoderCase {
    private static final int START = 20;
    private static final int LENGTH = 60_000;

    /** One direction alone, with so many long Sends behind its start frame. */
    private static MadeFile oneDirection(boolean request, int sends) {
        MadeFile file = new MadeFile();
        byte[] send = MpaBytes.send(LENGTH);
        int from = request ? CLIENT : SERVER;
        int to = request ? SERVER : CLIENT;
        file.packet(from, to, 0, TcpSegment.SYN, new byte[0]);
        file.data(from, to, 0, request ? MpaBytes.request() : MpaBytes.reply());
        for (int i = 0; i < sends; i++) {
            file.data(from, to, START + (long) i * send.length, send);
        }
        return file;
    }

    @ParameterizedTest
    @CsvSource({ "true, MPA Reply", "false, MPA Request" })
    void shouldStopADirectionWhileTheOtherOneIsMissing(boolean request, String missing) {
        decode(oneDirection(request, 100));
        assertSaid(0, 1);
        Entry lost = entries("lost").getFirst();
        assertTrue(lost.text().contains("the file lacks the " + missing + ": capture both directions"), lost::text);
        assertEquals(2 + 5, lost.packet(), "256 KiB are less than five Sends");
    }

    @ParameterizedTest
    @CsvSource({ "true, MPA Reply", "false, MPA Request" })
    void shouldSayAtTheEndOfAShortFileWhichStartFrameIsMissing(boolean request, String missing) {
        decode(oneDirection(request, 1));
        assertSaid(0, 1);
        assertTrue(entries("lost").getFirst().text().contains("lacks the " + missing), () -> entries("lost").toString());
    }

    /** Its segment is missing, and so many bytes wait behind it that it is given up. */
    @Test
    void shouldEndBothDirectionsIfAStartFrameIsLost() {
        MadeFile file = new MadeFile().handshake(CLIENT, SERVER).data(CLIENT, SERVER, 0, MpaBytes.request());
        byte[] send = MpaBytes.send(LENGTH);
        for (int i = 0; i < 20; i++) {
            file.data(SERVER, CLIENT, START + (long) i * send.length, send);
            file.data(CLIENT, SERVER, START + (long) i * send.length, send);
        }
        decode(file);
        assertSaid(0, 2);
        assertTrue(entries("lost").stream().allMatch(entry -> entry.packet() < file.size()), () -> entries("lost").toString());
        assertTrue(
                entries("lost").stream()
                        .anyMatch(entry -> entry.from().getPort() == SERVER && entry.text().contains("lacks bytes of the MPA Reply")),
                () -> entries("lost").toString());
    }

    @Test
    void shouldSayThatADirectionIsLostByALongHole() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER).data(CLIENT, SERVER, 200_000, MpaBytes.send(LENGTH));
        decode(file.data(SERVER, CLIENT, START, MpaBytes.send(8)));
        assertSaid(1, 1);
        assertEquals(CLIENT, entries("lost").getFirst().from().getPort());
    }

    /** Each has a hole in one direction. */
    @Test
    void shouldKeepWithinOneLimitForAllConnections() {
        Limits limits = new Limits(1000, 1 << 18, 1 << 20);
        MadeFile file = new MadeFile();
        byte[] send = MpaBytes.send(1000);
        for (int i = 0; i < 100; i++) {
            connect(file, CLIENT + i, SERVER);
            for (int j = 1; j < 50; j++) {
                file.data(CLIENT + i, SERVER, START + (long) j * send.length, send);
            }
        }
        Decoder decoder = decode(file, limits);
        assertEquals(100L, decoder.totals().get("connections"), "all were followed");
        assertSaid(0, 100);
    }

    /** A connection that lacks nothing goes on while others take all memory. */
    @Test
    void shouldReleaseThoseWithoutAPacketForLongest() {
        Limits limits = new Limits(1000, 1 << 18, 1 << 18);
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER);
        byte[] send = MpaBytes.send(1000);
        for (int i = 0; i < 100; i++) {
            connect(file, CLIENT + 1 + i, SERVER).data(CLIENT + 1 + i, SERVER, START + 10_000, new byte[10_000]);
            file.data(CLIENT, SERVER, START + (long) i * send.length, send);
        }
        decode(file, limits);
        assertEquals(100, entries("fpdu").stream().filter(entry -> entry.from().getPort() == CLIENT).count());
        assertTrue(entries("lost").stream().noneMatch(entry -> entry.from().getPort() == CLIENT), () -> entries("lost").toString());
    }

    @ParameterizedTest
    @ValueSource(ints = { TcpSegment.FIN, TcpSegment.RESET })
    void shouldKeepNothingOfAConnectionThatHasEnded(int how) {
        byte[] send = MpaBytes.send(1000);
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER).data(CLIENT, SERVER, START, java.util.Arrays.copyOf(send, 500));
        file.fin(SERVER, CLIENT, START).packet(CLIENT, SERVER, START + 500, how, new byte[0]);
        // Another connection follows.
        connect(file, CLIENT + 1, SERVER);
        decode(file);
        assertSaid(0, 1);
        assertTrue(entries("lost").getFirst().text().contains("the connection ends in the middle of a message: 500 bytes"),
                () -> entries("lost").toString());
        assertEquals(file.size() - 4, entries("lost").getFirst().packet());
    }

    /** The first segment of one direction is missing; the other direction shows that it is no MPA. */
    @Test
    void shouldKeepNothingOfAConnectionWithoutMpa() {
        MadeFile file = new MadeFile().handshake(CLIENT, SERVER);
        for (int i = 1; i < 4; i++) {
            file.data(CLIENT, SERVER, i * 1000L, new byte[1000]);
        }
        file.data(SERVER, CLIENT, 0, "HTTP/1.1 200 OK".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        Decoder[] decoder = new Decoder[1];
        decoder[0] = new Decoder(entry -> {
            throw new AssertionError(entry);
        });
        long[] held = new long[2];
        file.checkedBy(() -> {
            held[0] = Math.max(held[0], decoder[0].held());
            held[1] = decoder[0].held();
        });
        try {
            decoder[0].decode(file);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
        assertTrue(held[0] > 3000, "they have waited");
        assertEquals(0, held[1]);
    }
}
