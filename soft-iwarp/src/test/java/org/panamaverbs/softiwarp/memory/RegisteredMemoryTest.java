package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.memory.Fault.ACCESS;
import static org.panamaverbs.softiwarp.memory.Fault.BOUNDS;
import static org.panamaverbs.softiwarp.memory.Fault.INVALID_STAG;
import static org.panamaverbs.softiwarp.memory.Fault.NONE;
import static org.panamaverbs.softiwarp.memory.Fault.NOT_OF_STREAM;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.spi.AccessFlags;

/** What a stream may do to registered memory. Threads that use it while it is retired: RegisteredMemoryInterleavingsTest. */
class RegisteredMemoryTest {
    private static final int LENGTH = 100;
    private static final long BASE = 0x1000;
    private static final int READ = AccessFlags.REMOTE_READ;
    private static final int WRITE = AccessFlags.REMOTE_WRITE;

    private final Object domain = new Object();
    private final Object queuePair = new Object();
    private final Object other = new Object();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment = arena.allocate(LENGTH);
    private final RegisteredMemory region = new RegisteredMemory(segment, domain, READ, BASE, null);

    private Fault check(RegisteredMemory memory, int rights) {
        return memory.check(domain, queuePair, memory.stag(), rights, memory.base(), 1);
    }

    @ParameterizedTest
    @CsvSource({ "0, 0, NONE", "0, 1, NONE", "0, 100, NONE", "99, 1, NONE", "100, 0, NONE", "0, 101, BOUNDS", "1, 100, BOUNDS",
            "100, 1, BOUNDS", "101, 0, BOUNDS", "-1, 1, BOUNDS", "-4096, 1, BOUNDS", "-4097, 2, WRAP", "-4097, 1, BOUNDS", "-4098, 3, WRAP",
            "9223372036854775807, 1, BOUNDS" })
    void shouldCheckPlaceAndLength(long offset, long size, Fault fault) {
        assertEquals(fault, region.check(domain, queuePair, region.stag(), READ, BASE + offset, size));
    }

    @Test
    void shouldCheckDomainAndRights() {
        assertEquals(NONE, check(region, READ));
        assertEquals(ACCESS, check(region, WRITE));
        assertEquals(ACCESS, check(region, READ | WRITE));
        assertEquals(NOT_OF_STREAM, region.check(new Object(), queuePair, 0, READ, BASE, 1));
        assertEquals(NOT_OF_STREAM, region.check(new Object(), queuePair, 0, WRITE, BASE, LENGTH + 1), "whose it is comes first");
        assertTrue(region.isOf(domain));
    }

    @Test
    void shouldBeOpenToOneQueuePairIfItIsScoped() {
        RegisteredMemory scoped = new RegisteredMemory(segment, domain, READ, BASE, null, queuePair);
        assertEquals(NONE, check(scoped, READ));
        assertEquals(NOT_OF_STREAM, scoped.check(domain, other, 0, READ, BASE, 1));
        assertTrue(scoped.isOpenTo(queuePair));
        assertFalse(scoped.isOpenTo(other));
        assertTrue(region.isOpenTo(other));
    }

    @Test
    void shouldBeInvalidatedByThePeerOfOneQueuePairOrNone() {
        assertFalse(region.isInvalidatedBy(null));
        assertFalse(region.isInvalidatedBy(queuePair));
        RegisteredMemory advertised = new RegisteredMemory(segment, domain, READ, BASE, queuePair);
        assertTrue(advertised.isInvalidatedBy(queuePair));
        assertFalse(advertised.isInvalidatedBy(other));
    }

    @Test
    void shouldBeNoneOnceItIsRetired() {
        assertTrue(region.isLive());
        assertTrue(region.retire());
        assertFalse(region.retire(), "once");
        assertFalse(region.isLive());
        assertEquals(INVALID_STAG, check(region, READ));
        assertFalse(region.enter());
    }

    @Test
    void shouldBeNoneOnceItsArenaIsClosed() {
        arena.close();
        assertFalse(region.isLive());
        assertEquals(INVALID_STAG, check(region, READ));
        CRC32C crc = new CRC32C();
        assertThrows(IllegalStateException.class, () -> region.update(crc, 0, 1));
    }

