package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.testing.conformance.Requirement;

/** A peer over a real socket that asks for Markers: it checks and removes them, and sends none, as we ask for none. */
class MarkedPeerTest {
    private static final int LENGTH = 150_001;

    /** All messages that the peer has got so far, whole FPDUs without Markers. */
    private static final class Inbox {
        private final Socket socket;
        private final MarkedStream stream;
        private final List<Segment> segments = new ArrayList<>();

        Inbox(Socket socket, boolean crc) {
            this.socket = socket;
            this.stream = new MarkedStream(crc);
        }

        /** Reads until so many messages of an opcode are whole, and returns the payload of these. */
        byte[] await(int opcode, int messages) throws Exception {
            byte[] bytes = new byte[1 << 16];
            while (segments.stream().filter(each -> each.opcode() == opcode && each.isLast()).count() < messages) {
                int count = socket.getInputStream().read(bytes);
                assertTrue(count > 0, "the stream ended");
                for (int i = 0; i < count; i++) {
                    stream.add(bytes[i]);
                }
                byte[] plain = stream.takePlain();
                MemorySegment whole = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(plain.length).put(plain).flip());
                for (long at = 0; at < plain.length; at = segments.getLast().end()) {
                    segments.add(new Segment(whole, at));
                }
            }
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            segments.stream().filter(each -> each.opcode() == opcode).forEach(each -> payload.writeBytes(each.payload()));
            return payload.toByteArray();
        }
    }

    private static MemoryRegion message(Host host) {
        MemoryRegion region = host.region(LENGTH, Access.REMOTE_READ);
        MemorySegment.copy(Forge.payload(LENGTH), 0, region.segment(), ValueLayout.JAVA_BYTE, 0, LENGTH);
        return region;
    }

    /** A Send, a Write, and an answer to a Read of the peer. */
    private static void exchange(Host.End end, MemoryRegion message, Socket socket, Inbox inbox, boolean crc) throws Exception {
        end.queuePair.post(new SendRequest().send(1).local(message, 0, LENGTH).signaled());
        end.queuePair
                .post(new SendRequest().write(2).local(message, 0, LENGTH).remote(new RemoteMemory(0x1000, 0x77, LENGTH), 0).signaled());
        assertArrayEquals(Forge.payload(LENGTH), inbox.await(Rdmap.SEND, 1));
        socket.getOutputStream().write(Forge.read(1, LENGTH, message.remoteKey(), message.address(), crc));
        assertArrayEquals(Forge.payload(LENGTH), inbox.await(Rdmap.READ_RESPONSE, 1));
        assertEquals(CompletionStatus.SUCCESS, end.next().status());
        assertEquals(CompletionStatus.SUCCESS, end.next().status());
        assertTrue(inbox.stream.markers() > 3 * LENGTH / 512, () -> inbox.stream.markers() + " Markers");
    }

    /** We respond; the flags and the revision of the Request. */
    @ParameterizedTest
    @CsvSource({ "epoll, 0xD0, 2", "nio, 0xD0, 2", "epoll, 0xC0, 1", "epoll, 0x90, 2", "nio, 0x80, 1" })
    @Requirement({ "RFC5044-4.3-a,b", "RFC5044-7.1.1-e,f,i", "RFC5044-7.1.2-j" })
    void shouldSendMarkersToAnInitiatorThatAsksForThem(String transport, String flags, int revision) throws Exception {
        boolean crc = (Integer.decode(flags) & 0x40) != 0;
        try (Host host = new Host(transport, "crc", crc ? "on" : "off")) {
            MemoryRegion message = message(host);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
            try (Socket socket = new Socket(host.listener.address().getAddress(), host.listener.address().getPort())) {
                socket.setSoTimeout((int) Host.LIMIT.toMillis());
                byte[] words = revision == 2 ? Chopped.words(0x8010, 0x8010) : new byte[0];
                socket.getOutputStream().write(Chopped.frame(true, Integer.decode(flags), revision, words));
                byte[] reply = socket.getInputStream().readNBytes(20 + words.length);
                assertEquals(crc ? 0x40 : 0, reply[16] & 0xE0, "M, C and R of the Reply");
                Host.End end = Host.get(accepted);
                // RFC 5044, 7.1.2 (4): not even a Marker may come before our first FPDU.
                end.queuePair.post(new SendRequest().send(0).local(message, 0, 0));
                socket.setSoTimeout(100);
                assertThrows(SocketTimeoutException.class, socket.getInputStream()::read, "a byte before the first FPDU");
                socket.setSoTimeout((int) Host.LIMIT.toMillis());
                socket.getOutputStream().write(Forge.ready(crc));
                Inbox inbox = new Inbox(socket, crc);
                assertEquals(0, inbox.await(Rdmap.SEND, 1).length);
                inbox.segments.clear();
                exchange(end, message, socket, inbox, crc);
            }
        }
    }

    /** We initiate; the flags of the Reply, and the setting for the length of FPDUs. */
    @ParameterizedTest
    @CsvSource({ "epoll, 0xD0, segment", "nio, 0xD0, 64704", "epoll, 0x90, 64704", "nio, 0xD0, 200" })
    @Requirement({ "RFC5044-4.3-a,b", "RFC5044-7.1.1-e,g,i" })
    void shouldSendMarkersToAResponderThatAsksForThem(String transport, String flags, String fpdu) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Host.End> connected = new CompletableFuture<>();
        CompletableFuture<MemoryRegion> sent = new CompletableFuture<>();
        try (Host host = new Host(transport, "fpdu", fpdu); RawServer server = new RawServer(socket -> {
            try {
                byte[] request = RawServer.read(socket, 24);
                assertEquals(0x50, request[16] & 0xF0, "M, C, R and S of the Request");
                socket.getOutputStream().write(Chopped.frame(false, Integer.decode(flags), 2, Chopped.words(0x8010, 0x8010)));
                Inbox inbox = new Inbox(socket, true);
                assertEquals(0, inbox.await(Rdmap.WRITE, 1).length, "the ready-to-receive indication");
                Host.End end = Host.get(connected);
                exchange(end, Host.get(sent), socket, inbox, true);
                done.complete(null);
            } catch (Exception | AssertionError e) {
                done.completeExceptionally(e);
            }
        })) {
            sent.complete(message(host));
            connected.complete(host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT));
            Host.get(done);
        }
    }
}
