package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** The RDMA interface of RFC 4296 over verbs of soft-iwarp. */
class RdmaSocketTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Arena arena = Arena.ofShared();
    private Verbs verbs;
    private Device device;
    private ProtectionDomain domain;
    private Connection connection;
    private QueuePair queuePair;
    private RdmaSocket near;
    private RdmaSocket far;

    @BeforeEach
    void connect() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        device = verbs.device();
        domain = device.allocateProtectionDomain();
        ConnectionManager manager = verbs.extension(ConnectionManager.class).orElseThrow();
        Listener listener = manager.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        Connector connector = manager.connector(listener.address(), LONG);
        QueuePair active = connector.createQueuePair(domain, attributes());
        CompletableFuture<Connection> connecting = CompletableFuture
                .supplyAsync(() -> connector.connect(ConnectionParameters.defaults(), LONG));
        ConnectionRequest request = listener.awaitRequest(LONG);
        QueuePair passive = request.createQueuePair(domain, attributes());
        request.accept(ConnectionParameters.defaults(), LONG);
        connection = connecting.join();
        queuePair = active;
        near = new RdmaSocket(active);
        far = new RdmaSocket(passive);
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(device.createCompletionQueue(CompletionQueueAttributes.of(64)),
                device.createCompletionQueue(CompletionQueueAttributes.of(64))).withSignalAll(true);
    }

    @AfterEach
    void close() {
        verbs.close();
        arena.close();
    }

    private MemorySegment text(String text) {
        return arena.allocateFrom(text);
    }

    @Test
    void shouldSendReadAndWrite() {
        MemoryRegion source = near.register(text("direct data placement"), Access.REMOTE_READ);
        MemorySegment sink = arena.allocate(100);
        MemoryRegion target = far.register(sink, Access.REMOTE_WRITE, Access.REMOTE_READ);
        far.postReceive(target, 50, 50);

        near.send(source, 0, 6, LONG);
        RdmaIndication indication = far.receive(LONG);
        near.write(source, 7, 4, target.remote(), 10, LONG);
        far.read(target, 20, 9, source.remote(), 12, LONG);

        assertEquals(RdmaIndication.Kind.MESSAGE, indication.kind());
        assertSame(target, indication.region());
        assertEquals(50, indication.offset());
        assertEquals(6, indication.length());
        assertArrayEquals("direct".getBytes(), sink.asSlice(50, 6).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals("placement".getBytes(), sink.asSlice(20, 9).toArray(ValueLayout.JAVA_BYTE));
        MemoryRegion back = near.register(arena.allocate(4));
        near.read(back, 0, 4, target.remote(), 10, LONG);
        assertArrayEquals("data".getBytes(), back.segment().toArray(ValueLayout.JAVA_BYTE));
        assertTrue(near.maximumSizes().tagged() > 1 << 30);
    }

    @Test
    void shouldLetThreadsWaitSideBySide() {
        MemoryRegion source = near.register(arena.allocate(1 << 20), Access.REMOTE_READ);
        MemoryRegion target = far.register(arena.allocate(1 << 20), Access.REMOTE_WRITE, Access.REMOTE_READ);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            boolean reads = i % 2 == 0;
            all.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 50; j++) {
                    if (reads) {
                        near.read(source, 0, 1 << 16, target.remote(), 0, LONG);
                    } else {
                        near.write(source, 1 << 17, 1 << 16, target.remote(), 1 << 17, LONG);
                    }
                }
            }));
        }
        all.forEach(CompletableFuture::join);
    }

    @Test
    void shouldNotifyOfAWrite() {
        MemoryRegion source = near.register(text("direct data placement"));
        MemorySegment sink = arena.allocate(100);
        MemoryRegion target = far.register(sink, Access.REMOTE_WRITE);
        far.postReceive(target, 90, 10);

        near.write(source, 7, 4, target.remote(), 10, -7, LONG);
        RdmaIndication indication = far.receive(LONG);

        assertEquals(RdmaIndication.Kind.WRITE, indication.kind());
        assertEquals(4, indication.length());
        assertEquals(-7, indication.writeId());
        assertSame(target, indication.region());
        assertEquals(90, indication.offset());
        assertArrayEquals("data".getBytes(), sink.asSlice(10, 4).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(new byte[10], sink.asSlice(90, 10).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldIndicateImmediateDataWithoutAWriteAsAMessageWithoutBytes() {
        MemoryRegion target = far.register(arena.allocate(100));
        far.postReceive(target, 0, 10);
        queuePair.post(new SendRequest().immediateMessage(-1).data(5));
        RdmaIndication indication = far.receive(LONG);
        assertEquals(RdmaIndication.Kind.MESSAGE, indication.kind());
        assertEquals(0, indication.length());
        assertEquals(0, indication.writeId());
    }

    @Test
    void shouldReportTheEnd() {
        MemoryRegion region = far.register(arena.allocate(10));
        assertThrows(VerbsTimeoutException.class, () -> far.receive(Duration.ofMillis(10)));
        far.postReceive(region, 0, 10);
        connection.disconnect();
        assertThrows(RequestFailedException.class, () -> far.receive(LONG));
        assertThrows(RuntimeException.class, () -> far.send(region, 0, 1, LONG));
    }
}
