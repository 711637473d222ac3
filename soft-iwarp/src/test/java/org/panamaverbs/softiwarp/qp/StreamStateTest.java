package org.panamaverbs.softiwarp.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Every state times every event, as the golden file has it. */
class StreamStateTest {
    @Test
    void shouldMoveAsTheGoldenFileSays() throws IOException {
        StringBuilder table = new StringBuilder();
        for (StreamState state : StreamState.values()) {
            for (StreamState.Event event : StreamState.Event.values()) {
                table.append("%-11s %-13s %s%n".formatted(state, event, state.after(event)).replace(System.lineSeparator(), "\n"));
            }
        }
        try (InputStream golden = StreamStateTest.class.getResourceAsStream("stream-states.txt")) {
            assertEquals(new String(golden.readAllBytes(), StandardCharsets.UTF_8), table.toString());
        }
    }

    @Test
    void shouldStayClosedForEver() {
        for (StreamState.Event event : StreamState.Event.values()) {
            assertEquals(StreamState.CLOSED, StreamState.CLOSED.after(event));
        }
    }
}
