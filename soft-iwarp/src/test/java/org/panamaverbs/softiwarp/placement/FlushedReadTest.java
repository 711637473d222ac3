package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/**
 * The sink of a Read is the program's once the Read has completed, flushed or not: not one byte of it changes after that, though its
 * answer still arrives and another thread found the connection's end.
 */
class FlushedReadTest {
    private static final int LENGTH = 64 << 20;
    private static final int PAYLOAD = 60_000;
    private static final int REQUEST_AT = 2 + 18;
    private static final int REQUEST_FRAME = REQUEST_AT + 28 + 4;
    private static final byte ARRIVED = 0x33;
    private static final long STRESS_NANOS = Proofs.loopNanos();
    private static final long MOST_DELAY_NANOS = 2_000_000;

    /** Answers a Read Request, which ends when the other side does. */
    private static void answer(Socket socket) throws Exception {
        RawServer.read(socket, 24);
        OutputStream out = socket.getOutputStream();
        out.write(Forge.start(false, false, 16, 16));
        ByteBuffer request = ByteBuffer.wrap(RawServer.read(socket, REQUEST_FRAME));
        int stag = request.getInt(REQUEST_AT);
        long offset = request.getLong(REQUEST_AT + 4);
        byte[] payload = new byte[PAYLOAD];
        Arrays.fill(payload, ARRIVED);
        byte[] frame = Forge.fpdu(Forge.tagged(0x81, Forge.READ_RESPONSE, stag, offset, payload), false);
        for (long at = 0; at + PAYLOAD < LENGTH; at += PAYLOAD) {
            ByteBuffer.wrap(frame).putLong(8, offset + at);
            out.write(frame);
        }
        RawServer.read(socket, Integer.MAX_VALUE - 8);
    }

    /** How many bytes have arrived: those before the first zero. What arrives is in order. */
    private static long arrived(MemorySegment sink) {
        long low = 0;
        long high = LENGTH;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (sink.get(ValueLayout.JAVA_BYTE, middle) == ARRIVED) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldNotChangeTheSinkOfAReadAfterItsCompletion(String transport) throws Exception {
        try (Host host = new Host(transport, "crc", "off"); RawServer server = new RawServer(FlushedReadTest::answer)) {
            MemoryRegion sink = host.region(LENGTH, Access.LOCAL_WRITE);
            sink.segment().fill((byte) 0);
            int rounds = 0;
            for (long start = System.nanoTime(); System.nanoTime() - start < STRESS_NANOS; rounds++) {
                play(host, server, sink, rounds);
            }
        }
    }

    private static void play(Host host, RawServer server, MemoryRegion sink, int round) {
        sink.segment().asSlice(0, arrived(sink.segment())).fill((byte) 0);
        Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
        end.queuePair.post(
                new SendRequest().read(1).local(sink, 0, LENGTH).remote(new RemoteMemory(0x1000, 0x77, Long.MAX_VALUE), 0).signaled());
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (sink.segment().get(ValueLayout.JAVA_BYTE, 0) == 0) {
            assertTrue(System.nanoTime() < deadline, "no answer came");
            Thread.onSpinWait();
        }
        LockSupport.parkNanos(1 + round * 37_000L % MOST_DELAY_NANOS);
        // The Write that this thread posts cannot be sent, for its memory is not registered any more: it ends the connection itself.
        MemoryRegion gone = host.region(100);
        end.queuePair.post(
                new SendRequest().write(2).local(gone, 0, 100).remote(new RemoteMemory(0x1000, 0x77, Long.MAX_VALUE), 0).signaled().more());
        gone.close();
        end.queuePair.ringDoorbell();
        deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (end.queue.poll(end.completions()) == 0) {
            assertTrue(System.nanoTime() < deadline, "the Read never completes");
        }
        long then = arrived(sink.segment());
        assertTrue(end.completions().next());
        assertEquals(1, end.completions().id());
        assertNotEquals(CompletionStatus.SUCCESS, end.completions().status());
        assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        end.connection.close();
        long later = arrived(sink.segment());
        assertEquals(then, later, "bytes of the sink that had arrived when its Read completed, and in the end, in round " + round);
    }
}
