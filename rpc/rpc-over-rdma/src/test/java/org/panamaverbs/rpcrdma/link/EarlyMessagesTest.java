package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EarlyMessagesTest {
    private final List<String> received = new ArrayList<>();
    private boolean fails;
    private final EarlyMessages messages = new EarlyMessages((receive, length, invalidated, handle) -> {
        if (fails) {
            fails = false;
            throw new OutOfMemoryError("of a test");
        }
        received.add(receive + ": " + length + (invalidated ? ", invalidates " + handle : ""));
    });

    @Test
    void shouldKeepMessagesInTheirOrderUntilItIsOpened() {
        messages.onMessage(3, 100, false, 0);
        messages.onMessage(1, 200, true, 7);
        assertEquals(List.of(), received);
        messages.open();
        assertEquals(List.of("3: 100", "1: 200, invalidates 7"), received);
        messages.onMessage(2, 300, false, 0);
        assertEquals("2: 300", received.getLast());
        messages.open();
        assertEquals(3, received.size());
    }

    @Test
    void shouldPassNothingOnOutOfOrderThoughTheReceiverThrows() {
        messages.onMessage(1, 1, false, 0);
        messages.onMessage(2, 2, false, 0);
        fails = true;
        assertThrows(OutOfMemoryError.class, messages::open);
        messages.onMessage(3, 3, false, 0);
        assertEquals(List.of(), received);
        messages.open();
        assertEquals(List.of("2: 2", "3: 3"), received);
    }
}
