package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.contract.Flags;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * How a connection ends while a long message is under way to a peer that reads nothing for a while: requests posted before an orderly end
 * still go out; a Terminate leaves after the FPDU in flight; memory is not read after the completion of its request.
 */
@ParameterizedClass
@Transports({ "epoll", "nio" })
@Tag(Proofs.TAG) // A peer whose thread stands still for 2 s is cut off.
class EndsTest {
    private static final int RECEIVE_BUFFER = 64 * 1024;
    /** More than the system holds between two sockets. */
    private static final int LONG = 32 << 20;
    /** The most that is left of an FPDU in flight. */
    private static final int FPDU = 64 * 1024;
    /** Less than the time after which a connection is cut whose peer reads nothing. */
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final long PATIENCE_MILLIS = CloseSequence.PATIENCE_NANOS / 1_000_000;
    private static final byte BEFORE = 0x11;
    private static final byte AFTER = 0x77;

    private final Host host;
    private Host.End end;
    private RawPeer peer;

    EndsTest(String transport) {
        host = new Host(transport);
    }

    /** The side that ends it, and the manner. */
    enum Ending {
        DISCONNECT {
            @Override
            void begin(Host.End end, RawPeer peer) {
                background(end.connection::disconnect);
            }
        },
        CLOSE {
            @Override
            void begin(Host.End end, RawPeer peer) {
                background(end.connection::close);
            }
        },
        END_OF_THE_PEER {
            @Override
            void begin(Host.End end, RawPeer peer) throws Exception {
                peer.shutdownOutput();
            }
        },
        OFFENCE_OF_THE_PEER {
            @Override
            void begin(Host.End end, RawPeer peer) throws Exception {
                peer.send(offence());
            }
        };

        abstract void begin(Host.End end, RawPeer peer) throws Exception;

        /** It may wait for the peer. */
        private static void background(Runnable ending) {
            Thread.ofPlatform().daemon().start(ending);
        }
    }

