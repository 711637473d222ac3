package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;

/** Registrations with a choice: address, key, the right of a peer to invalidate, and arenas of ours. */
public abstract class RegistrationContract extends ContractTest {
    private static final int PAGE = 4096;
    private static final int LENGTH = 2 * PAGE;
    private static final int CANARY = 0x5A;
    private static final int KEY = 0x5EC0_DE07;
    private static final int MORE_ARENAS_THAN_THREADS = 1100;

    private static RegistrationAttributes usual() {
        return RegistrationAttributes.of(Rights.usual());
    }

    /** The start, the middle, and the end of the range of addresses. */
    @ParameterizedTest
    @ValueSource(longs = { 0, 0x7FFF_FFFF_FFFF_F000L, Long.MIN_VALUE, -LENGTH })
    void shouldBeWhereTheProgramSays(long address) {
        assumeSupports(server.device, Capability.REGION_ADDRESS);
        Link link = connect();
        MemoryRegion target = server.domain.register(server.arena.allocate(LENGTH, PAGE), usual().withAddress(address));
        assertEquals(address, target.address());
        MemoryRegion from = client.region(LENGTH);
        Pattern.fill(from.segment(), 0, LENGTH, 1);
        link.client().write(1, from, 0, LENGTH, target, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        MemoryRegion back = client.region(LENGTH);
        link.client().read(2, back, 0, 100, target, PAGE + 1);
        link.client().sent.next().succeeded(2, CompletionOpcode.READ);
        assertEquals(-1, back.segment().asSlice(0, 100).mismatch(from.segment().asSlice(PAGE + 1, 100)));
        Pattern.verify(target.segment(), 0, LENGTH, 1);
        // Requests of its own name the memory by offsets from its start.
        MemoryRegion inbox = client.region(LENGTH);
        link.client().receive(3, inbox, 0, LENGTH);
        link.server().send(4, target, 0, LENGTH);
        link.client().received.next().received(3, LENGTH);
        Pattern.verify(inbox.segment(), 0, LENGTH, 1);
        target.close();
    }

    /** The byte before the first, a byte behind the last, and the address that the memory has of itself. */
    @ParameterizedTest
    @ValueSource(longs = { -1, LENGTH - PAGE + 1, Long.MIN_VALUE })
    void shouldRefuseWhatLiesOutsideOfTheAddressesThatTheProgramChose(long offset) {
        assumeSupports(server.device, Capability.REGION_ADDRESS);
        Link link = connect();
        MemorySegment memory = server.arena.allocate(LENGTH, PAGE);
        memory.fill((byte) CANARY);
        long address = 1L << 40;
        MemoryRegion target = server.domain.register(memory, usual().withAddress(address));
        long named = offset == Long.MIN_VALUE ? memory.address() : address + offset;
        link.client().queuePair.post(new SendRequest().write(1).local(client.region(PAGE), 0, PAGE)
                .remote(new RemoteMemory(named, target.remoteKey(), PAGE), 0).signaled());
        assertRefused(link);
        // Of a message that ends behind the last byte, segments before that may have been placed.
        Pattern.verifyAll(memory, 0, offset > 0 ? offset : LENGTH, CANARY, "memory outside of the Write");
    }

    @Test
    void shouldRefuseAddressesThatTheRegionWouldLeave() {
        assumeSupports(client.device, Capability.REGION_ADDRESS);
        MemorySegment memory = client.arena.allocate(LENGTH, PAGE);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> client.domain.register(memory, usual().withAddress(-PAGE)));
        assertTrue(refused.getMessage().contains("2^64") && refused.getMessage().contains(Integer.toString(LENGTH)), refused::getMessage);
    }

