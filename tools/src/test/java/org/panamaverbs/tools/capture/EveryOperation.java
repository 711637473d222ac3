package org.panamaverbs.tools.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.RejectedException;

/** All that soft-iwarp can put on the wire: every operation, start-up and end, between two ends of one device, and with raw peers. */
final class EveryOperation implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SIZE = 70_000;
    private static final int SHORT = 3_000;
    private static final byte[] HELLO = { 'h', 'e', 'l', 'l', 'o' };
    private static final byte[] NO = { 'n', 'o' };
    /** Of a Request or Reply. */
    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;
    private static final int ENHANCED = 0x10;
    /** The words of IRD and ORD, 16 each, of a peer in the peer-to-peer model that takes a Write of no bytes first, or nothing at all. */
    private static final int WRITE_FIRST = 0x8010_8010;
    private static final int NOTHING_FIRST = 0x8010_0010;
    private static final int READ_REQUEST = 0x41;

    private final InetAddress address;
    private final boolean crc;
    private final Verbs verbs;
    private final ProtectionDomain domain;
    private final Arena arena = Arena.ofShared();
    private final Listener listener;

    /** One end of a connection of the device with itself. */
    private static final class End {
        private final CompletionQueue queue;
        private QueuePair pair;
        private Connection connection;

        End(Verbs verbs) {
            queue = verbs.device().createCompletionQueue(64);
        }

        Completion next() {
            Completion completion = queue.take(LIMIT);
            assertTrue(completion.isSuccess(), completion::toString);
            return completion;
        }
    }

    private EveryOperation(InetAddress address, Path capture, boolean crc, int revision) {
        this.address = address;
        this.crc = crc;
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.capture", capture.toString()).set("panamaverbs.softiwarp.crc", crc ? "on" : "off")
                // tcpdump is to see the same.
                .set("panamaverbs.softiwarp.transport", "epoll").set("panamaverbs.softiwarp.mpa-revision", Integer.toString(revision))
                .build());
        domain = verbs.device().allocateProtectionDomain();
        listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(address, 0), 8);
    }

    /**
     * Runs everything at an address of this machine; the file takes the capture of all of it. Of what has Markers, this has what tshark 4.0
     * follows: one FPDU in each packet, and Markers for a responder, which itself sends nothing.
     */
    static void run(InetAddress address, Path capture) throws Exception {
        try (EveryOperation checked = new EveryOperation(address, capture, true, 2)) {
            checked.everything();
            checked.orderly();
            checked.beyondTheRegion();
            checked.rejected();
            checked.unusableReply();
            checked.markedResponder(SHORT);
        }
        try (EveryOperation unchecked = new EveryOperation(address, capture, false, 1)) {
            unchecked.everything();
            unchecked.beyondTheRegion();
            unchecked.rejected();
        }
    }

    /** Markers in long messages, for either side, with CRCs and without. */
    static void runMarked(InetAddress address, Path capture) throws Exception {
        try (EveryOperation checked = new EveryOperation(address, capture, true, 2)) {
            checked.markedInitiator();
            checked.markedResponder(SIZE);
        }
        try (EveryOperation unchecked = new EveryOperation(address, capture, false, 2)) {
            unchecked.markedInitiator();
            unchecked.markedResponder(SIZE);
        }
    }

    private MemoryRegion region(int size, Access... rights) {
        MemorySegment segment = arena.allocate(size, 64);
        // No text of an upper protocol for which tshark might take it. It looks into Sends for RPC-over-RDMA, and calls those of a few bytes
        // malformed, whatever they are.
        segment.fill((byte) 0x5A);
        return domain.register(segment, rights);
    }

    private End[] connect(int receives) throws Exception {
        MemoryRegion place = region(SHORT, Access.LOCAL_WRITE);
        CompletableFuture<End> accepted = background(() -> {
            try (ConnectionRequest request = listener.awaitRequest(LIMIT)) {
                assertArrayEquals(HELLO, request.privateData());
                End end = new End(verbs);
                end.pair = request.createQueuePair(domain, QueuePairAttributes.of(end.queue));
                for (int i = 0; i < receives; i++) {
                    end.pair.post(new ReceiveRequest().receive(i).local(place, 0, SHORT));
                }
                end.connection = request.accept(ConnectionParameters.defaults().withPrivateData(HELLO), LIMIT);
                return end;
            }
        });
        End client = connect(listener.address());
        return new End[] { client, accepted.get(LIMIT.toSeconds(), TimeUnit.SECONDS) };
    }

    private End connect(InetSocketAddress remote) {
        try (Connector connector = ConnectionManager.of(verbs.device()).connector(remote, LIMIT)) {
            End end = new End(verbs);
            end.pair = connector.createQueuePair(domain, QueuePairAttributes.of(end.queue));
            end.connection = connector.connect(ConnectionParameters.defaults().withPrivateData(HELLO), LIMIT);
            return end;
        }
    }

    private interface Task<T> {
        T run() throws Exception;
    }

    private static <T> CompletableFuture<T> background(Task<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(task.run());
            } catch (Exception | AssertionError e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static void ended(End... ends) {
        for (End end : ends) {
            assertTrue(end.connection.awaitDisconnected(LIMIT), "the connection goes on");
        }
    }

    /** Each operation once; then a Read without the right, for which RDMAP has the Terminate. */
    private void everything() throws Exception {
        End[] ends = connect(8);
        End client = ends[0];
        End server = ends[1];
        MemoryRegion own = region(SIZE, Access.LOCAL_WRITE);
        MemoryRegion open = region(SIZE, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
        RemoteMemory remote = open.remote();
        delivered(client, server, pair -> pair.post(new SendRequest().send(1).local(own, 0, SHORT).signaled()));
        delivered(client, server, pair -> pair.post(new SendRequest().send(1).local(own, 0, 0).signaled().solicited()));
        delivered(client, server,
                pair -> pair.post(new SendRequest().send(1).local(own, 0, 61).invalidating(revocable(server)).signaled()));
        delivered(client, server,
                pair -> pair.post(new SendRequest().send(1).local(own, 0, 62).invalidating(revocable(server)).signaled().solicited()));
        delivered(client, server,
                pair -> pair.post(new SendRequest().write(1).local(own, 0, SHORT).remote(remote, 0).immediate(0x01020304).signaled()));
        delivered(client, server, pair -> pair
                .post(new SendRequest().write(1).local(own, 0, SHORT).remote(remote, 0).immediate(0x01020304).signaled().solicited()));
        delivered(client, server, pair -> pair.post(new SendRequest().immediateMessage(1).data(0x0102030405060708L).signaled()));
        delivered(client, server,
                pair -> pair.post(new SendRequest().immediateMessage(1).data(0x0102030405060708L).signaled().solicited()));
        done(client, pair -> pair.post(new SendRequest().write(1).local(own, 0, SIZE).remote(remote, 0).signaled()));
        done(client, pair -> pair.post(new SendRequest().read(1).local(own, 0, SIZE).remote(remote, 0).signaled()));
        done(client, pair -> pair.post(new SendRequest().read(1).local(own, 0, 0).remote(remote, 0).signaled()));
        done(client, pair -> pair.post(new SendRequest().fetchAndAdd(1).add(5).local(own, 0, 8).remote(remote, 0).signaled()));
        done(client,
                pair -> pair.post(new SendRequest().fetchAndAdd(1).add(5).boundaries(0xFF).local(own, 0, 8).remote(remote, 0).signaled()));
        done(client,
                pair -> pair.post(new SendRequest().compareAndSwap(1).compare(1).swap(2).local(own, 0, 8).remote(remote, 0).signaled()));
        done(client, pair -> pair.post(new SendRequest().compareAndSwap(1).compare(1).swap(2).compareMask(0xFF).swapMask(0xFF)
                .local(own, 0, 8).remote(remote, 0).signaled()));
        MemoryRegion closed = region(SHORT, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        client.pair.post(new SendRequest().read(1).local(own, 0, SHORT).remote(closed.remote(), 0).signaled());
        ended(client, server);
    }

    /** The key of a region that the client may invalidate. */
    private int revocable(End server) {
        return domain.register(arena.allocate(64),
                RegistrationAttributes.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE).withRemoteInvalidation(server.pair)).remoteKey();
    }

    private static void done(End end, Consumer<QueuePair> post) {
        post.accept(end.pair);
        end.next();
    }

    private static void delivered(End from, End to, Consumer<QueuePair> post) {
        done(from, post);
        to.next();
    }

    private void orderly() throws Exception {
        End[] ends = connect(1);
        MemoryRegion own = region(SHORT);
        delivered(ends[0], ends[1], pair -> pair.post(new SendRequest().send(1).local(own, 0, SHORT).signaled()));
        ends[0].connection.disconnect();
        ended(ends);
    }

    /** DDP has the Terminate. */
    private void beyondTheRegion() throws Exception {
        End[] ends = connect(0);
        MemoryRegion own = region(SHORT);
        RemoteMemory place = region(SHORT, Access.LOCAL_WRITE, Access.REMOTE_WRITE).remote();
        RemoteMemory beyond = new RemoteMemory(place.address() + SHORT, place.key(), SHORT);
        ends[0].pair.post(new SendRequest().write(1).local(own, 0, SHORT).remote(beyond, 0).signaled());
        ended(ends);
    }

    private void rejected() throws Exception {
        CompletableFuture<Void> rejecting = background(() -> {
            try (ConnectionRequest request = listener.awaitRequest(LIMIT)) {
                request.reject(NO);
                return null;
            }
        });
        assertArrayEquals(NO, assertThrows(RejectedException.class, () -> connect(listener.address())).privateData());
        rejecting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** MPA has the Terminate: the responder wants the peer-to-peer model, and takes no message to begin with (RFC 6581, 9.2). */
    private void unusableReply() throws Exception {
        try (RawPeer.Server server = new RawPeer.Server(address)) {
            CompletableFuture<Void> answering = background(() -> {
                try (RawPeer peer = server.accept()) {
                    peer.readStart();
                    peer.writeStart(false, CRC | ENHANCED, 2, NOTHING_FIRST);
                    peer.readToTheEnd();
                    return null;
                }
            });
            assertThrows(PeerException.class, () -> connect(server.address()));
            answering.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** The peer asks for Markers, and reads all that we have to send with them. */
    private void markedInitiator() throws Exception {
        MemoryRegion own = region(SIZE, Access.REMOTE_READ);
        CompletableFuture<End> accepted = background(() -> {
            try (ConnectionRequest request = listener.awaitRequest(LIMIT)) {
                End end = new End(verbs);
                end.pair = request.createQueuePair(domain, QueuePairAttributes.of(end.queue));
                end.connection = request.accept(ConnectionParameters.defaults(), LIMIT);
                return end;
            }
        });
        try (RawPeer peer = RawPeer.connect(listener.address())) {
            peer.writeStart(true, MARKERS | (crc ? CRC : 0) | ENHANCED, 2, WRITE_FIRST);
            peer.readStart();
            peer.writeFpdu(RawPeer.emptyWrite(), crc);
            // A Read of the peer, whose answer has Markers.
            peer.writeFpdu(RawPeer.readRequest(READ_REQUEST, 1, SIZE, own.remoteKey(), own.address()), crc);
            End end = accepted.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            send(end, own, SIZE);
            peer.readAtLeast(3L * SIZE);
            end.connection.disconnect();
            peer.readToTheEnd();
        }
    }

    private void markedResponder(int size) throws Exception {
        MemoryRegion own = region(size);
        try (RawPeer.Server server = new RawPeer.Server(address)) {
            CompletableFuture<Void> answering = background(() -> {
                try (RawPeer peer = server.accept()) {
                    peer.readStart();
                    peer.writeStart(false, MARKERS | (crc ? CRC : 0) | ENHANCED, 2, WRITE_FIRST);
                    peer.readToTheEnd();
                    return null;
                }
            });
            End end = connect(server.address());
            send(end, own, size);
            end.connection.disconnect();
            answering.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** To a raw peer, which takes whatever comes. */
    private static void send(End end, MemoryRegion own, int size) {
        done(end, pair -> pair.post(new SendRequest().send(1).local(own, 0, size).signaled()));
        done(end, pair -> pair
                .post(new SendRequest().write(1).local(own, 0, size).remote(new RemoteMemory(0x1000, 0x77, size), 0).signaled()));
    }

    @Override
    public void close() {
        assertEquals(0, verbs.device().statistics().endedByLoss().getAsLong(), "lost connections");
        verbs.close();
        arena.close();
    }
}
