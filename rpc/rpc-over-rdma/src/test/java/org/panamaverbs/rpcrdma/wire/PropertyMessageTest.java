package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.wire.HeaderReader.Outcome;

/** Sets of properties as large as a message can hold: the draft limits neither how many there are nor their numbers. */
class PropertyMessageTest {
    private static final int MANY = 3000;

    @Test
    void shouldTakeAsManyPropertiesAsTheMessageHas() {
        PropertyMessage written = new PropertyMessage();
        for (int i = 0; i < MANY; i++) {
            written.add(i == MANY - 1 ? PropertyMessage.RECEIVE_BUFFER_SIZE : 1000 + i, i);
        }
        written.putInFirst(MANY - 1);
        MemorySegment into = MemorySegment.ofArray(new byte[64 + 12 * MANY + MANY / 8]);
        long end = written.encode(into, 0, 1, 1, Wire.CONNPROP);
        HeaderReader reader = new HeaderReader();
        assertEquals(Outcome.SOUND, reader.parse(into, 0, end, 2, 2));
        PropertyMessage read = reader.properties();
        assertEquals(MANY, read.count());
        assertEquals(PropertyMessage.RECEIVE_BUFFER_SIZE, read.id(MANY - 1));
        assertEquals(MANY - 1, read.value(MANY - 1));
        assertTrue(read.isInFirst(MANY - 1));
        assertFalse(read.isInFirst(MANY - 2));
    }

    @Test
    void shouldForgetTheSubsetsOfTheMessageBefore() {
        PropertyMessage message = new PropertyMessage();
        message.putInFirst(70);
        message.putInSecond(3);
        message.clear();
        assertFalse(message.isInFirst(70));
        assertFalse(message.isInSecond(3));
        assertFalse(message.isInFirst(1_000_000));
        MemorySegment into = MemorySegment.ofArray(new byte[64]);
        assertEquals(28, message.encode(into, 0, 1, 1, Wire.RESPROP));
    }
}
