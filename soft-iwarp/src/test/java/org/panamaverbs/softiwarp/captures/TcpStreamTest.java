package org.panamaverbs.softiwarp.captures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** The reader of the captures is itself right. */
class TcpStreamTest {
    private static final byte[] ALL = { 1, 2, 3, 4, 5, 6 };

    @Test
    void shouldOrderSegments() {
        TcpStream stream = new TcpStream(99);
        stream.add(104, new byte[] { 5, 6 });
        stream.add(100, new byte[] { 1, 2, 3, 4 });
        assertArrayEquals(ALL, stream.bytes());
    }

    @Test
    void shouldTakeRetransmissionsAndOverlaps() {
        TcpStream stream = new TcpStream(99);
        stream.add(100, new byte[] { 1, 2, 3 });
        stream.add(100, new byte[] { 1, 2, 3 });
        stream.add(101, new byte[] { 2, 3, 4, 5, 6 });
        stream.finish(106);
        assertArrayEquals(ALL, stream.bytes());
    }

    @Test
    void shouldWrapSequenceNumbers() {
        TcpStream stream = new TcpStream(-3);
        stream.add(1, new byte[] { 4, 5, 6 });
        stream.add(-2, new byte[] { 1, 2, 3 });
        assertArrayEquals(ALL, stream.bytes());
    }

    @Test
    void shouldRefuseAGap() {
        TcpStream stream = new TcpStream(99);
        stream.add(101, new byte[] { 2 });
        assertThrows(IllegalStateException.class, stream::bytes);
    }

    @Test
    void shouldRefuseARetransmissionOfOtherBytes() {
        TcpStream stream = new TcpStream(99);
        stream.add(100, ALL);
        assertThrows(IllegalStateException.class, () -> stream.add(102, new byte[] { 7 }));
    }

    @Test
    void shouldRefuseBytesMissingBeforeTheEnd() {
        TcpStream stream = new TcpStream(99);
        stream.add(100, ALL);
        stream.finish(107);
        assertThrows(IllegalStateException.class, stream::bytes);
    }
}
