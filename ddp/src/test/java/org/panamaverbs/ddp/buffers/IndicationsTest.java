package org.panamaverbs.ddp.buffers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.RegisteredBuffer;

/** The ring of indications. */
class IndicationsTest {
    private final List<String> taken = new ArrayList<>();
    private final IndicationTaker taker = new IndicationTaker() {
        @Override
        public void message(RegisteredBuffer into, long offset, long length, int queue, int octet, int word, Object source) {
            taken.add("message " + offset + " " + length + " " + queue + " " + octet + " " + word + " " + source);
        }

        @Override
        public void notification(int messageId, int octet, Object source) {
            taken.add("notification " + messageId + " " + octet + " " + source);
        }

        @Override
        public void end(VerbsException reason, Object source) {
            taken.add("end " + (reason == null ? "" : reason.getMessage()));
        }
    };

    @Test
    void shouldKeepTheOrderWhileItGrows() {
        Indications indications = new Indications(10);
        int next = 0;
        int expected = 0;
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < round % 7 + 1; i++) {
                indications.addNotification(next++, 3, "peer");
            }
            for (int i = 0; i < round % 5; i++) {
                assertTrue(indications.take(taker));
                assertEquals("notification " + expected++ + " 3 peer", taken.getLast());
            }
        }
        while (indications.take(taker)) {
            assertEquals("notification " + expected++ + " 3 peer", taken.getLast());
        }
        assertEquals(next, expected);
        assertEquals(next, indications.total());
    }

    @Test
    void shouldSayWhenTheSocketMustStop() {
        Indications indications = new Indications(2);
        indications.addNotification(1, 0, null);
        assertFalse(indications.isFull());
        indications.addNotification(2, 0, null);
        assertTrue(indications.isFull());
        indications.take(taker);
        assertFalse(indications.isFull());
    }

    @Test
    void shouldGiveTheFieldsOfAMessage() {
        Indications indications = new Indications(2);
        Receive receive = new Receive();
        receive.set(null, 40, 50);
        indications.addMessage(receive, 7, 2, 0xA5, -1, "peer");
        assertTrue(indications.take(taker));
        assertEquals(List.of("message 40 7 2 165 -1 peer"), taken);
    }

    @Test
    void shouldEndOnceAndLast() {
        Indications indications = new Indications(2);
        indications.addNotification(1, 0, null);
        indications.end(new ClosedException("first"), null);
        indications.end(null, null);
        assertTrue(indications.isEnded());
        assertTrue(indications.take(taker));
        assertFalse(indications.isOver());
        assertTrue(indications.take(taker));
        assertEquals("end first", taken.getLast());
        assertTrue(indications.isOver());
        assertFalse(indications.take(taker));
    }
}
