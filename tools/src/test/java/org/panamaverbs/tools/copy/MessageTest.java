package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.panamaverbs.tools.shared.Failure;

class MessageTest {
    private final MemorySegment buffer = Arena.ofAuto().allocate(Message.LENGTH);

    @Test
    void shouldComeBackFromItsBytes() {
        Message message = new Message(Message.Kind.PUT, 0x99aabbcc, 3L << 30, -1, "näme");
        assertEquals(message, Message.decode(buffer.asSlice(0, message.encode(buffer))));
    }

    @Test
    void shouldRefuseEveryShorterMessage() {
        long length = Message.put("name", 1, false).encode(buffer);
        for (long cut = 0; cut < length; cut++) {
            MemorySegment part = buffer.asSlice(0, cut);
            assertThrows(Failure.class, () -> Message.decode(part), "of " + cut + " bytes");
        }
    }

    @Test
    void shouldRefuseOrTakeWhateverComes() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            long length = Message.put("name", 1, false).encode(buffer);
            buffer.set(ValueLayout.JAVA_BYTE, random.nextLong(length), (byte) random.nextInt());
            try {
                Message.decode(buffer.asSlice(0, random.nextLong(length + 1)));
            } catch (Failure e) {
                // Refused.
            }
        }
    }
}
