package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * A scripted liar: a peer that connects properly, over a real socket or shared memory, and then lies in one header field. After each lie: the answer is that of
 * the table, no byte changed but those that the peer may change, all requests and receives completed once, nothing of the connection is
 * left, and another connection of the same device goes on.
 */
class LiarTest {
    private static final int LENGTH = Lie.Known.LENGTH;
    private static final int REGIONS = 10;
    private static final long RECEIVE = 1;
    private static final long REQUEST = 2;

    private static Host host;
    private static Host.Pair bystander;
    private static MemorySegment ground;
    private static final Map<String, MemoryRegion> regions = new LinkedHashMap<>();
    private static Lie.Known plain;
    private static int drivers;

    @BeforeAll
    static void open() throws Exception {
        host = new Host("auto");
        bystander = host.connect();
        host.exchange(bystander);
        ground = host.arena.allocate((2L * REGIONS + 1) * LENGTH, 64);
        ground.fill(Rig.GUARD);
        ProtectionDomain other = host.device.allocateProtectionDomain();
        region(host.domain, "target", Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
        region(host.domain, "readOnly", Access.LOCAL_WRITE, Access.REMOTE_READ);
        region(host.domain, "writeOnly",
                RegistrationAttributes.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE).withRemoteInvalidation(bystander.server().queuePair));
        region(other, "foreign", Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
        region(host.domain, "receive", Access.LOCAL_WRITE);
        region(host.domain, "sink", Access.LOCAL_WRITE);
        region(host.domain, "probe", Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        Lie.Place closed = place(region(host.domain, "closed", Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ));
        regions.get("closed").close();
        plain = new Lie.Known(place("target"), place("readOnly"), place("writeOnly"), place("foreign"), place("receive"), closed,
                window("others", MemoryWindow.Type.TYPE_2, bystander.server(), Access.REMOTE_WRITE, Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC),
                window("domains", MemoryWindow.Type.TYPE_1, bystander.server(), Access.REMOTE_WRITE, Access.REMOTE_READ), Lie.Place.NOWHERE,
                Lie.Place.NOWHERE, 0);
        drivers = Inside.drivers(host);
    }

    private static MemoryRegion region(ProtectionDomain domain, String name, Access... rights) {
        return region(domain, name, RegistrationAttributes.of(rights));
    }

    private static MemoryRegion region(ProtectionDomain domain, String name, RegistrationAttributes attributes) {
        MemoryRegion region = domain.register(slice(regions.size()), attributes);
        regions.put(name, region);
        return region;
    }

    private static MemorySegment slice(int index) {
        return ground.asSlice((2L * index + 1) * LENGTH, LENGTH);
    }

    private static Lie.Place place(String name) {
        return place(regions.get(name));
    }

    private static Lie.Place place(MemoryRegion region) {
        return new Lie.Place(region.remoteKey(), region.address());
    }

    /** A window of {@link #LENGTH} bytes in the middle of a region; a guard's bytes belong to the region, but not to the window. */
    private static Lie.Place window(String name, MemoryWindow.Type type, Host.End end, Access... rights) {
        int index = regions.size();
        MemorySegment wide = ground.asSlice((2L * index + 1) * LENGTH - 64, LENGTH + 128);
        MemoryRegion region = host.domain.register(wide, Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW);
        regions.put(name, region);
        MemoryWindow window = host.domain.allocateMemoryWindow(type);
        end.queuePair.post(new SendRequest().bind(9, window).local(region, 64, LENGTH).access(rights).signaled());
        assertEquals(CompletionStatus.SUCCESS, end.next().status());
        return new Lie.Place(window.remoteKey(), region.address() + 64);
    }

    @AfterAll
    static void close() throws Exception {
        try {
            host.exchange(bystander);
            host.exchange(host.connect());
        } finally {
            host.close();
            regions.clear();
        }
    }

    private static Stream<Arguments> lies() {
        return Stream.of(LiesByError.all(), LiesOfMpa.all(), LiesOfDdp.all(), LiesOfRdmap.all(), LiesOfExtensions.all())
                .flatMap(List::stream)
                .flatMap(lie -> Stream.of(arguments(lie, Channel.Path.TCP), arguments(lie, Channel.Path.SHARED_MEMORY)));
    }

    private static RawPeer peer(Channel.Path path) throws IOException {
        return path == Channel.Path.TCP ? new RawPeer(host.listener.address(), true)
                : RawPeer.overSharedMemory(host.listener.address(), true);
    }

    @ParameterizedTest
    @MethodSource("lies")
    void shouldAnswerEachLieAsTheRfcsSay(Lie lie, Channel.Path path) throws Exception {
        MemoryRegion receive = regions.get("receive");
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(16, 16), null);
        Host.End end;
        try (RawPeer peer = peer(path)) {
            peer.awaitReply(true);
            end = Host.get(accepted);
            end.queuePair.post(new ReceiveRequest().receive(RECEIVE).local(receive, 0, Lie.Known.RECEIVE));
            peer.send(Forge.ready(true));
            try (MemoryWindow window = invalidatedWindow(end)) {
                Lie.Place old = new Lie.Place(window.remoteKey(), regions.get("others").address() + 64);
                Lie.Known known = ask(lie.situation(), end, peer);
                peer.send(lie.bytes().of(known.invalidated(old)));
                assertAnswer(lie, end, peer);
            }
        }
        // From now on nothing is placed, and no atomic is performed.
        end.connection.close();
        assertCompletedOnce(end, lie);
        restore(lie);
        end.queue.close();
        assertUntouched();
        Inside.awaitDrivers(host, drivers);
        host.exchange(bystander);
    }

    /** A window of this queue pair whose key is no longer valid. */
    private static MemoryWindow invalidatedWindow(Host.End end) {
        MemoryWindow window = host.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
        end.queuePair.post(
                new SendRequest().bind(9, window).local(regions.get("others"), 64, LENGTH).access(Access.REMOTE_WRITE, Access.REMOTE_READ));
        end.queuePair.post(new SendRequest().localInvalidate(10, window.remoteKey()).signaled());
        assertEquals(CompletionStatus.SUCCESS, end.next().status());
        return window;
    }

    private static Lie.Known ask(Lie.Situation situation, Host.End end, RawPeer peer) throws Exception {
        MemoryRegion sink = regions.get("sink");
        RemoteMemory remote = new RemoteMemory(0x1000, 0x77, Long.MAX_VALUE);
        return switch (situation) {
            case IDLE -> plain;
            case READ -> {
                end.queuePair.post(new SendRequest().read(REQUEST).local(sink, 0, Lie.Known.ASKED).remote(remote, 0).signaled());
                assertEquals(Rdmap.READ_REQUEST, peer.receive().opcode());
                yield plain.asked(place(sink), 0);
            }
            case ATOMIC -> {
                end.queuePair.post(new SendRequest().fetchAndAdd(REQUEST).add(1).local(sink, 0, 8).remote(remote, 0).signaled());
                Segment request = peer.receive();
                assertEquals(Rdmap.ATOMIC_REQUEST, request.opcode());
                yield plain.asked(place(sink),
                        request.stream().get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), request.payloadAt() + 4));
            }
        };
    }

    private static void assertAnswer(Lie lie, Host.End end, RawPeer peer) throws Exception {
        if (lie.answer() == Lie.ACCEPTED) {
            assertGoesOn(end, peer);
            return;
        }
        List<Segment> answers = new ArrayList<>();
        for (Segment segment = peer.next(); segment != null; segment = peer.next()) {
            assertEquals(segment.computedCrc(), segment.crc());
            answers.add(segment);
        }
        List<String> terminates = answers.stream().filter(each -> each.opcode() == Rdmap.TERMINATE)
                .map(each -> describe(Terminate.error(each.stream(), each.payloadAt()))).toList();
        assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        PeerException failure = assertInstanceOf(PeerException.class, end.connection.failure().orElseThrow());
        if (lie.answer() == Lie.CLOSED) {
            assertEquals(List.of(), terminates);
        } else {
            assertEquals(List.of(describe(lie.answer())), terminates);
            assertEquals(Rdmap.TERMINATE, answers.getLast().opcode(), "the last message");
            assertTrue(failure.getMessage().contains("terminated by this side: " + TerminateCode.describe(lie.answer())),
                    failure.getMessage());
        }
    }

    private static String describe(int code) {
        return "0x%04x, %s".formatted(code, TerminateCode.describe(code));
    }

    /** A byte that the peer writes behind its lie is placed: so all before it has been taken, and no answer ended the connection. */
    private static void assertGoesOn(Host.End end, RawPeer peer) throws Exception {
        MemoryRegion probe = regions.get("probe");
        peer.send(Lie.write(probe.remoteKey(), probe.address(), 1));
        long begin = System.nanoTime();
        while (probe.segment().get(ValueLayout.JAVA_BYTE, 0) == Rig.GUARD) {
            assertTrue(end.connection.isConnected(), () -> "it ended: " + end.connection.failure());
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(), "nothing is placed any more");
            Thread.onSpinWait();
        }
    }

    /** Whatever the peer was allowed to change has the guard's value again. */
    private static void restore(Lie lie) {
        Set<Granted> granted = EnumSet.of(Granted.RECEIVE);
        if (lie.answer() == Lie.ACCEPTED) {
            granted.add(Granted.TARGET);
        }
        if (lie.situation() != Lie.Situation.IDLE) {
            granted.add(Granted.SINK);
        }
        regions.get("probe").segment().asSlice(0, 1).fill(Rig.GUARD);
        granted.forEach(each -> regions.get(each.region).segment().asSlice(0, each.length).fill(Rig.GUARD));
    }

    /** Memory that a peer may change: the receive, the target if the lie is none that counts, the sink of what it was asked for. */
    private enum Granted {
        RECEIVE("receive", Lie.Known.RECEIVE), TARGET("target", 64), SINK("sink", Lie.Known.ASKED);

        private final String region;
        private final int length;

        Granted(String region, int length) {
            this.region = region;
            this.length = length;
        }
    }

    private static void assertUntouched() {
        Rig.assertFilled(ground);
        regions.forEach((name, region) -> assertEquals(!name.equals("closed"), region.isValid(), name));
    }

    private static void assertCompletedOnce(Host.End end, Lie lie) {
        List<Long> ids = new ArrayList<>();
        while (end.completions().next() || end.queue.poll(end.completions()) > 0 && end.completions().next()) {
            ids.add(end.completions().id());
        }
        assertEquals(lie.situation() == Lie.Situation.IDLE ? List.of(RECEIVE) : List.of(RECEIVE, REQUEST), ids.stream().sorted().toList());
    }
}
