package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void shouldNameItsSchemaFirst() {
        assertEquals("{\"schema\":\"pverbs.copy\",\"schemaVersion\":1}", Json.line(Json.object("copy")));
    }

    @Test
    void shouldNotLetTextSteerATerminal() throws Exception {
        String text = "\u001B[2J \u007F \u009B \u202E \uD800 \uDB40\uDC01 n\u00E4me";
        Map<String, Object> object = Json.error("copy", text, "peer");
        String line = Json.line(object);
        String lines = Json.lines(object);
        assertAll(() -> assertTrue(line.chars().allMatch(each -> each >= ' ' && each < 0x7f), line),
                () -> assertTrue(lines.chars().allMatch(each -> each == '\n' || each == '\r' || each >= ' ' && each < 0x7f), lines),
                () -> assertEquals(text, new ObjectMapper().readTree(line).get("error").get("message").asText()),
                () -> assertEquals(text, new ObjectMapper().readTree(lines).get("error").get("message").asText()));
    }
}
