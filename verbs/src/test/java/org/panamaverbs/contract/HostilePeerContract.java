package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;

/**
 * Access that a peer may try through the API and must not get: memory that is not meant for it. The target is untouched, the connection
 * ends with a reason at both ends, and other connections of the same device, domain and queues go on.
 */
public abstract class HostilePeerContract extends ContractTest {
    private static final int CANARY = 0x5A;
    private static final int SIZE = 4096;
    private static final int LENGTH = 64;

    /** The fault of the peer's request. */
    enum Offence {
        /** A key that nobody ever had. */
        NONSENSE_KEY,
        /** The right key but for its last bit. */
        NEIGHBOURING_KEY,
        /** The right key but for its first bit. */
        DISTANT_KEY,
        /** One byte beyond the last. */
        ONE_TOO_FAR,
        /** One byte before the first. */
        ONE_TOO_EARLY,
        /** All of it behind the region. */
        BEHIND,
        /** All of it before the region. */
        BEFORE,
        /** An address that wraps around. */
        WRAPPED,
        /** The greatest address there is. */
        LAST_ADDRESS,
        /** An offset where an address belongs. */
        ADDRESS_ZERO,
        /** A region without the right. */
        NO_RIGHT,
        /** A region without any right for the peer. */
        NO_RIGHTS_AT_ALL,
        /** A region that was closed. */
        CLOSED_REGION,
        /** A region of another domain. */
        OTHER_DOMAIN,
        /** A region of another domain that was closed. */
        CLOSED_DOMAIN
    }

    /** Memory of the server with a region in its middle, and what the peer knows of it. */
    private final class Target {
        final MemorySegment memory = server.memory(3 * SIZE);
        final MemoryRegion region;
        final long address;
        final int key;

        Target(Offence offence, Access needed, Access other) {
            memory.fill((byte) CANARY);
            MemorySegment middle = memory.asSlice(SIZE, SIZE);
            region = switch (offence) {
                case NO_RIGHT -> server.domain.register(middle, Access.LOCAL_WRITE, other);
                case NO_RIGHTS_AT_ALL -> server.domain.register(middle, Access.LOCAL_WRITE);
                case OTHER_DOMAIN, CLOSED_DOMAIN -> {
                    ProtectionDomain foreign = server.device.allocateProtectionDomain();
                    MemoryRegion foreigner = foreign.register(middle, Access.LOCAL_WRITE, needed);
                    if (offence == Offence.CLOSED_DOMAIN) {
                        foreign.close();
                    }
                    yield foreigner;
                }
                default -> server.domain.register(middle, Access.LOCAL_WRITE, needed);
            };
            long start = region.address();
            address = switch (offence) {
                case ONE_TOO_FAR -> start + SIZE - LENGTH + 1;
                case ONE_TOO_EARLY -> start - 1;
                case BEHIND -> start + SIZE;
                case BEFORE -> start - LENGTH;
                case WRAPPED -> -LENGTH / 2;
                case LAST_ADDRESS -> -1;
                case ADDRESS_ZERO -> start == 0 ? SIZE : 0;
                default -> start;
            };
            key = switch (offence) {
                case NONSENSE_KEY -> ~region.remoteKey() * 31;
                case NEIGHBOURING_KEY -> region.remoteKey() ^ 1;
                case DISTANT_KEY -> region.remoteKey() ^ 0x8000_0000;
                default -> region.remoteKey();
            };
            if (offence == Offence.CLOSED_REGION) {
                region.close();
            }
        }

        void isUntouched() {
            Pattern.verifyAll(memory, 0, 3 * SIZE, CANARY, "memory that the peer may not write");
        }
    }

