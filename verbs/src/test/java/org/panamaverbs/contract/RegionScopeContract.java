package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;

/** Regions that are open to the peer of one queue pair alone. Two connections of one domain: the owner's, and another's. */
public abstract class RegionScopeContract extends ContractTest {
    private static final int LENGTH = 64;
    private static final int CANARY = 0x5A;

    private RegistrationAttributes only(Link owner) {
        return RegistrationAttributes.of(server.rights()).withScope(owner.server().queuePair);
    }

    /** A region of the server that is open to the client's end of a connection. */
    private MemoryRegion scoped(Link owner) {
        assumeSupports(server.device, Capability.REGION_SCOPE);
        MemoryRegion region = server.domain.register(server.memory(LENGTH), only(owner));
        region.segment().fill((byte) CANARY);
        return region;
    }

    @Test
    void shouldSaySoIfTheDeviceHasNone() {
        RegistrationAttributes attributes = RegistrationAttributes.of(Rights.usual()).withScope(connect().client().queuePair);
        assertRefuses(client.device, Capability.REGION_SCOPE, () -> client.domain.register(client.memory(LENGTH), attributes));
    }

    @Test
    void shouldBeOpenToItsPeerAsAnyRegion() {
        Link owner = connect();
        Link other = connect();
        MemoryRegion region = scoped(owner);
        assertTrue(region.isOpenTo(owner.server().queuePair));
        assertFalse(region.isOpenTo(other.server().queuePair));
        MemoryRegion local = client.region(2 * LENGTH);
        Pattern.fill(local.segment(), 0, LENGTH, 1);
        owner.client().write(1, local, 0, LENGTH, region, 0);
        owner.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        owner.client().read(2, local, LENGTH, LENGTH, region, 0);
        owner.client().sent.next().succeeded(2, CompletionOpcode.READ);
        Pattern.verify(local.segment(), LENGTH, LENGTH, 1);
    }

    enum Request {
        WRITE, READ, ATOMIC
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseEachOtherPeer(Request request) {
        Link owner = connect();
        Link other = connect();
        MemoryRegion region = scoped(owner);
        MemoryRegion local = client.region(LENGTH);
        switch (request) {
            case WRITE -> other.client().write(1, local, 0, LENGTH, region, 0);
            case READ -> other.client().read(1, local, 0, LENGTH, region, 0);
            case ATOMIC -> {
                assumeSupports(client.device, Capability.ATOMIC);
                other.client().queuePair
                        .post(new SendRequest().fetchAndAdd(1).add(1).local(local, 0, 8).remote(region.remote(), 0).signaled());
            }
        }
        assertRefused(other);
        if (request != Request.WRITE) {
            assertEquals(CompletionStatus.REMOTE_ACCESS_ERROR, other.client().sent.next().status());
        }
        Pattern.verifyAll(region.segment(), 0, LENGTH, CANARY, "memory of another peer");
        Pattern.verifyAll(local.segment(), 0, LENGTH, 0, "what another peer's memory was read into");
        shouldGoOn(owner, region);
    }

    private void shouldGoOn(Link owner, MemoryRegion region) {
        owner.client().write(10, client.region(LENGTH), 0, LENGTH, region, 0);
        owner.client().sent.next().succeeded(10, CompletionOpcode.WRITE);
        owner.exchange(11);
    }

    @Test
    void shouldBeClosedToAllOnceItsQueuePairIsClosed() {
        Link owner = connect();
        Link other = connect();
        MemoryRegion region = scoped(owner);
        owner.close();
        assertTrue(region.isValid());
        other.client().write(1, client.region(LENGTH), 0, LENGTH, region, 0);
        assertRefused(other);
        Pattern.verifyAll(region.segment(), 0, LENGTH, CANARY, "memory of a peer that is gone");
    }

    @Test
    void shouldBeInvalidatedByItsPeerAlone() {
        Link owner = connect();
        Link other = connect();
        assumeSupports(server.device, Capability.REGION_SCOPE);
        assumeSupports(server.device, Capability.INVALIDATION_RIGHT);
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        MemoryRegion region = server.domain.register(server.memory(LENGTH), only(owner).withRemoteInvalidation(owner.server().queuePair));
        other.server().receive(1, server.region(LENGTH), 0, LENGTH);
        other.client().queuePair
                .post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(region.remoteKey()).signaled());
        assertRefused(other);
        assertTrue(region.isValid());
        owner.server().receive(3, server.region(LENGTH), 0, LENGTH);
        owner.client().queuePair
                .post(new SendRequest().send(4).local(new ScatterGatherList(1)).invalidating(region.remoteKey()).signaled());
        assertEquals(region.remoteKey(), owner.server().received.next().received(3, 0).invalidatedKey());
        assertFalse(region.isValid());
    }

