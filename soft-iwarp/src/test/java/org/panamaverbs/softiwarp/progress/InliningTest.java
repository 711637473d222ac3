package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.mpa.FpduReader;

/** HotSpot compiles the code of receiving and that of transmitting once, and not again for each method that calls them. */
final class InliningTest {
    /** FreqInlineSize: HotSpot inlines no method with more bytes of bytecode than this. */
    private static final int MOST_INLINED = 325;
    private static final Pattern INSTRUCTION = Pattern.compile("(?m)^ +([0-9]+): [a-z]");

    @Test
    void shouldNotInlineTheTurnOfADriver() {
        assertTooLong(StreamDriver.class, "turn");
    }

    @Test
    void shouldNotInlineTransmission() {
        assertTooLong(StreamSender.class, "transmitAll");
    }

    @Test
    void shouldNotInlineTheCodeForWholeFpdus() {
        assertTooLong(FpduReader.class, "parseHeader");
    }

    private static void assertTooLong(Class<?> type, String method) {
        String code = disassemble(type).split(" " + method + "\\([^\n]*\n")[1].split("\n\n")[0];
        int last = INSTRUCTION.matcher(code).results().mapToInt(found -> Integer.parseInt(found.group(1))).max().orElseThrow();
        assertTrue(last >= MOST_INLINED, () -> type.getSimpleName() + "." + method + " has " + (last + 1) + " bytes of bytecode, and"
                + " HotSpot inlines it: join it with a method that it alone calls");
    }

    private static String disassemble(Class<?> type) {
        ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text);
        String classes = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        assertEquals(0, javap.run(writer, writer, "-p", "-c", "-cp", classes, type.getName()), text::toString);
        return text.toString().replace(System.lineSeparator(), "\n");
    }
}
