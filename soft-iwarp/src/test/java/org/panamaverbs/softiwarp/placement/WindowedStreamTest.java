package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND_INVALIDATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.testing.conformance.Requirement;

/** Memory windows under a peer that uses keys which are not, or no longer, its own (RFC 5041, 8.2 and 8.3; RFC 5040, 5.3 and 8.1.1). */
class WindowedStreamTest {
    private static final int SIZE = 256;
    private static final int START = 64;
    private static final int LENGTH = 32;
    private static final byte[] PAYLOAD = Forge.payload(LENGTH);

    private final Rig rig = new Rig(Rig.Options.of(true), 4 * Rig.room(SIZE));
    private final RegisteredMemory region = rig.region(SIZE, Access.LOCAL_WRITE);
    private final RegisteredMemory landing = rig.region(SIZE, Access.LOCAL_WRITE);
    private final Window window = rig.window(true);

    private void bind(Window which) {
        rig.bind(1, which, region, START, LENGTH, Access.REMOTE_WRITE, Access.REMOTE_READ);
        assertEquals(List.of(new Rig.Done(1, CompletionStatus.SUCCESS, CompletionOpcode.BIND_MEMORY_WINDOW, 0, 0, false, 0)),
                rig.completions());
    }

    private byte[] write(int key) {
        return Forge.fpdu(Forge.tagged(LAST_TAGGED, WRITE, key, region.base() + START, PAYLOAD), true);
    }

    private byte[] sendInvalidate(int key) {
        return Forge.fpdu(Forge.untagged(LAST_UNTAGGED, SEND_INVALIDATE, key, 0, 1, 0, new byte[0]), true);
    }

    private void assertRefused(int code) {
        assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
        assertEquals(StreamState.TERMINATING, rig.stream().state());
        byte[] terminate = rig.sent().getLast().payload();
        assertEquals(code, terminate[0] << 8 | terminate[1] & 0xFF);
        Rig.assertFilled(region.segment());
        rig.assertGuards();
    }

    @Test
    @Requirement({ "RFC5041-8.3-c", "RFC5041-8.3.1-e", "RFC5040-8.1.1-e" })
    void shouldPlaceAWriteInTheWindowAlone() {
        bind(window);
        rig.feed(write(window.stag()));
        assertEquals(StreamState.RTS, rig.stream().state());
        assertEquals(-1, region.segment().asSlice(START, LENGTH).mismatch(MemorySegment.ofArray(PAYLOAD)));
        Rig.assertFilled(region.segment().asSlice(0, START));
        Rig.assertFilled(region.segment().asSlice(START + LENGTH));
    }

