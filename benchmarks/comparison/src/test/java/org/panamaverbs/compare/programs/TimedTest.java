package org.panamaverbs.compare.programs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimedTest {
    private final PrintStream before = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void giveBack() {
        System.setOut(before);
    }

    private JsonNode result() throws Exception {
        return new ObjectMapper().readTree(printed.toString(StandardCharsets.UTF_8).lines().toList().getLast());
    }

    @Test
    void shouldWarmUpInParts() throws Exception {
        Timed.listening(7);
        String[] listening = printed.toString(StandardCharsets.UTF_8).strip().split(" ");
        assertEquals("listening on 7", String.join(" ", listening[0], listening[1], listening[2]));
        Timed timed = new Timed(new String[] { "7", "64", "0.1-0.2", "0.5", listening[3] });
        List<Double> parts = new ArrayList<>();
        timed.warmUp(seconds -> {
            parts.add(seconds);
            Thread.sleep(1);
            return new Timed.Figures(10, 0.5, 2.5);
        });
        timed.print(new Timed.Figures(20, 0.5, 1.5), 64, "share", 0.25, "nothing", Double.NaN);
        JsonNode result = result();
        JsonNode warmUp = result.get("warmUp");
        assertAll(result::toString, () -> assertTrue(parts.stream().allMatch(part -> part == 0.05)),
                () -> assertEquals(0.5, timed.seconds()), () -> assertEquals(40, result.get("messagesPerSecond").asDouble()),
                () -> assertEquals(2560, result.get("bytesPerSecond").asDouble()),
                () -> assertEquals(1.5, result.get("p50Micros").asDouble()), () -> assertEquals(0.25, result.get("share").asDouble()),
                () -> assertFalse(result.has("nothing")), () -> assertTrue(warmUp.get("seconds").asDouble() >= 0.2),
                () -> assertFalse(warmUp.get("steady").asBoolean()), () -> assertTrue(warmUp.get("compilerSeconds").asDouble() > 0),
                () -> assertEquals(parts.size(), warmUp.get("messagesPerSecond").size()),
                () -> assertEquals(20, warmUp.get("messagesPerSecond").get(0).asDouble()),
                () -> assertEquals(2.5, warmUp.get("p50Micros").get(0).asDouble()));
    }

    @Test
    void shouldRepeatAStepOnceAtLeast() throws Exception {
        int[] steps = new int[2];
        new Timed(new String[] { "", "", "0-0", "0" }).measure(8, () -> steps[0]++, () -> steps[1]++);
        JsonNode result = result();
        assertAll(result::toString, () -> assertEquals(2, steps[0]), () -> assertEquals(2, steps[1]),
                () -> assertTrue(result.get("messagesPerSecond").asDouble() > 0), () -> assertFalse(result.has("p50Micros")),
                () -> assertEquals(0, result.get("warmUp").get("p50Micros").size()));
    }
}