    /** A Read tells the peer the key of its sink, and a window would open the region to another peer. */
    @Test
    void shouldRefuseRequestsOfOtherQueuePairsThatGiveAPeerTheKey() {
        Link owner = connect();
        Link other = connect();
        MemoryRegion region = scoped(owner);
        QueuePair stranger = other.server().queuePair;
        RemoteMemory remote = client.region(LENGTH).remote();
        ScatterGatherList list = new ScatterGatherList(1).add(region, 0, LENGTH);
        assertThrows(IllegalArgumentException.class,
                () -> stranger.tryPost(new SendRequest().read(1).local(region, 0, LENGTH).remote(remote, 0).signaled()));
        assertThrows(IllegalArgumentException.class,
                () -> stranger.tryPost(new SendRequest().read(1).local(list).remote(remote, 0).signaled()));
        if (server.device.supports(Capability.ATOMIC)) {
            assertThrows(IllegalArgumentException.class,
                    () -> stranger.tryPost(new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8).remote(remote, 0)));
            assertThrows(IllegalArgumentException.class,
                    () -> stranger.tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2).local(region, 0, 8).remote(remote, 0)));
        }
        if (server.device.supports(Capability.MEMORY_WINDOW_TYPE_1)) {
            MemoryWindow window = server.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1);
            assertThrows(IllegalArgumentException.class, () -> stranger
                    .tryPost(new SendRequest().bind(1, window).local(region, 0, LENGTH).access(Access.REMOTE_READ).signaled()));
        }
        // On iWARP the side that accepted may send only after the other side has (RFC 5044, 7.1.2).
        owner.exchange(10);
        other.exchange(11);
        owner.server().queuePair.post(new SendRequest().read(2).local(region, 0, LENGTH).remote(remote, 0).signaled());
        owner.server().sent.next().succeeded(2, CompletionOpcode.READ);
        // Neither a Send nor a receive tells the peer a key.
        MemoryRegion inbox = client.region(LENGTH);
        other.client().receive(3, inbox, 0, LENGTH);
        other.server().send(4, region, 0, LENGTH);
        other.client().received.next().received(3, LENGTH);
        other.server().receive(5, region, 0, LENGTH);
        other.client().send(6, inbox, 0, LENGTH);
        other.server().received.next().received(5, LENGTH);
    }

    /** A window of type 1 is open to all that its region is open to. */
    @Test
    void shouldKeepAWindowOfTheDomainToItsPeer() {
        assumeSupports(server.device, Capability.MEMORY_WINDOW_TYPE_1);
        Link owner = connect();
        Link other = connect();
        MemoryRegion region = scoped(owner);
        MemoryWindow window = server.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1);
        owner.server().queuePair.post(new SendRequest().bind(1, window).local(region, 0, LENGTH).access(Access.REMOTE_WRITE).signaled());
        owner.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        RemoteMemory through = new RemoteMemory(region.address(), window.remoteKey(), LENGTH);
        MemoryRegion local = client.region(LENGTH);
        other.client().queuePair.post(new SendRequest().write(2).local(local, 0, LENGTH).remote(through, 0).signaled());
        assertRefused(other);
        Pattern.verifyAll(region.segment(), 0, LENGTH, CANARY, "memory of another peer");
        owner.client().queuePair.post(new SendRequest().write(3).local(local, 0, LENGTH).remote(through, 0).signaled());
        owner.client().sent.next().succeeded(3, CompletionOpcode.WRITE);
        owner.exchange(4);
    }

    @Test
    void shouldRefuseAQueuePairOfAnotherDomain() {
        assumeSupports(client.device, Capability.REGION_SCOPE);
        QueuePair queuePair = connect().client().queuePair;
        RegistrationAttributes attributes = RegistrationAttributes.of(Rights.usual()).withScope(queuePair);
        assertThrows(IllegalArgumentException.class,
                () -> client.device.allocateProtectionDomain().register(client.memory(LENGTH), attributes));
    }

    @Test
    void shouldRefuseAnInvalidatorThatCannotUseIt() {
        assumeSupports(server.device, Capability.REGION_SCOPE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link owner = connect();
        RegistrationAttributes attributes = only(owner).withRemoteInvalidation(connect().server().queuePair);
        assertThrows(IllegalArgumentException.class, () -> server.domain.register(server.memory(LENGTH), attributes));
    }
}