    /** A Send for which no receive is posted. */
    private static byte[] offence() {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), true);
    }

    @BeforeEach
    void connect() throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        peer = new RawPeer(host.listener.address(), true, RECEIVE_BUFFER);
        peer.awaitReply(true);
        peer.send(Forge.ready(true));
        end = Host.get(accepted);
    }

    @AfterEach
    void close() throws Exception {
        try (host) {
            peer.close();
            host.exchange(host.connect());
        }
    }

    private MemoryRegion source(long length) {
        MemoryRegion region = host.region(length);
        region.segment().fill(BEFORE);
        return region;
    }

    private void write(long id, MemoryRegion source, int flags) {
        end.queuePair.post(Flags.on(
                new SendRequest().write(id).local(source, 0, source.length()).remote(new RemoteMemory(0x1000, 0x77, Long.MAX_VALUE), 0),
                flags));
    }

    /** Waits until the first bytes have gone, so that the rest waits for the peer. */
    private void awaitFirstBytes() {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (end.queuePair.statistics().bytesSent().getAsLong() == 0) {
            assertTrue(System.nanoTime() < deadline, "nothing was sent");
            Thread.onSpinWait();
        }
    }

    private List<Segment> all() throws Exception {
        List<Segment> segments = new ArrayList<>();
        for (Segment next = peer.next(); next != null; next = peer.next()) {
            segments.add(next);
        }
        return segments;
    }

    /** However it ends: once the request has completed, flushed or not, its memory is the program's, and is not read any more. */
    @ParameterizedTest
    @EnumSource(Ending.class)
    void shouldNotReadMemoryAfterItsCompletion(Ending ending) throws Exception {
        MemoryRegion source = source(LONG);
        write(1, source, SendWorkRequest.SIGNALED);
        awaitFirstBytes();
        ending.begin(end, peer);
        // It may complete while the peer reads nothing, or wait for the peer to read.
        boolean early = end.queue.await(end.completions(), SHORT) > 0;
        CompletableFuture<List<Segment>> read = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().daemon().unstarted(() -> {
            try {
                read.complete(all());
            } catch (Exception | Error e) {
                read.completeExceptionally(e);
            }
        });
        if (!early) {
            reader.start();
        }
        Completions completion = end.next();
        assertEquals(1, completion.id());
        source.segment().fill(AFTER);
        if (early) {
            reader.start();
        }
        MemorySegment right = MemorySegment.ofArray(new byte[FPDU]).fill(BEFORE);
        long at = 0;
        for (Segment segment : Host.get(read)) {
            String which = "FPDU with byte " + at + " of the message, which completed as " + completion.status();
            assertEquals(segment.computedCrc(), segment.crc(), () -> "CRC of the " + which);
            if (segment.opcode() == Rdmap.WRITE) {
                long wrong = segment.stream().asSlice(segment.payloadAt(), segment.payloadLength())
                        .mismatch(right.asSlice(0, segment.payloadLength()));
                assertEquals(-1, wrong, () -> "first byte written after the completion, in the " + which);
                at += segment.payloadLength();
            }
        }
        assertTrue(at > 0, "no FPDU of the message came");
    }

    @Test
    void shouldTerminateAfterTheFpduInFlight() throws Exception {
        write(1, source(LONG), SendWorkRequest.SIGNALED);
        awaitFirstBytes();
        peer.send(offence());
        // The program hears of it at once, or when the Terminate has gone, for which the peer must read.
        end.connection.awaitDisconnected(SHORT);
        long sent = end.queuePair.statistics().bytesSent().getAsLong();
        long before = 0;
        Segment last = null;
        for (Segment segment = peer.next(); segment != null; segment = peer.next()) {
            before += segment.opcode() == Rdmap.TERMINATE ? 0 : segment.payloadLength();
            last = segment;
        }
        assertNotNull(last, "nothing came");
        assertEquals(Rdmap.TERMINATE, last.opcode(), "the last thing that came, after " + before + " bytes");
        assertTrue(before <= sent + FPDU, "the Terminate came after " + before + " bytes, when " + sent + " had been given to the system");
    }

    /** The end of the stream follows the last byte, and does not wait until the time is up that a peer has to end its own direction. */
    @ParameterizedTest
    @EnumSource(Ending.class)
    @Requirement("RFC5041-6.2.1-d")
    void shouldEndTheStreamRightAfterTheLastByte(Ending ending) throws Exception {
        write(1, source(LONG), SendWorkRequest.SIGNALED);
        awaitFirstBytes();
        ending.begin(end, peer);
        end.connection.awaitDisconnected(SHORT);
        long last = System.nanoTime();
        for (Segment next = peer.next(); next != null; next = peer.next()) {
            last = System.nanoTime();
        }
        // This side's patience began a little earlier: when the system had taken the last byte.
        long millis = (System.nanoTime() - last) / 1_000_000;
        assertTrue(millis < PATIENCE_MILLIS * 3 / 4, "the end came " + millis + " ms after the last FPDU");
    }

    /** RFC 5041, 6.2.1. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5041-6.2.1-a")
    void shouldSendAllThatWasPostedBeforeTheDisconnect(boolean peerReadsFirst) throws Exception {
        MemoryRegion first = source(LONG);
        MemoryRegion second = source(4 << 20);
        CompletableFuture<long[]> read = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().daemon().unstarted(() -> {
            try {
                read.complete(lengths());
            } catch (Exception | Error e) {
                read.completeExceptionally(e);
            }
        });
        if (peerReadsFirst) {
            reader.start();
        }
        write(1, first, 0);
        end.queuePair.post(new SendRequest().send(2).local(second, 0, second.length()));
        Thread.ofPlatform().daemon().start(end.connection::disconnect);
        if (!peerReadsFirst) {
            reader.start();
        }
        long[] lengths = Host.get(read);
        assertEquals(first.length(), lengths[0], "bytes of the Write before the orderly end");
        assertEquals(second.length(), lengths[1], "bytes of the Send before the orderly end");
        assertEquals(2, lengths[2], "last segments");
        peer.close();
        assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        assertTrue(end.connection.failure().isEmpty(), () -> end.connection.failure().toString());
        assertFalse(end.completions().next() || end.queue.poll(end.completions()) > 0, "an unsignalled request failed");
    }

    /** The bytes of the Write and of the Send, and how many of the two ended whole. */
    private long[] lengths() throws Exception {
        long[] lengths = new long[3];
        for (Segment next = peer.next(); next != null; next = peer.next()) {
            assertEquals(next.computedCrc(), next.crc());
            assertTrue(next.opcode() == Rdmap.WRITE || next.opcode() == Rdmap.SEND, next.toString());
            lengths[next.opcode() == Rdmap.WRITE ? 0 : 1] += next.payloadLength();
            lengths[2] += next.isLast() ? 1 : 0;
        }
        return lengths;
    }
}
