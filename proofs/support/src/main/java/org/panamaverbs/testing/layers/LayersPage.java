package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.panamaverbs.testing.TestClasses;

/** The page with the layers of a module. With {@code -Dlayers.write=true} a test writes the table anew. */
final class LayersPage {
    private LayersPage() {
    }

    /**
     * Checks that the page has the table.
     *
     * @param page from the folder of the whole project
     */
    static void check(String page, String table) throws IOException {
        Path file = TestClasses.project().resolve(page);
        String begin = "<!-- layers of " + TestClasses.module().getFileName() + ", made from LayersTest: do not edit -->\n\n";
        String end = "\n<!-- end of layers -->\n";
        String text = Files.readString(file);
        int from = text.indexOf(begin);
        int to = text.indexOf(end, from);
        assertTrue(from >= 0 && to > 0, () -> file + " lacks the lines " + begin + end);
        String expected = text.substring(0, from) + begin + table + text.substring(to);
        if (Boolean.getBoolean("layers.write")) {
            Files.writeString(file, expected);
            text = expected;
        }
        assertEquals(expected, text, () -> file + " is not up to date: run with -Dlayers.write=true");
    }
}
