package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Which connections are followed, and which packets belong to them. */
class DecoderConnectionsTest extends DecoderCase {
    private static final int START = 20;
    private static final int MOST = Limits.USUAL.connections();
    private static final byte[] SEND = MpaBytes.send(8);
    private static final byte[] NOTHING = {};

    private static MadeFile connections(MadeFile file, int first, int count) {
        for (int i = first; i < first + count; i++) {
            connect(file, i, SERVER);
        }
        return file;
    }

    @Test
    void shouldDisplaceConnectionsWithoutMpaFirst() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER);
        for (int i = 1; i <= MOST + 10; i++) {
            file.handshake(CLIENT + i, 80).data(CLIENT + i, 80, 0, "GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII));
        }
        decode(file.data(CLIENT, SERVER, START, SEND));
        assertSaid(1, 0);
    }

    @Test
    void shouldDisplaceConnectionsThatHaveEndedFirst() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER);
        for (int i = 1; i <= MOST + 10; i++) {
            connect(file, CLIENT + i, SERVER);
            if (i % 2 == 0) {
                file.packet(CLIENT + i, SERVER, START, TcpSegment.RESET, NOTHING);
            } else {
                file.fin(CLIENT + i, SERVER, START).fin(SERVER, CLIENT + i, START);
            }
        }
        decode(file.data(CLIENT, SERVER, START, SEND));
        assertSaid(1, 0);
    }

    @Test
    void shouldDisplaceTheConnectionWithoutAPacketForLongest() {
        MadeFile file = connections(new MadeFile(), CLIENT, MOST).data(CLIENT, SERVER, START, SEND);
        connect(file, CLIENT + MOST, SERVER).data(CLIENT, SERVER, START + SEND.length, SEND);
        decode(file);
        assertEquals(2, entries("fpdu").size());
    }

    @Test
    void shouldSayThatAConnectionIsDisplaced() {
        MadeFile file = connections(new MadeFile(), CLIENT, MOST + 1).data(CLIENT, SERVER, START, SEND);
        Decoder decoder = decode(file);
        assertSaid(0, 2);
        assertEquals(CLIENT, entries("lost").getFirst().from().getPort());
        assertTrue(entries("lost").getFirst().text().contains("more than 4096 connections"), () -> entries("lost").toString());
        assertEquals(2L, decoder.totals().get("lost"));
    }

    @Test
    void shouldIgnoreHandshakesThatComeAgain() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER).handshake(CLIENT, SERVER);
        decode(file.data(CLIENT, SERVER, START, SEND).data(SERVER, CLIENT, START, SEND));
        assertSaid(2, 0);
    }

    @Test
    void shouldIgnoreHandshakesThatComeLate() {
        MadeFile file = new MadeFile().data(CLIENT, SERVER, 0, MpaBytes.request()).packet(SERVER, CLIENT, 0, TcpSegment.SYN, NOTHING);
        file.data(SERVER, CLIENT, 0, MpaBytes.reply()).packet(CLIENT, SERVER, 0, TcpSegment.SYN, NOTHING);
        decode(file.data(CLIENT, SERVER, START, SEND).data(SERVER, CLIENT, START, SEND));
        assertSaid(2, 0);
    }

    @Test
    void shouldBeginAnewIfPortsAreUsedAgain() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER);
        int later = 1_000_000;
        file.packet(CLIENT, SERVER, later, TcpSegment.SYN, NOTHING).packet(SERVER, CLIENT, later, TcpSegment.SYN, NOTHING);
        file.data(CLIENT, SERVER, later, MpaBytes.request()).data(SERVER, CLIENT, later, MpaBytes.reply());
        Decoder decoder = decode(file.data(CLIENT, SERVER, later + START, SEND));
        assertSaid(1, 0);
        assertEquals(2L, decoder.totals().get("connections"));
    }

    /** TCP Fast Open (RFC 7413). */
    @Test
    void shouldTakeTheDataOfASyn() {
        MadeFile file = new MadeFile().packet(CLIENT, SERVER, 0, TcpSegment.SYN, MpaBytes.request());
        file.packet(SERVER, CLIENT, 0, TcpSegment.SYN, MpaBytes.reply()).data(CLIENT, SERVER, START, SEND);
        decode(file);
        assertSaid(1, 0);
    }

    @Test
    void shouldReadAReplyThatLiesBeforeItsRequest() {
        MadeFile file = new MadeFile().handshake(CLIENT, SERVER).data(SERVER, CLIENT, 0, MpaBytes.reply());
        decode(file.data(SERVER, CLIENT, START, SEND).data(CLIENT, SERVER, 0, MpaBytes.request()).data(CLIENT, SERVER, START, SEND));
        assertSaid(2, 0);
    }

    /** As in captures of each direction, one behind the other. */
    @Test
    void shouldReadOneDirectionBehindTheOther() {
        MadeFile file = new MadeFile();
        for (boolean request : new boolean[] { false, true }) {
            int from = request ? CLIENT : SERVER;
            int to = request ? SERVER : CLIENT;
            file.packet(from, to, 0, TcpSegment.SYN, NOTHING).data(from, to, 0, request ? MpaBytes.request() : MpaBytes.reply());
            file.data(from, to, START, SEND).fin(from, to, START + SEND.length);
        }
        decode(file);
        assertSaid(2, 0);
    }

    @Test
    void shouldTakeTheLongerOfTwoSegments() {
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER);
        byte[] sends = ByteBuffer.allocate(4 * SEND.length).put(SEND).put(SEND).put(SEND).put(SEND).array();
        file.data(CLIENT, SERVER, START + SEND.length, SEND);
        file.data(CLIENT, SERVER, START + SEND.length, java.util.Arrays.copyOf(sends, 3 * SEND.length));
        decode(file.data(CLIENT, SERVER, START, SEND));
        assertSaid(4, 0);
    }

    /** The header of a Write has 14 bytes, that of a Send 18. */
    @Test
    void shouldReadATaggedHeaderAtTheEndOfACutPacket() {
        byte[] write = MpaBytes.write(100);
        byte[] both = ByteBuffer.allocate(SEND.length + write.length).put(SEND).put(write).array();
        MadeFile file = connect(new MadeFile(), CLIENT, SERVER).cutAt(MadeFile.HEADERS + SEND.length + 2 + 14);
        decode(file.data(CLIENT, SERVER, START, both));
        assertSaid(2, 0);
        assertEquals("Write", entries("fpdu").getLast().fields().get("operation"));
    }
}
