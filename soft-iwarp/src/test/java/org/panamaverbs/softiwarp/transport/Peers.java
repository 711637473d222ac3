package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.IoVector;

/** Two connected channels on one multiplexer, and the thread of the test that selects for them. */
public final class Peers implements AutoCloseable {
    /** An end: its channel, and the edges that were reported and not used up yet. */
    public static final class End {
        public final Channel channel;
        public boolean readable;
        public boolean writable;

        private End(Channel channel) {
            this.channel = channel;
        }

        public void onReady(int events) {
            readable |= (events & Multiplexer.READABLE) != 0;
            writable |= (events & Multiplexer.WRITABLE) != 0;
        }
    }

    private final Multiplexer multiplexer;
    public final End client;
    public final End server;

    private Peers(Multiplexer multiplexer, Channel client, Channel server) {
        this.multiplexer = multiplexer;
        this.client = new End(client);
        this.server = new End(server);
    }

    public static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Connects, and hands both to the multiplexer with handlers that note edges. */
    public static Peers connect(Multiplexer multiplexer) {
        Peers peers = connectOnly(multiplexer);
        multiplexer.add(peers.client.channel, peers.client::onReady);
        multiplexer.add(peers.server.channel, peers.server::onReady);
        return peers;
    }

    /** Connects; the multiplexer does not know the channels yet. */
    public static Peers connectOnly(Multiplexer multiplexer) {
        Acceptor<Channel> acceptor = multiplexer.listen(loopback(0), 1);
        Channel client = multiplexer.connect(acceptor.address());
        Channel server = null;
        while (client.finishConnect() == 0 || server == null) {
            // Over loopback this takes microseconds: the listener needs no handler.
            server = server == null ? acceptor.accept() : server;
            Thread.onSpinWait();
        }
        assertEquals(1, client.finishConnect());
        acceptor.close();
        return new Peers(multiplexer, client, server);
    }

    /** Selects until something is so. */
    public void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            multiplexer.select(-1);
        }
    }

    /** Reads once there is an edge, again and again until something comes; keeps to what {@link Multiplexer} says of edges. */
    public long read(End end, IoVector into) {
        while (true) {
            await(() -> end.readable);
            long count = end.channel.read(into);
            end.readable = count == into.bytes();
            if (count != 0) {
                return count;
            }
        }
    }

    /** Writes all, waiting for edges. */
    public void write(End end, IoVector from) {
        while (from.bytes() > 0) {
            long count = end.channel.write(from);
            assertTrue(count >= 0, "write returned " + count);
            boolean shortened = count < from.bytes();
            from.consume(count);
            if (shortened) {
                end.writable = false;
                await(() -> end.writable);
            }
        }
    }

    /** Reads until the vector is full. */
    public void readFully(End end, IoVector into) {
        while (into.bytes() > 0) {
            long count = read(end, into);
            assertTrue(count > 0, "read returned " + count);
            into.consume(count);
        }
    }

    /** Moves bytes from the client to the server until one vector is empty and the other full, waiting for edges. */
    public void transfer(IoVector from, IoVector into) {
        assertEquals(from.bytes(), into.bytes());
        client.writable = true;
        while (into.bytes() > 0) {
            await(() -> client.writable && from.bytes() > 0 || server.readable);
            if (client.writable && from.bytes() > 0) {
                long count = client.channel.write(from);
                assertTrue(count >= 0, "write returned " + count);
                client.writable = count == from.bytes();
                from.consume(count);
            }
            if (server.readable) {
                long count = server.channel.read(into);
                assertTrue(count >= 0, "read returned " + count);
                server.readable = count == into.bytes();
                into.consume(count);
            }
        }
    }

    public static IoVector vector(MemorySegment... segments) {
        IoVector vector = new IoVector(Math.max(1, segments.length));
        for (MemorySegment segment : segments) {
            assertTrue(vector.add(segment, 0, segment.byteSize()));
        }
        return vector;
    }

    public static MemorySegment text(Arena arena, String text) {
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.US_ASCII));
    }

    public static String text(MemorySegment segment) {
        return new String(segment.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        client.channel.close();
        server.channel.close();
    }
}
