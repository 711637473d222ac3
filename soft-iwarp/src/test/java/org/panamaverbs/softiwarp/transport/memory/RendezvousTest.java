package org.panamaverbs.softiwarp.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;

class RendezvousTest {
    private final Arena arena = Arena.ofShared();
    private final Rendezvous rendezvous = new Rendezvous();
    private final RegisteredMemory source = registered(1000);
    private final MemorySegment sink = arena.allocate(1000);

    @AfterEach
    void close() {
        arena.close();
    }

    private RegisteredMemory registered(int size) {
        MemorySegment memory = arena.allocate(size);
        for (int i = 0; i < size; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        return new RegisteredMemory(memory, this, 0);
    }

    /** Its first and last bytes with something of nobody's between. */
    private IoVector twoParts() {
        IoVector vector = new IoVector(8);
        SgeList list = new SgeList(2);
        list.set(0, source, 0, 300);
        list.set(1, source, 500, 500);
        SgeCursor cursor = new SgeCursor();
        cursor.wrap(list, 0, 2);
        cursor.describe(vector, 800);
        return vector;
    }

    @Test
    void shouldGoToItsPlacePieceByPiece() {
        IoVector from = twoParts();
        assertTrue(rendezvous.isNone());
        rendezvous.offer(from);
        assertEquals(-1, rendezvous.reclaim(), "nobody has taken it");
        assertEquals(310, rendezvous.take(vector(sink, 0, 100, 100, 210)));
        assertTrue(rendezvous.isOffered());
        assertEquals(-1, rendezvous.reclaim(), "some is left");
        assertEquals(490, rendezvous.take(vector(sink, 310, 690)), "there is more room than bytes");
        assertTrue(rendezvous.isTaken());
        assertEquals(0, rendezvous.take(vector(sink, 0, 1)));
        assertEquals(800, rendezvous.reclaim());
        assertTrue(rendezvous.isNone());
        assertEquals(-1, source.segment().asSlice(0, 300).mismatch(sink.asSlice(0, 300)));
        assertEquals(-1, source.segment().asSlice(500, 500).mismatch(sink.asSlice(300, 500)));
        assertEquals(800, from.bytes(), "the writer's vector is left as it was");
    }

    /** Parts of a segment: offset and length, offset and length. */
    private static IoVector vector(MemorySegment segment, long... places) {
        IoVector vector = new IoVector(8);
        for (int i = 0; i < places.length; i += 2) {
            vector.add(segment, places[i], places[i + 1]);
        }
        return vector;
    }

    @Test
    void shouldNotTouchMemoryThatIsRetired() {
        rendezvous.offer(twoParts());
        assertEquals(10, rendezvous.take(vector(sink, 0, 10)));
        assertTrue(source.retire(), "nobody is in it, though it is offered");
        assertEquals(0, rendezvous.take(vector(sink, 10, 10)));
        assertTrue(rendezvous.isTaken(), "the writer is to find out");
        assertEquals(10, rendezvous.reclaim());
        assertEquals(0, sink.get(ValueLayout.JAVA_BYTE, 11));
    }

    @Test
    void shouldEndAtAReadersMemoryThatCannotBeUsed() {
        rendezvous.offer(twoParts());
        assertEquals(0, rendezvous.take(vector(sink.asReadOnly(), 0, 10)));
        assertEquals(0, rendezvous.reclaim());
        MemorySegment closed;
        try (Arena brief = Arena.ofShared()) {
            closed = brief.allocate(10);
        }
        rendezvous.offer(twoParts());
        assertEquals(0, rendezvous.take(vector(closed, 0, 10)));
        assertEquals(0, rendezvous.reclaim());
    }

    @Test
    void shouldBeTakenBackAtAnyTime() throws InterruptedException {
        rendezvous.revoke();
        assertTrue(rendezvous.isNone());
        IoVector into = vector(sink, 0, 7);
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                rendezvous.take(into);
            }
        });
        for (int i = 0; i < 20_000; i++) {
            rendezvous.offer(twoParts());
            rendezvous.revoke();
            assertFalse(rendezvous.isOffered());
            assertTrue(rendezvous.isNone());
        }
        reader.interrupt();
        reader.join();
        assertTrue(source.retire(), "whoever entered has left");
    }
}