    @Test
    void shouldHaveTaggedOffsetsThatAreAddressesUnlessTheProgramChose() {
        assertEquals(BASE, region.base());
        assertEquals(segment.address(), new RegisteredMemory(segment, domain, READ).base());
    }

    @ParameterizedTest
    @CsvSource({ "REMOTE_WRITE, true", "REMOTE_ATOMIC, true", "BIND_MEMORY_WINDOW, true", "REMOTE_READ, false", "LOCAL_WRITE, false" })
    void shouldKnowWhetherPeersMayChangeIt(Access access, boolean exposed) {
        assertEquals(exposed, new RegisteredMemory(segment, domain, AccessFlags.of(Set.of(access))).isExposed());
    }

    @Test
    void shouldOpenThePartOfABindingAlone() {
        RegisteredMemory binding = region.bind(10, 20, WRITE, queuePair);
        assertTrue(binding.isBinding());
        assertFalse(region.isBinding());
        assertEquals(BASE + 10, binding.base());
        assertEquals(NONE, binding.check(domain, queuePair, binding.stag(), WRITE, BASE + 10, 20));
        assertEquals(BOUNDS, binding.check(domain, queuePair, binding.stag(), WRITE, BASE + 9, 1));
        assertEquals(BOUNDS, binding.check(domain, queuePair, binding.stag(), WRITE, BASE + 30, 1));
        assertEquals(ACCESS, check(binding, READ));
        assertEquals(NOT_OF_STREAM, binding.check(domain, other, binding.stag(), WRITE, BASE + 10, 1));
        assertTrue(binding.isInvalidatedBy(queuePair));
        assertEquals(INVALID_STAG, binding.check(domain, queuePair, binding.stag() + 1, WRITE, BASE + 10, 1), "found by an old key");
    }

    @Test
    void shouldHaveTheScopeOfItsRegionIfABindingHasNoOwner() {
        RegisteredMemory scoped = new RegisteredMemory(segment, domain, READ, BASE, null, queuePair);
        RegisteredMemory binding = scoped.bind(0, 1, READ, null);
        assertFalse(binding.isInvalidatedBy(queuePair));
        assertEquals(NONE, binding.check(domain, queuePair, binding.stag(), READ, BASE, 1));
        assertEquals(NOT_OF_STREAM, binding.check(domain, other, binding.stag(), READ, BASE, 1));
    }

    @Test
    void shouldRetireBindingsWithTheirRegion() {
        RegisteredMemory bound = region.bind(0, 10, READ, queuePair);
        RegisteredMemory unbound = region.bind(0, 10, READ, queuePair);
        unbound.unbind();
        region.retire();
        assertFalse(bound.isLive());
        assertTrue(unbound.isLive(), "its window has left the region");
        assertNull(region.bind(0, 10, READ, queuePair));
        assertFalse(bound.rebind());
    }

    /** A binding that no stream has seen may serve its window again; one that a stream found by its key may not. */
    @Test
    void shouldUseABindingAgainThatNoStreamHolds() {
        RegisteredMemory binding = region.bind(10, 20, WRITE, queuePair);
        binding.retire();
        assertTrue(binding.isReusable(region, 10, 20, WRITE, queuePair));
        assertFalse(binding.isReusable(region, 11, 20, WRITE, queuePair));
        assertFalse(binding.isReusable(region, 10, 21, WRITE, queuePair));
        assertFalse(binding.isReusable(region, 10, 20, READ, queuePair));
        assertFalse(binding.isReusable(region, 10, 20, WRITE, other));
        assertTrue(binding.rebind());
        assertTrue(binding.isLive());
        assertTrue(binding.hold(binding.stag()));
        binding.retire();
        assertFalse(binding.isReusable(region, 10, 20, WRITE, queuePair));
    }

    @Test
    void shouldComputeTheChecksumOfAPart() {
        MemorySegment.copy(MemorySegment.ofArray(new byte[] { 1, 2, 3, 4, 5 }), 0, segment, 7, 5);
        CRC32C expected = new CRC32C();
        expected.update(segment.asSlice(7, 5).toArray(ValueLayout.JAVA_BYTE));
        CRC32C crc = new CRC32C();
        region.update(crc, 7, 2);
        region.update(crc, 9, 3);
        assertEquals(expected.getValue(), crc.getValue());
    }
}
