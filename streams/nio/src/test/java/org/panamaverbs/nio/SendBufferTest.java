package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The send buffer before a stream that changes at the worst moment: the loop's thread looks at the buffer, and does not look again. */
class SendBufferTest {
    private static final int KIB = 1 << 10;
    private static final Runnable NOTHING = () -> {
    };

    private final Stream stream = new Stream();
    private final SendBuffer buffer = new SendBuffer(stream);
    private final ByteArrayOutputStream expected = new ByteArrayOutputStream();

    private final class Stream implements SendBuffer.Sink {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private boolean there = true;
        private int room;
        private IOException failure;
        /** What happens just after the buffer has asked for the stream; once. */
        private Runnable afterLook = NOTHING;
        /** The same after a write. */
        private Runnable afterWrite = NOTHING;

        /** The loop's thread looks at the buffer after each change. */
        private void change(Runnable event) {
            event.run();
            if (event != NOTHING && !buffer.isEmpty()) {
                buffer.send();
            }
        }

        @Override
        public boolean isThere() {
            boolean was = there;
            Runnable event = afterLook;
            afterLook = NOTHING;
            change(event);
            return was;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            if (failure != null) {
                throw failure;
            }
            int count = Math.min(room, from.remaining());
            for (int i = 0; i < count; i++) {
                out.write(from.get());
            }
            room -= count;
            Runnable event = afterWrite;
            afterWrite = NOTHING;
            change(event);
            return count;
        }

        @Override
        public void flush() {
            // Nothing waits in it.
        }
    }

    private int write(int count) throws IOException {
        ByteBuffer from = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            from.put(i, (byte) (expected.size() + i));
        }
        int taken = buffer.write(from);
        assertEquals(from.position(), taken);
        expected.write(from.array(), 0, taken);
        return taken;
    }

    private void checkAllWent() {
        assertTrue(buffer.isEmpty());
        assertEquals(ByteBuffer.wrap(expected.toByteArray()), ByteBuffer.wrap(stream.out.toByteArray()));
    }

    @Test
    void shouldKeepBytesForAStreamWithoutRoom() throws IOException {
        stream.room = 10;
        assertEquals(10 + 64 * KIB, write(100 * KIB));
        assertFalse(buffer.hasRoom());
        assertEquals(0, write(1));
        stream.room = 32 * KIB;
        assertFalse(buffer.send());
        assertTrue(buffer.hasRoom());
        assertEquals(32 * KIB, write(33 * KIB));
        stream.room = 200 * KIB;
        assertTrue(buffer.send());
        checkAllWent();
        assertEquals(KIB, write(KIB));
        checkAllWent();
    }

    @Test
    void shouldUseRoomThatComesWhileItBeginsToWait() throws IOException {
        stream.room = 3;
        stream.afterWrite = () -> stream.room += 1000;
        write(500);
        checkAllWent();
    }

    @Test
    void shouldUseAStreamThatBeginsWhileItBeginsToWait() throws IOException {
        stream.there = false;
        stream.afterLook = () -> {
            stream.there = true;
            stream.room = 1000;
        };
        write(500);
        checkAllWent();
    }

    @Test
    void shouldWaitForAStreamThatBeginsLater() throws IOException {
        stream.there = false;
        write(500);
        assertFalse(buffer.isEmpty());
        stream.there = true;
        stream.room = 1000;
        assertTrue(buffer.send());
        checkAllWent();
    }

    @Test
    void shouldDropWhatAStreamWillNeverTake() throws IOException {
        write(500);
        stream.failure = new IOException("the peer is lost");
        assertTrue(buffer.send());
        assertTrue(buffer.isEmpty());
        assertEquals("the peer is lost", assertThrows(IOException.class, () -> write(1)).getMessage());
    }
}