    @Test
    void shouldRefuseAWindowThatWasNeverBound() {
        rig.feed(write(window.stag()));
        assertRefused(0x1100);
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-c", "RFC5041-7.2-a", "RFC5041-8.2-b,d", "RFC5041-8.3-c", "RFC5041-8.3.1-c", "RFC5042-6.1.1-a,c" })
    void shouldRefuseAWindowThatAnotherStreamBound() {
        int key = window.next();
        assertTrue(window.bind(key, region, START, LENGTH, AccessFlags.REMOTE_WRITE, new Object()));
        rig.feed(write(key));
        assertRefused(0x1102);
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-c", "RFC5042-6.1.1-c" })
    void shouldRefuseAReadThroughAWindowThatAnotherStreamBound() {
        int key = window.next();
        assertTrue(window.bind(key, region, START, LENGTH, AccessFlags.REMOTE_READ, new Object()));
        rig.feed(Forge.read(1, LENGTH, key, region.base() + START, true));
        assertRefused(0x0103);
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-b", "RFC5041-8.2-a,d", "RFC5041-8.3.1-b", "RFC5042-6.1.1-b" })
    void shouldRefuseAWindowOfAnotherDomain() {
        RegisteredMemory foreign = rig.foreignRegion(SIZE, Access.LOCAL_WRITE);
        Window other = rig.foreignWindow(false);
        int key = other.next();
        assertTrue(other.bind(key, foreign, 0, SIZE, AccessFlags.REMOTE_WRITE, new Object()));
        rig.feed(Forge.fpdu(Forge.tagged(LAST_TAGGED, WRITE, key, foreign.base(), PAYLOAD), true));
        assertRefused(0x1102);
        assertEquals(-1, foreign.segment().mismatch(MemorySegment.ofArray(new byte[SIZE])));
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-g", "RFC5041-8.3-b", "RFC5041-8.3.1-g", "RFC5042-6.2.2-b" })
    void shouldRefuseAWindowThatWasInvalidatedHere() {
        bind(window);
        rig.invalidate(2, window.stag());
        assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
        rig.feed(write(window.stag()));
        assertRefused(0x1100);
    }

    @Test
    void shouldRefuseTheOldKeyOfAWindowThatIsBoundAgain() {
        bind(window);
        int old = window.stag();
        rig.invalidate(2, old);
        rig.completions();
        bind(window);
        assertNotEquals(old, window.stag());
        rig.feed(write(old));
        assertRefused(0x1100);
    }

    @Test
    void shouldLetThePeerInvalidateAWindowOnce() {
        rig.receive(7, landing);
        rig.receive(8, landing);
        bind(window);
        int key = window.stag();
        rig.feed(sendInvalidate(key));
        Rig.Done received = rig.completions().getFirst();
        assertTrue(received.invalidated());
        assertEquals(key, received.key());
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, SEND_INVALIDATE, key, 0, 2, 0, new byte[0]), true));
        assertRefused(0x0100);
    }

    @Test
    @Requirement("RFC5040-8.1.1-h")
    void shouldRefuseToLetAPeerInvalidateAWindowOfTheDomain() {
        rig.receive(7, landing);
        Window shared = rig.window(false);
        bind(shared);
        rig.feed(sendInvalidate(shared.stag()));
        assertRefused(0x0109);
    }

    @Test
    @Requirement({ "RFC5040-5.3-j", "RFC5040-8.1.1-c", "RFC5042-6.1.1-c" })
    void shouldRefuseToLetAPeerInvalidateTheWindowOfAnotherStream() {
        rig.receive(7, landing);
        int key = window.next();
        assertTrue(window.bind(key, region, START, LENGTH, AccessFlags.REMOTE_WRITE, new Object()));
        rig.feed(sendInvalidate(key));
        assertRefused(0x0109);
    }

    @Test
    @Requirement({ "RFC5040-5.3-j", "RFC5040-8.1.1-b" })
    void shouldRefuseToLetAPeerInvalidateAWindowOfAnotherDomain() {
        rig.receive(7, landing);
        RegisteredMemory foreign = rig.foreignRegion(SIZE, Access.LOCAL_WRITE);
        Window other = rig.foreignWindow(true);
        int key = other.next();
        assertTrue(other.bind(key, foreign, 0, SIZE, AccessFlags.REMOTE_WRITE, new Object()));
        rig.feed(sendInvalidate(key));
        assertRefused(0x0109);
        // Bound to one stream, it could be bound anew only if it had been invalidated.
        assertFalse(other.bind(other.next(), foreign, 0, SIZE, AccessFlags.REMOTE_WRITE, new Object()), "it is still bound");
    }

    @Test
    void shouldRefuseAWindowWhoseRegionIsDeregistered() {
        bind(window);
        rig.deregister(region);
        rig.feed(write(window.stag()));
        assertRefused(0x1100);
    }

    /** The peer holds the payload back until the window is invalidated and bound again to the very same memory. */
    @Test
    @Requirement({ "RFC5040-8.1.1-g", "RFC5041-8.3.1-g", "RFC5042-6.2.2-b" })
    void shouldNotPlaceWhatAnOldKeyAnnounced() {
        bind(window);
        int old = window.stag();
        byte[] first = Forge.fpdu(Forge.tagged(LAST_TAGGED & ~0x40, WRITE, old, region.base() + START, new byte[] { Rig.GUARD }), true);
        byte[] second = Forge.fpdu(Forge.tagged(LAST_TAGGED, WRITE, old, region.base() + START + 1, Forge.payload(LENGTH - 1)), true);
        rig.feed(first);
        int head = second.length - LENGTH;
        rig.feed(second, 0, head);
        assertEquals(StreamState.RTS, rig.stream().state());
        rig.invalidate(2, old);
        rig.bind(3, window, region, START, LENGTH, Access.REMOTE_WRITE, Access.REMOTE_READ);
        byte[] before = region.segment().toArray(ValueLayout.JAVA_BYTE);
        rig.feed(second, head, second.length);
        assertEquals(0x1100, rig.errorCode());
        assertEquals(-1, region.segment().mismatch(MemorySegment.ofArray(before)));
    }

    @Test
    void shouldFailToInvalidateAWindowOfTheDomain() {
        Window shared = rig.window(false);
        bind(shared);
        rig.invalidate(2, shared.stag());
        assertEquals(CompletionStatus.LOCAL_QP_OPERATION_ERROR, rig.completions().getFirst().status());
    }

    /** Such a window keeps its place in the table: later bindings on other queue pairs work. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFailToInvalidateAWindowThatWasNeverBound(boolean ofOneStream) {
        Window fresh = rig.window(ofOneStream);
        rig.invalidate(1, fresh.stag());
        assertEquals(CompletionStatus.LOCAL_QP_OPERATION_ERROR, rig.completions().getFirst().status());
        Rig other = rig.sibling(Rig.Options.of(true));
        other.bind(2, fresh, region, START, LENGTH, Access.REMOTE_WRITE);
        assertEquals(CompletionStatus.SUCCESS, other.completions().getFirst().status());
        assertNotEquals(0, fresh.stag());
        other.feed(write(fresh.stag()));
        assertEquals(StreamState.RTS, other.stream().state());
        assertEquals(-1, region.segment().asSlice(START, LENGTH).mismatch(MemorySegment.ofArray(PAYLOAD)));
    }

    @Test
    void shouldFailToInvalidateAWindowTwice() {
        bind(window);
        int key = window.stag();
        rig.invalidate(2, key);
        assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
        rig.invalidate(3, key);
        assertEquals(CompletionStatus.LOCAL_QP_OPERATION_ERROR, rig.completions().getFirst().status());
    }

    @Test
    void shouldFlushABindingBehindOneThatFails() {
        bind(window);
        int key = window.stag();
        rig.bind(2, window, region, 0, 8, Access.REMOTE_READ);
        rig.bind(3, window, region, 0, 8, Access.REMOTE_READ);
        assertEquals(List.of(CompletionStatus.MEMORY_WINDOW_BIND_ERROR, CompletionStatus.FLUSHED),
                rig.completions().stream().map(Rig.Done::status).toList());
        assertEquals(key, window.stag(), "neither binding was made");
    }
}
