package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The handler that gets the events of a channel. */
class RegistrationTest {
    private final List<String> calls = new ArrayList<>();
    private final Registration registration = new Registration(events -> calls.add("first " + events));

    @Test
    void shouldCallTheNextHandlerOnceItIsDirectedThere() {
        assertEquals(1, registration.dispatch(Multiplexer.READABLE));
        registration.direct(events -> calls.add("next " + events));
        assertEquals(1, registration.dispatch(Multiplexer.WRITABLE));
        assertEquals(List.of("first " + Multiplexer.READABLE, "next " + Multiplexer.WRITABLE), calls);
    }

    /** The channel is closed: a handler that takes it over meanwhile hears nothing. */
    @Test
    void shouldCallNoHandlerOfAClosedChannel() {
        registration.cancel();
        registration.direct(events -> calls.add("next " + events));
        assertEquals(0, registration.dispatch(Multiplexer.READABLE));
        assertEquals(List.of(), calls);
    }
}
