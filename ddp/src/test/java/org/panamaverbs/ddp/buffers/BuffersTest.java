package org.panamaverbs.ddp.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.testing.Proofs;

/** Registrations of a socket or group: their STags, and the time for which an STag is not used again. */
class BuffersTest {
    private static final long QUARANTINE = 1000;

    private final MemorySegment memory = Arena.ofAuto().allocate(100);
    private final ArrayDeque<Integer> random = new ArrayDeque<>();
    private long now;
    private int released;
    private final Buffers buffers = new Buffers(random::remove, () -> now, QUARANTINE);

    private Buffer register(BufferAttributes attributes) {
        return buffers.register(memory, attributes, null, () -> released++);
    }

    @Test
    void shouldChooseAnStagThatIsFree() {
        random.addAll(List.of(0, 1, 77));
        assertEquals(77, register(BufferAttributes.DEFAULT).address().stag());
        random.addAll(List.of(77, 78));
        assertEquals(78, register(BufferAttributes.DEFAULT).address().stag());
    }

    @Test
    void shouldNotUseAnStagAgainForSomeTime() {
        Buffer first = register(BufferAttributes.DEFAULT.withStag(5));
        first.close();
        assertNull(buffers.find(5));
        now = QUARANTINE - 1;
        random.addAll(List.of(5, 6));
        assertEquals(6, register(BufferAttributes.DEFAULT).address().stag());
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(5)));
        now = QUARANTINE;
        assertSame(register(BufferAttributes.DEFAULT.withStag(5)), buffers.find(5));
    }

    private void fillQuarantine() {
        for (int stag = 2; stag < 2 + Buffers.MAXIMUM; stag++) {
            register(BufferAttributes.DEFAULT.withStag(stag)).close();
        }
    }

    /** A peer may make a program register and close a buffer for each message. Each must not search all STags in quarantine. */
    @Test
    @Timeout(5)
    @Tag(Proofs.TAG)
    void shouldRegisterQuicklyHoweverManyStagsAreInQuarantine() {
        fillQuarantine();
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(2)));
    }

    @Test
    void shouldKeepSoManyStagsInQuarantineAtMost() {
        fillQuarantine();
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(2)));
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(1 + Buffers.MAXIMUM)));
        // The oldest may be used before its time, so that the quarantine has an end, and only the oldest.
        register(BufferAttributes.DEFAULT.withStag(2 + Buffers.MAXIMUM)).close();
        register(BufferAttributes.DEFAULT.withStag(3 + Buffers.MAXIMUM)).close();
        register(BufferAttributes.DEFAULT.withStag(2)).close();
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(5)));
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(2)));
    }

    @Test
    void shouldTellNeighbouringStagsApart() {
        Buffer five = register(BufferAttributes.DEFAULT.withStag(5));
        Buffer six = register(BufferAttributes.DEFAULT.withStag(6));
        assertNotEquals(five, six);
        assertSame(five, buffers.find(5));
        assertSame(six, buffers.find(6));
    }

    @Test
    void shouldReleaseTheArenaOnce() {
        Buffer buffer = register(BufferAttributes.DEFAULT.withStag(5));
        buffer.close();
        buffer.close();
        assertEquals(1, released);
        assertThrows(IllegalArgumentException.class, () -> register(BufferAttributes.DEFAULT.withStag(5)));
        assertEquals(2, released, "a registration that fails releases it, too");
    }

    @Test
    void shouldEndAllWithTheSocket() {
        register(BufferAttributes.DEFAULT.withStag(5));
        register(BufferAttributes.DEFAULT.withStag(6));
        buffers.close();
        assertNull(buffers.find(5));
        assertNull(buffers.find(6));
        assertEquals(2, released);
        assertThrows(ClosedException.class, () -> register(BufferAttributes.DEFAULT.withStag(7)));
    }
}
