package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A peer that connects with plain sockets and sends whatever it likes. */
final class RawPeer implements AutoCloseable {
    private static final int START_SIZE = 24;

    private final Socket socket;

    /** Connects and sends a Request; {@link #awaitReply} follows. */
    RawPeer(InetSocketAddress address, boolean crc) throws IOException {
        this(address, crc, 0);
    }

    /** The same; takes no more than about so many bytes that it does not read, or as many as the system likes if 0. */
    RawPeer(InetSocketAddress address, boolean crc, int receiveBuffer) throws IOException {
        socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(address);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Host.LIMIT.toMillis());
        send(Forge.start(true, crc, 16, 16));
    }

    /** Reads the Reply, which must accept. */
    void awaitReply(boolean crc) throws IOException {
        byte[] reply = socket.getInputStream().readNBytes(START_SIZE);
        byte[] expected = Forge.start(false, crc, 16, 16);
        // The responder chooses the bytes that stand for the depths.
        assertArrayEquals(Arrays.copyOf(expected, 20), Arrays.copyOf(reply, 20));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next FPDU. */
    Segment receive() throws IOException {
        byte[] length = socket.getInputStream().readNBytes(2);
        assertEquals(2, length.length, "the stream ended");
        int covered = (2 + ((length[0] & 0xFF) << 8 | length[1] & 0xFF) + 3) / 4 * 4;
        byte[] rest = socket.getInputStream().readNBytes(covered + 4 - 2);
        return segments(Forge.join(length, rest)).getFirst();
    }

    /** All FPDUs up to the end of the stream. */
    List<Segment> receiveAll() throws IOException {
        return segments(socket.getInputStream().readAllBytes());
    }

    /** The next FPDU, or {@code null} if the stream ends before it is whole, in good order or not. */
    Segment next() throws IOException {
        try {
            byte[] length = socket.getInputStream().readNBytes(2);
            if (length.length < 2) {
                return null;
            }
            int rest = (2 + ((length[0] & 0xFF) << 8 | length[1] & 0xFF) + 3) / 4 * 4 + 4 - 2;
            byte[] bytes = socket.getInputStream().readNBytes(rest);
            return bytes.length < rest ? null : segments(Forge.join(length, bytes)).getFirst();
        } catch (SocketException e) {
            return null;
        }
    }

    /** Whether a byte comes within this time; it is taken. */
    boolean hears(Duration time) throws IOException {
        socket.setSoTimeout((int) time.toMillis());
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return false;
        } finally {
            socket.setSoTimeout((int) Host.LIMIT.toMillis());
        }
    }

    /** Whether the stream ends within this time, in good order or not; what comes before is skipped. */
    boolean endsWithin(Duration time) throws IOException {
        socket.setSoTimeout((int) time.toMillis());
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Ends its direction of the stream. */
    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    private static List<Segment> segments(byte[] bytes) {
        MemorySegment stream = Arena.ofAuto().allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, stream, ValueLayout.JAVA_BYTE, 0, bytes.length);
        List<Segment> segments = new ArrayList<>();
        for (long at = 0; at < bytes.length; at = segments.getLast().end()) {
            segments.add(new Segment(stream, at));
        }
        return segments;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
