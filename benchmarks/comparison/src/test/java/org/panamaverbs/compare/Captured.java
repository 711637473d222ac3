package org.panamaverbs.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The real output of programs. */
final class Captured {
    private Captured() {
    }

    static String text(String name) throws IOException {
        try (InputStream in = Captured.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
