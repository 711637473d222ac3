package org.panamaverbs.tools.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** A peer over a plain socket, for start-ups that ours does not ask for. It reads without looking. */
final class RawPeer implements AutoCloseable {
    private static final int LIMIT_MILLIS = 60_000;
    private static final int START_SIZE = 20;

    private final Socket socket;

    private RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(LIMIT_MILLIS);
    }

    static RawPeer connect(InetSocketAddress remote) throws IOException {
        return new RawPeer(new Socket(remote.getAddress(), remote.getPort()));
    }

    /** Accepts one after another. */
    static final class Server implements AutoCloseable {
        private final ServerSocket socket;

        Server(InetAddress address) throws IOException {
            socket = new ServerSocket(0, 8, address);
            socket.setSoTimeout(LIMIT_MILLIS);
        }

        InetSocketAddress address() {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }

        RawPeer accept() throws IOException {
            return new RawPeer(socket.accept());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** A Request or Reply with the words of IRD and ORD (RFC 6581, 9). */
    void writeStart(boolean request, int flags, int revision, int words) throws IOException {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(START_SIZE + 4)
                        .put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII)).put((byte) flags)
                        .put((byte) revision).putShort((short) 4).putInt(words).array());
    }

    void readStart() throws IOException {
        byte[] head = socket.getInputStream().readNBytes(START_SIZE);
        assertEquals(START_SIZE, head.length, "the stream ended");
        socket.getInputStream().readNBytes(Short.toUnsignedInt(ByteBuffer.wrap(head).getShort(START_SIZE - 2)));
    }

    /** An RDMA Write of no bytes. */
    static byte[] emptyWrite() {
        return ByteBuffer.allocate(14).put((byte) 0xC1).put((byte) 0x40).putInt(1).putLong(0).array();
    }

    /** A Read Request for all of a region, into an STag of this peer. */
    static byte[] readRequest(int opcode, int sequence, int length, int key, long address) {
        return ByteBuffer.allocate(18 + 28).put((byte) 0x41).put((byte) opcode).putInt(0).putInt(1).putInt(sequence).putInt(0).putInt(0x77)
                .putLong(0x1000).putInt(length).putInt(key).putLong(address).array();
    }

    /** Length, segment, padding, CRC (RFC 5044, 4). */
    void writeFpdu(byte[] segment, boolean crc) throws IOException {
        int covered = (2 + segment.length + 3) / 4 * 4;
        ByteBuffer frame = ByteBuffer.allocate(covered + 4).putShort((short) segment.length).put(segment);
        CRC32C sum = new CRC32C();
        sum.update(frame.array(), 0, covered);
        socket.getOutputStream().write(frame.order(ByteOrder.LITTLE_ENDIAN).putInt(covered, crc ? (int) sum.getValue() : 0).array());
    }

    void readAtLeast(long bytes) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (long left = bytes; left > 0;) {
            int count = socket.getInputStream().read(buffer);
            assertTrue(count > 0, "the stream ended");
            left -= count;
        }
    }

    void readToTheEnd() throws IOException {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
