package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class KeptRegistrationsTest {
    private static final int SIZE = 1000;
    private final MemorySegment memory = Arena.ofAuto().allocate(2 * SIZE, 8);
    private final MemorySegment first = memory.asSlice(0, SIZE);
    private final FakeDomain domain = new FakeDomain(null);
    private final FakeDomain other = new FakeDomain(null);
    private final KeptRegistrations kept = new KeptRegistrations();

    private FakeRegion region() {
        return domain.regions.getLast();
    }

    @Test
    void shouldRegisterMemoryOnceForEachDomain() {
        kept.keep(first);
        assertEquals(0, domain.regions.size());
        SourceMemory source = kept.find(domain, first.asSlice(100, 900));
        assertEquals(100, source.offset());
        source.release();
        assertSame(source.region(), kept.find(domain, first).region());
        assertEquals(1, domain.regions.size());
        kept.find(other, first);
        assertEquals(1, other.regions.size());
    }

    @Test
    void shouldNotFindMemoryThatIsNotKept() {
        kept.keep(first);
        assertNull(kept.find(domain, memory));
        assertNull(kept.find(domain, memory.asSlice(1, SIZE)));
        assertNull(kept.find(domain, memory.asSlice(SIZE, 1)));
        kept.release(first);
        assertNull(kept.find(domain, first));
        assertThrows(IllegalArgumentException.class, () -> kept.keep(MemorySegment.ofArray(new byte[8])));
    }

    @Test
    void shouldEndARegistrationAtOnceIfNoReplyUsesIt() {
        kept.keep(first);
        kept.find(domain, first).release();
        assertFalse(region().closed);
        kept.release(first);
        assertTrue(region().closed);
    }

    @Test
    void shouldEndARegistrationAfterTheLastReplyThatUsesIt() {
        kept.keep(first);
        SourceMemory one = kept.find(domain, first);
        SourceMemory two = kept.find(domain, first);
        kept.release(first);
        one.release();
        assertFalse(region().closed);
        two.release();
        assertTrue(region().closed);
    }

    @Test
    void shouldKeepMemoryAgainThatAReplyUsesYet() {
        kept.keep(first);
        SourceMemory before = kept.find(domain, first);
        kept.release(first);
        kept.keep(first);
        SourceMemory after = kept.find(domain, first);
        before.release();
        assertTrue(domain.regions.get(0).closed);
        assertTrue(after.region().isValid());
    }

    @Test
    void shouldRegisterAnewIfMemoryGrows() {
        kept.keep(first);
        kept.find(domain, first).release();
        kept.keep(memory);
        assertTrue(region().closed);
        assertEquals(2 * SIZE, kept.find(domain, memory).region().length());
    }

    @Test
    void shouldEndTheRegistrationsOfAnEndedConnectionEvenIfAReplyUsesThem() {
        kept.keep(first);
        SourceMemory source = kept.find(domain, first);
        kept.find(other, first);
        kept.forget(domain);
        assertTrue(region().closed);
        assertFalse(other.regions.getFirst().closed);
        source.release();
    }

    @Test
    void shouldEndAll() {
        kept.keep(first);
        kept.keep(memory.asSlice(SIZE));
        kept.find(domain, first).release();
        kept.find(domain, memory.asSlice(SIZE)).release();
        kept.clear();
        assertTrue(domain.regions.stream().allMatch(region -> region.closed));
        assertNull(kept.find(domain, first));
    }

    @Test
    void shouldSendTheReplyEvenIfItsMemoryStaysRegistered() {
        kept.keep(first);
        SourceMemory source = kept.find(domain, first);
        region().refuses = true;
        kept.release(first);
        source.release();
        assertFalse(region().closed);
    }
}
