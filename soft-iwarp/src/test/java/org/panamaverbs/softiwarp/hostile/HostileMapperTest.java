package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.transport.shared.RawRings;
import org.panamaverbs.testing.Proofs;

/**
 * A peer of the same user that maps the rings of its connection and writes over them whatever it likes, while the other side reads them: the
 * connection ends with a reason, no byte changes but those of the region that it was granted, and another connection goes on.
 */
class HostileMapperTest {
    private static final int LENGTH = 4096;
    /** How long each attack takes. */
    private static final long NANOS = Proofs.loopNanos();
    private static final int LEAST_FRAMES = 100;
    private static final long SEED = Long.getLong("panamaverbs.test.seed", 20261127);

    private static Host host;
    private static Host.Pair bystander;
    private static MemorySegment ground;
    private static MemoryRegion granted;
    private static int drivers;

    @BeforeAll
    static void open() throws Exception {
        host = new Host("auto");
        bystander = host.connect();
        host.exchange(bystander);
        ground = host.arena.allocate(5L * LENGTH, 64);
        ground.fill(Rig.GUARD);
        granted = host.domain.register(ground.asSlice(2L * LENGTH, LENGTH), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        // Of another domain, and without a right: no peer may change them.
        ProtectionDomain other = host.device.allocateProtectionDomain();
        other.register(ground.asSlice(0, LENGTH), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        host.domain.register(ground.asSlice(4L * LENGTH, LENGTH), Access.LOCAL_WRITE);
        drivers = Inside.drivers(host);
    }

    @AfterAll
    static void close() {
        host.close();
    }

    @AfterEach
    void assertNobodyNoticed() throws Exception {
        granted.segment().fill(Rig.GUARD);
        Rig.assertFilled(ground);
        Inside.awaitDrivers(host, drivers);
        host.exchange(bystander);
    }

    /** A peer that has connected properly, and the end that it has connected to. */
    private record Attack(RawPeer peer, RawRings rings, Host.End victim) {
        static Attack begin() throws Exception {
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(16, 16), null);
            RawPeer peer = RawPeer.overSharedMemory(host.listener.address(), false);
            peer.awaitReply(false);
            peer.send(Forge.ready(false));
            return new Attack(peer, peer.rings(), Host.get(accepted));
        }

        PeerException finish() throws Exception {
            try (peer) {
                assertTrue(victim.connection.awaitDisconnected(Host.LIMIT), "it goes on");
                PeerException failure = assertInstanceOf(PeerException.class, victim.connection.failure().orElseThrow());
                victim.connection.close();
                victim.queue.close();
                return failure;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 1L << 22 })
    void shouldEndAConnectionWhosePositionsMakeNoSense(long position) throws Exception {
        Attack first = Attack.begin();
        first.rings().claimFrame(first.rings().written(), position);
        assertTrue(first.finish().getMessage().contains("the lengths and positions in the memory that it shares make no sense"));
        // The other direction matters once this side writes.
        Attack second = Attack.begin();
        second.rings().claimRead(position - second.rings().capacity());
        second.rings().claimRead(position - second.rings().capacity());
        // More than the ring holds: only then does this side look.
        for (long begin = System.nanoTime(); second.victim().connection.isConnected()
                && System.nanoTime() - begin < Host.LIMIT.toNanos();) {
            second.victim().queuePair.tryPost(
                    new SendRequest().write(1).local(granted, 0, LENGTH).remote(new RemoteMemory(0x1000, 0x77, LENGTH), 0).signaled());
            second.victim().completions().clear();
            second.victim().queue.poll(second.victim().completions());
        }
        assertTrue(second.finish().getMessage().contains("the lengths and positions in the memory that it shares make no sense"));
    }

    /** A frame that is longer than any, and the longest: its bytes are none of a connection. */
    @Test
    void shouldEndAConnectionWithAFrameThatIsTooLong() throws Exception {
        Attack first = Attack.begin();
        first.rings().claimFrame(first.rings().written(), first.rings().piece() + 1);
        assertTrue(first.finish().getMessage().contains("the lengths and positions in the memory that it shares make no sense"));
        Attack second = Attack.begin();
        second.rings().claimFrame(second.rings().written(), second.rings().piece());
        assertFalse(second.finish().getMessage().contains("the lengths and positions in the memory that it shares make no sense"));
    }

    @Test
    void shouldEndAConnectionThatWakesThisSideAgainAndAgain() throws Exception {
        Attack attack = Attack.begin();
        while (attack.victim().connection.isConnected()) {
            attack.rings().wake();
        }
        PeerException failure = attack.finish();
        assertTrue(failure.getMessage().contains("wakes this side again and again"), failure::getMessage);
    }

    /** All that both map, at random, as fast as it can: again with a new connection whenever one has ended. */
    @Test
    void shouldSurviveAPeerThatScribblesOverAllOfIt() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        int connections = 0;
        for (long begin = System.nanoTime(); connections == 0 || System.nanoTime() - begin < NANOS; connections++) {
            Attack attack = Attack.begin();
            MemorySegment memory = attack.rings().memory();
            long longs = memory.byteSize() / Long.BYTES;
            long ring = attack.rings().ring() / Long.BYTES;
            long position = attack.rings().written();
            while (attack.victim().connection.isConnected()) {
                for (int i = 0; i < 1000; i++) {
                    memory.set(ValueLayout.JAVA_LONG, Long.BYTES * random.nextLong(ring, longs), random.nextLong());
                }
                long claim = random.nextLong(1, attack.rings().piece());
                attack.rings().claimFrame(position, random.nextInt(8) == 0 ? random.nextLong() : claim);
                position = RawRings.behind(position, claim);
            }
            attack.finish();
        }
    }

    private static boolean goesOn(long begin, long frames) {
        return frames < LEAST_FRAMES || System.nanoTime() - begin < NANOS;
    }

    /**
     * A frame that is sound when it is shown, and whose key, place and length change while the other side reads it; so does the length in
     * front of it.
     */
    @Test
    void shouldPlaceNothingElsewhereIfHeadersChangeWhileTheyAreRead() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        long target = 3L * LENGTH - Long.BYTES;
        long frames = 0;
        long placed = 0;
        for (long begin = System.nanoTime(); goesOn(begin, frames);) {
            Attack attack = Attack.begin();
            RawRings rings = attack.rings();
            MemorySegment memory = rings.memory();
            long position = rings.written();
            while (attack.victim().connection.isConnected() && goesOn(begin, frames)) {
                frames++;
                byte[] sound = frame(frames);
                long header = rings.at(position + Long.BYTES);
                if (header + sound.length > rings.ring() + rings.capacity()) {
                    break;
                }
                MemorySegment.copy(sound, 0, memory, ValueLayout.JAVA_BYTE, header, sound.length);
                rings.claimFrame(position, sound.length);
                // While it is read: the offset and the length, and back again.
                for (int i = 0; i < 20 && ground.get(ValueLayout.JAVA_LONG, target) != frames; i++) {
                    long octet = random.nextInt(8) == 0 ? rings.at(position) : header + random.nextInt(16);
                    byte before = memory.get(ValueLayout.JAVA_BYTE, octet);
                    memory.set(ValueLayout.JAVA_BYTE, octet, (byte) random.nextInt());
                    memory.set(ValueLayout.JAVA_BYTE, octet, before);
                }
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
                while (ground.get(ValueLayout.JAVA_LONG, target) != frames && attack.victim().connection.isConnected()
                        && System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                position = RawRings.behind(position, sound.length);
                placed += ground.get(ValueLayout.JAVA_LONG, target) == frames ? 1 : 0;
                Rig.assertFilled(ground.asSlice(0, 2L * LENGTH));
                Rig.assertFilled(ground.asSlice(3L * LENGTH));
            }
            // Without an error of the peer this ends in good order.
            attack.peer().close();
            attack.victim().connection.awaitDisconnected(Host.LIMIT);
            attack.victim().connection.close();
            attack.victim().queue.close();
        }
        assertEquals(Rig.GUARD, granted.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertTrue(placed > 0, "no frame of " + frames + " was placed");
    }

    /** A Write of 64 bytes to the end of the region; the last 8 are its number. */
    private static byte[] frame(long number) {
        byte[] payload = new byte[64];
        MemorySegment.ofArray(payload).set(ValueLayout.JAVA_LONG_UNALIGNED, payload.length - Long.BYTES, number);
        return Forge.fpdu(
                Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, granted.remoteKey(), granted.address() + LENGTH - payload.length, payload),
                false);
    }
}