    @Test
    void shouldHaveTheKeyThatTheProgramSays() {
        assumeSupports(server.device, Capability.REGION_KEY);
        Link link = connect();
        MemorySegment memory = server.memory(64);
        for (int i = 0; i < 3; i++) {
            MemoryRegion target = server.domain.register(memory, usual().withRemoteKey(KEY));
            assertEquals(KEY, target.remoteKey());
            ResourceException taken = assertThrows(ResourceException.class,
                    () -> server.domain.register(memory, usual().withRemoteKey(KEY)));
            assertTrue(taken.getMessage().contains("0x" + Integer.toHexString(KEY)), taken::getMessage);
            MemoryRegion from = client.region(64);
            Pattern.fill(from.segment(), 0, 64, i);
            link.client().write(i, from, 0, 64, target, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
            // The Write is there once a later Read is done.
            link.client().read(100 + i, client.region(64), 0, 1, target, 0);
            link.client().sent.next().succeeded(100 + i, CompletionOpcode.READ);
            Pattern.verify(memory, 0, 64, i);
            target.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void shouldRefuseReservedKeys(int key) {
        assumeSupports(client.device, Capability.REGION_KEY);
        assertThrows(IllegalArgumentException.class, () -> client.domain.register(client.memory(64), usual().withRemoteKey(key)));
    }

    @ParameterizedTest
    @EnumSource(names = { "REGION_ADDRESS", "REGION_KEY", "INVALIDATE_REGION" })
    void shouldSaySoIfTheDeviceLeavesNoChoice(Capability capability) {
        assumeLacks(client.device, capability);
        RegistrationAttributes attributes = switch (capability) {
            case REGION_ADDRESS -> usual().zeroBased();
            case REGION_KEY -> usual().withRemoteKey(KEY);
            default -> usual().withRemoteInvalidation(connect().client().queuePair);
        };
        assertRefuses(client.device, capability, () -> client.domain.register(client.memory(64), attributes));
    }

    @Test
    void shouldRefuseToInvalidateARegionThatGivesNobodyTheRight() {
        assumeInvalidationRight();
        Link link = connect();
        refusesToInvalidate(link, server.region(64));
    }

    @Test
    void shouldRefuseToInvalidateARegionThatAnotherPeerMayInvalidate() {
        assumeInvalidationRight();
        Link other = connect();
        Link link = connect();
        MemoryRegion advertised = other.server().invalidatable(64);
        refusesToInvalidate(link, advertised);
        other.server().receive(1, server.region(64), 0, 64);
        other.client().queuePair
                .post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(advertised.remoteKey()).signaled());
        assertEquals(advertised.remoteKey(), other.server().received.next().received(1, 0).invalidatedKey());
        assertFalse(advertised.isValid(), "the region should be invalid");
    }

    private void assumeInvalidationRight() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATION_RIGHT);
    }

    private void refusesToInvalidate(Link link, MemoryRegion region) {
        Link bystander = connect();
        link.server().receive(1, server.region(64), 0, 64);
        link.client().queuePair.post(new SendRequest().send(2).local(new ScatterGatherList(1)).invalidating(region.remoteKey()).signaled());
        assertRefused(link);
        assertFalse(link.server().received.next().isSuccess(), "a Send with Invalidate of a key that its sender must not invalidate");
        assertTrue(region.isValid(), "the region");
        bystander.client().write(3, client.region(64), 0, 64, region, 0);
        bystander.client().sent.next().succeeded(3, CompletionOpcode.WRITE);
        bystander.exchange(4);
    }

    @Test
    void shouldRefuseAQueuePairOfAnotherDomainAsTheInvalidator() {
        assumeSupports(client.device, Capability.INVALIDATE_REGION);
        QueuePair queuePair = connect().client().queuePair;
        assertThrows(IllegalArgumentException.class,
                () -> client.device.allocateProtectionDomain().register(client.memory(64), usual().withRemoteInvalidation(queuePair)));
    }

    /** Hints change no byte, on memory of any length and alignment. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 3, 4, 5, PAGE, 3 * PAGE + 1 })
    void shouldPrefetchWithoutAChange(int length) {
        MemorySegment memory = client.arena.allocate(length + 1, PAGE).asSlice(1);
        Pattern.fill(memory, 0, length, 1);
        RegistrationAttributes attributes = RegistrationAttributes.of(Access.LOCAL_WRITE, Access.HUGE_PAGES, Access.RELAXED_ORDERING)
                .withPrefetch();
        client.domain.register(memory, attributes).close();
        client.domain.register(memory.asReadOnly(), RegistrationAttributes.of().withPrefetch()).close();
        Pattern.verify(memory, 0, length, 1);
    }

    @Test
    void shouldKeepAnArenaOfOursOpenWhileItsMemoryIsRegistered() {
        RegistrableArena arena = closeLater(RegistrableArena.ofShared());
        MemoryRegion region = client.domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        MemoryRegion other = client.domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        assertEquals(2, arena.registrations());
        IllegalStateException refused = assertThrows(IllegalStateException.class, arena::close);
        assertTrue(refused.getMessage().contains("2 registrations"), refused::getMessage);
        region.close();
        region.close();
        assertThrows(IllegalStateException.class, arena::close);
        other.close();
        RegistrableArena brief = RegistrableArena.ofShared();
        MemorySegment memory = brief.allocate(64);
        brief.close();
        assertThrows(IllegalStateException.class, () -> client.domain.register(memory, Access.LOCAL_WRITE));
        assertThrows(IllegalStateException.class, brief::close);
    }

    @Test
    void shouldRegisterMemoryOfAnyNumberOfOurArenas() {
        assumeAtLeast(client.device.attributes().maximumRegions(), MORE_ARENAS_THAN_THREADS + 1, "maximumRegions");
        List<RegistrableArena> arenas = new ArrayList<>();
        List<MemoryRegion> regions = new ArrayList<>();
        long threads = arenaThreads();
        for (int i = 0; i < MORE_ARENAS_THAN_THREADS; i++) {
            arenas.add(RegistrableArena.ofShared());
            regions.add(client.domain.register(arenas.getLast().allocate(64), Access.LOCAL_WRITE));
        }
        assertTrue(arenaThreads() <= threads, "threads were started");
        regions.forEach(MemoryRegion::close);
        arenas.forEach(RegistrableArena::close);
    }

    private static long arenaThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("panama-verbs-arena")).count();
    }
}