    @ParameterizedTest
    @EnumSource(Offence.class)
    void shouldRefuseAWrite(Offence offence) {
        Link bystander = connect();
        Link link = dialer().connect();
        Target target = new Target(offence, Access.REMOTE_WRITE, Access.REMOTE_READ);
        MemoryRegion local = client.region(LENGTH);
        local.segment().fill((byte) 1);
        MemoryRegion inbox = server.region(LENGTH);
        link.server().receive(50, inbox, 0, LENGTH);
        link.client().receive(60, local, 0, LENGTH);
        link.client().queuePair.post(new SendRequest().write(1).local(local, 0, LENGTH)
                .remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0).signaled());
        assertFailed(link);
        target.isUntouched();
        link.server().received.flushed(50);
        link.client().received.flushed(60);
        goesOn(bystander);
    }

    @ParameterizedTest
    @EnumSource(Offence.class)
    void shouldRefuseARead(Offence offence) {
        Link bystander = connect();
        Link link = connect();
        Target target = new Target(offence, Access.REMOTE_READ, Access.REMOTE_WRITE);
        MemoryRegion sink = client.region(LENGTH);
        MemoryRegion inbox = server.region(LENGTH);
        link.server().receive(50, inbox, 0, LENGTH);
        link.client().receive(60, inboxOf(link), 0, LENGTH);
        link.client().queuePair.post(new SendRequest().read(1).local(sink, 0, LENGTH)
                .remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0).signaled());
        Completed read = link.client().sent.next();
        assertNotEquals(CompletionStatus.SUCCESS, read.status(), "a Read of memory that is not meant for it");
        assertFailed(link);
        Pattern.verifyAll(sink.segment(), 0, LENGTH, 0, "the sink of the Read");
        link.server().received.flushed(50);
        link.client().received.flushed(60);
        goesOn(bystander);
    }

    private static MemoryRegion inboxOf(Link link) {
        return link.client().side.region(LENGTH);
    }

    @Test
    void shouldNeverWriteOutsideTheRegionHoweverLongTheMessage() {
        Link bystander = connect();
        int length = 1 << 20;
        MemorySegment memory = server.memory(3L * length);
        memory.fill((byte) CANARY);
        MemoryRegion region = server.domain.register(memory.asSlice(length, length), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion local = client.region(length);
        local.segment().fill((byte) 1);
        for (long offset : new long[] { 1, length / 2, length - 1, -1, -length / 2 }) {
            Link link = connect();
            RemoteMemory beyond = new RemoteMemory(region.address() + offset, region.remoteKey(), length);
            link.client().queuePair.post(new SendRequest().write(1).local(local, 0, length).remote(beyond, 0).signaled());
            assertFailed(link);
            Pattern.verifyAll(memory, 0, length, CANARY, "before the region");
            Pattern.verifyAll(memory, 2L * length, length, CANARY, "after the region");
        }
        goesOn(bystander);
    }

    @Test
    void shouldFlushWhatFollowsARequestThatWasRefused() {
        Link link = connect();
        Target target = new Target(Offence.NONSENSE_KEY, Access.REMOTE_READ, Access.REMOTE_WRITE);
        MemoryRegion sink = client.region(LENGTH);
        link.client().queuePair.post(new SendRequest().read(1).local(sink, 0, LENGTH)
                .remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0).more());
        for (int i = 2; i < 10; i++) {
            link.client().queuePair
                    .post(new SendRequest().read(i).local(sink, 0, LENGTH).remote(target.region.remote(), 0).fenced().more(i < 9));
        }
        Completed refused = link.client().sent.next();
        assertTrue(refused.id() == 1 && !refused.isSuccess(), refused::toString);
        link.client().sent.flushed(2, 3, 4, 5, 6, 7, 8, 9);
        assertFailed(link);
    }

    @Test
    void shouldKeepConnectionsThatShareEverythingWithTheOffender() {
        // The same domain, the same completion queues at both ends.
        Link bystander = connect();
        Link link = dialer().clientQueues(bystander.client().sendQueue, bystander.client().receiveQueue)
                .serverQueues(bystander.server().sendQueue, bystander.server().receiveQueue).connect();
        Target target = new Target(Offence.NO_RIGHTS_AT_ALL, Access.REMOTE_WRITE, Access.REMOTE_READ);
        MemoryRegion local = client.region(LENGTH);
        link.client().queuePair.post(
                new SendRequest().write(1).local(local, 0, LENGTH).remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0));
        assertFailed(link);
        // The Write may have completed with an error, visibly.
        Completed left = bystander.client().sent.nextWithin(Duration.ZERO);
        assertTrue(left == null || left.id() == 1, () -> "unexpected " + left);
        goesOn(bystander);
    }

    @Test
    void shouldRefuseToInvalidateAKeyThatNobodyHas() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link bystander = connect();
        Link link = connect();
        MemoryRegion inbox = server.region(LENGTH);
        MemoryRegion innocent = server.region(LENGTH);
        link.server().receive(1, inbox, 0, LENGTH);
        link.client().queuePair
                .post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(innocent.remoteKey() ^ 1).signaled());
        assertFailed(link);
        assertFalse(link.server().received.next().isSuccess(), "a Send with Invalidate of a key that nobody has");
        assertTrue(innocent.isValid(), "another region");
        goesOn(bystander);
    }

    @Test
    void shouldRefuseToInvalidateARegionOfAnotherDomain() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link bystander = connect();
        Link link = connect();
        MemoryRegion inbox = server.region(LENGTH);
        MemoryRegion foreign = server.device.allocateProtectionDomain().register(server.memory(LENGTH), Rights.usual());
        link.server().receive(1, inbox, 0, LENGTH);
        link.client().queuePair
                .post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(foreign.remoteKey()).signaled());
        assertFailed(link);
        assertTrue(foreign.isValid(), "a region of another domain");
        goesOn(bystander);
    }

    @Test
    void shouldNotWriteBesideAReceiveThatIsTooShort() {
        Link bystander = connect();
        for (int room : new int[] { 0, 1, 100, 1440, 70_000 }) {
            Link link = connect();
            int length = 100_000;
            MemorySegment memory = server.memory(room + 2L * SIZE);
            memory.fill((byte) CANARY);
            MemoryRegion region = server.domain.register(memory, Access.LOCAL_WRITE);
            link.server().receive(1, region, SIZE, room);
            link.client().send(2, client.region(length), 0, length);
            assertFailed(link);
            assertFalse(link.server().received.next().isSuccess(), "a receive of " + room + " for " + length + " bytes");
            Pattern.verifyAll(memory, 0, SIZE, CANARY, "before the receive");
            Pattern.verifyAll(memory, SIZE + room, SIZE, CANARY, "after the receive");
        }
        goesOn(bystander);
    }

    @Test
    void shouldRefuseManyOffendersAndServeTheOthers() {
        Link bystander = connect();
        for (int i = 0; i < 20; i++) {
            Link link = connect();
            Target target = new Target(Offence.values()[i % Offence.values().length], Access.REMOTE_WRITE, Access.REMOTE_READ);
            MemoryRegion local = client.region(LENGTH);
            link.client().queuePair.post(new SendRequest().write(1).local(local, 0, LENGTH)
                    .remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0));
            assertFailed(link);
            target.isUntouched();
            link.close();
        }
        goesOn(bystander);
        goesOn(connect());
    }

    @Test
    void shouldFlushWhatIsPostedAfterTheFailure() {
        Link link = connect();
        Target target = new Target(Offence.NO_RIGHT, Access.REMOTE_READ, Access.REMOTE_WRITE);
        MemoryRegion local = client.region(LENGTH);
        link.client().queuePair.post(new SendRequest().read(1).local(local, 0, LENGTH)
                .remote(new RemoteMemory(target.address, target.key, Long.MAX_VALUE), 0).signaled());
        assertFailed(link);
        assertFalse(link.client().sent.next().isSuccess());
        link.client().send(2, local, 0, LENGTH, 0);
        link.client().sent.flushed(2);
        MemoryRegion remote = server.region(LENGTH);
        link.server().receive(3, remote, 0, LENGTH);
        link.server().received.flushed(3);
    }

    /** Both ends failed, and say something about why. */
    private static void assertFailed(Link link) {
        saysWhy(link.server().awaitFailure());
        saysWhy(link.client().awaitFailure());
    }

    private static void saysWhy(VerbsException failure) {
        assertInstanceOf(PeerException.class, failure);
        String text = failure.getMessage().toLowerCase(Locale.ROOT);
        assertTrue(
                text.matches("(?s).*(stag|key|bounds|address|access|right|region|domain|receive|buffer|message|invalid|remote|length).*"),
                () -> "the message should say what was wrong: " + failure.getMessage());
    }

    private static void goesOn(Link bystander) {
        bystander.exchange(1000);
        assertTrue(bystander.client().connection.failure().isEmpty());
        assertTrue(bystander.server().connection.failure().isEmpty());
    }
}
