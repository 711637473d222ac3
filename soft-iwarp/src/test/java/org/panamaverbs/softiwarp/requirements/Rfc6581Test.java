package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.testing.conformance.Requirement;

/** The ready-to-receive indication, and the depths that a program sees (RFC 6581, 5 and 9). */
class Rfc6581Test {
    private static final int LENGTH = 100;
    private static final int REQUEST_SIZE = 24;
    private static final int SEND_SIZE = 2 + 18 + LENGTH + 4;

    /** The words of the Reply, and whether the indication comes before the Send that the program posts as soon as it can. */
    @ParameterizedTest
    @CsvSource({ "8003, 8004, true", "8003, c004, true", "0003, 0004, false", "0003, c004, false" })
    @Requirement({ "RFC6581-5-a", "RFC6581-9.2-h,n" })
    void shouldBeginWithTheIndicationIfTheReplyAsksForIt(String ird, String ord, boolean ready) throws Exception {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        CompletableFuture<byte[]> second = new CompletableFuture<>();
        byte[] indication = ready ? Forge.ready(true) : new byte[0];
        try (Host host = new Host("nio"); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            socket.getOutputStream().write(Forge.start(false, true, Integer.parseInt(ird, 16), Integer.parseInt(ord, 16)));
            first.complete(RawServer.read(socket, indication.length));
            second.complete(RawServer.read(socket, SEND_SIZE));
        })) {
            MemoryRegion source = host.region(LENGTH);
            Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            end.queuePair.post(new SendRequest().send(1).local(source, 0, LENGTH).signaled());
            assertArrayEquals(indication, Host.get(first));
            byte[] send = Forge.fpdu(
                    Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, source.segment().toArray(ValueLayout.JAVA_BYTE)), true);
            assertArrayEquals(send, Host.get(second));
        }
    }

    /** The responder may send once it has the indication: a Write or a Read of no bytes, which are the two that its Reply offers. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC6581-9.2-c,e")
    void shouldTakeEachIndicationThatItOffers(boolean read) {
        Rig rig = new Rig(Rig.Options.of(true).ready(ReadyIndication.AWAITED), Rig.room(LENGTH), true);
        rig.send(1, rig.region(LENGTH));
        rig.transmit();
        assertTrue(rig.sent().isEmpty(), "no indication has come");
        rig.feed(read ? Forge.read(1, 0, 0, 0, true) : Forge.ready(true));
        assertTrue(rig.sent().stream().anyMatch(segment -> segment.opcode() == Rdmap.SEND && segment.payloadLength() == LENGTH));
        assertTrue(rig.sent().stream().noneMatch(segment -> segment.opcode() == Rdmap.TERMINATE));
    }

    @Test
    @Requirement({ "RFC6581-9-a", "RFC6581-9.1-a" })
    void shouldShowTheInitiatorsDepthsToTheRespondersProgram() throws Exception {
        try (Host host = new Host("epoll")) {
            CompletableFuture<int[]> seen = CompletableFuture.supplyAsync(() -> {
                ConnectionRequest request = host.listener.awaitRequest(Host.LIMIT);
                int[] depths = { request.remoteInboundReads(), request.remoteOutboundReads() };
                Host.End end = host.end();
                end.queuePair = request.createQueuePair(host.domain, QueuePairAttributes.of(end.queue));
                request.accept(ConnectionParameters.defaults(), Host.LIMIT);
                return depths;
            });
            host.connect(host.listener.address(), ConnectionParameters.defaults().withReads(3, 40), Host.LIMIT);
            assertArrayEquals(new int[] { 3, 40 }, Host.get(seen));
        }
    }
}
