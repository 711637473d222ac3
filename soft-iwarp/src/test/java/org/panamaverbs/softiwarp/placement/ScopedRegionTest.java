package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.testing.conformance.Requirement;

/** Regions whose STag is associated with one stream (RFC 5041, 8.2; RFC 5042, 6.1.1). */
class ScopedRegionTest {
    private static final int SIZE = 64;
    private static final Access[] ALL = { Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC };

    private final Rig rig = new Rig(Rig.Options.of(true), 4 * Rig.room(SIZE));
    private final RegisteredMemory foreign = rig.scopedElsewhere(SIZE, ALL);

    private static byte[] write(RegisteredMemory memory) {
        return Forge.fpdu(Forge.tagged(LAST_TAGGED, Forge.WRITE, memory.stag(), memory.base(), Forge.payload(SIZE)), true);
    }

    /** The stream ends with a Terminate, and no byte of the region has changed. */
    private void assertRefused(int code) {
        assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
        assertEquals(StreamState.TERMINATING, rig.stream().state());
        List<Segment> sent = rig.sent();
        assertEquals(1, sent.size(), "the Terminate, and no answer");
        byte[] terminate = sent.getLast().payload();
        assertEquals(code, terminate[0] << 8 | terminate[1] & 0xFF);
        Rig.assertFilled(foreign.segment());
        assertFalse(foreign.isRetired());
        rig.assertGuards();
    }

    @Test
    @Requirement({ "RFC5041-8.2-d", "RFC5041-8.3-c" })
    void shouldServeTheStreamThatTheRegionIsFor() {
        RegisteredMemory own = rig.scoped(SIZE, ALL);
        rig.feed(write(own));
        assertEquals(-1, own.segment().mismatch(MemorySegment.ofArray(Forge.payload(SIZE))));
        rig.feed(Forge.read(1, SIZE, own.stag(), own.base(), true));
        assertEquals(StreamState.RTS, rig.stream().state());
        assertEquals(-1, MemorySegment.ofArray(rig.sent().getLast().payload()).mismatch(own.segment()));
    }

    @Test
    @Requirement({ "RFC5040-7.2-e", "RFC5040-8.1.1-c", "RFC5041-8.2-b,d", "RFC5042-6.1.1-a,c" })
    void shouldRefuseAWriteOfAnotherStream() {
        rig.feed(write(foreign));
        assertRefused(0x1102);
    }

    @Test
    @Requirement({ "RFC5040-7.2-j", "RFC5040-8.1.1-c", "RFC5042-6.1.1-c" })
    void shouldRefuseAReadOfAnotherStream() {
        rig.feed(Forge.read(1, SIZE, foreign.stag(), foreign.base(), true));
        assertRefused(0x0103);
    }

    @Test
    @Requirement("RFC5042-6.1.1-c")
    void shouldRefuseAnAtomicOfAnotherStream() {
        byte[] request = Forge.atomicRequest(0, 1, foreign.stag(), foreign.base(), 1, 0, 0, 0);
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, 1, 0, request), true));
        assertRefused(0x0103);
    }

    @Test
    @Requirement({ "RFC5040-5.3-j", "RFC5040-8.1.1-c" })
    void shouldRefuseToInvalidateItForAnotherStream() {
        rig.receive(1, rig.region(SIZE, Access.LOCAL_WRITE));
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, Forge.SEND_INVALIDATE, foreign.stag(), 0, 1, 0, new byte[0]), true));
        assertRefused(0x0109);
    }

    /** A window of the domain that was bound on the other stream. */
    @Test
    @Requirement("RFC5042-6.1.1-c")
    void shouldRefuseAWindowOfTheDomainThatIsBoundToIt() {
        Window window = rig.window(false);
        int key = window.next();
        assertTrue(window.bind(key, foreign, 0, SIZE, AccessFlags.of(Set.of(ALL)), new Object()));
        rig.feed(Forge.fpdu(Forge.tagged(LAST_TAGGED, Forge.WRITE, key, foreign.base(), Forge.payload(SIZE)), true));
        assertRefused(0x1102);
    }
}
