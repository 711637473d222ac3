package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** The names that a fragment of a page finds. They are fields, so a fragment may declare variables of the same names. */
public abstract class Surroundings {
    /** The imports of every fragment, on one line. */
    static final String IMPORTS = """
            import java.io.*;
            import java.lang.foreign.*;
            import java.net.*;
            import java.nio.*;
            import java.nio.channels.*;
            import java.nio.file.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.concurrent.atomic.*;
            import org.panamaverbs.*;
            import org.panamaverbs.cm.*;
            import org.panamaverbs.device.*;
            import static org.junit.jupiter.api.Assertions.*;
            """.replace('\n', ' ');

    /** The bytes of each end's memory. */
    static final int SIZE = 1 << 20;
    /** All that both ends' memory allows. */
    static final Set<Access> RIGHTS = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);

    /** For every wait. */
    public static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Closed after all else. */
    public Arena arena;
    /** Of soft-iwarp. */
    public Verbs verbs;
    public Device device;
    public ConnectionManager manager;
    /** Nobody connects to it before {@code peer.connects()}. */
    public Listener listener;
    /** The address at which the peer listens. It accepts every connection; its private data is its memory. */
    public InetSocketAddress address;
    public ProtectionDomain domain;
    /** 1 MiB of zeros. */
    public MemorySegment memory;
    /** The whole memory, with all rights. */
    public MemoryRegion region;
    /** Room for 256 completions. */
    public CompletionQueue queue;
    public Completions completions;
    /** Connected to the peer. For each receive that is posted here, the peer sends "hello" and a zero. */
    public QueuePair queuePair;
    public Connection connection;
    public SendRequest request;
    /** 1 MiB of the peer, of zeros, with all rights. */
    public RemoteMemory remote;
    /** For code that the reader does not see. */
    public Peer peer;

    /** The fragment. */
    public abstract void run() throws Exception;

    /** Runs the fragment, with a peer, over a transport of soft-iwarp. No request of the fragment may have failed. */
    final void runOver(String transport) throws Exception {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport).build();
        try (Arena last = Arena.ofShared(); Verbs session = Verbs.open(configuration)) {
            arena = last;
            verbs = session;
            device = session.device();
            manager = ConnectionManager.of(device);
            listener = manager.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
            peer = new Peer(device, arena, listener.address());
            address = peer.address();
            domain = device.allocateProtectionDomain();
            memory = arena.allocate(SIZE, 4096);
            region = domain.register(memory, RIGHTS);
            queue = device.createCompletionQueue(256);
            completions = Completions.allocate(16);
            request = new SendRequest();
            Connector connector = manager.connector(address, TIMEOUT);
            queuePair = peer.answering(connector.createQueuePair(domain, QueuePairAttributes.of(queue)));
            connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT);
            remote = RemoteMemory.decode(connection.privateData());
            Connection original = connection;
            run();
            if (original.isConnected()) {
                original.disconnect();
                assertTrue(original.awaitDisconnected(TIMEOUT));
                // This end may be gone before it hears what the peer refused.
                assertEquals(Optional.empty(), peer.failure());
            }
            assertEquals(Optional.empty(), original.failure());
        }
    }
}
