package org.panamaverbs.softiwarp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs the static initializers of the classes that connections need. One that fails, since the heap is full, breaks its class until the JVM
 * ends (JLS 12.4.2), and with it every later connection. Therefore they run when a device opens, and a failure there fails the opening
 * alone. What a program's own thread initializes when it first registers memory is left to it.
 */
final class StaticInitializers {
    private static final String LIST = "initialized-classes.txt";
    private static final List<String> NAMES = names();

    private StaticInitializers() {
    }

    private static List<String> names() {
        try (InputStream list = StaticInitializers.class.getResourceAsStream(LIST)) {
            return new String(list.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
        } catch (IOException e) {
            throw new IllegalStateException("the jar of soft-iwarp lacks " + LIST, e);
        }
    }

    static void run() {
        for (String name : NAMES) {
            try {
                Class.forName("org.panamaverbs." + name);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("the jar of soft-iwarp lacks the class " + name, e);
            } catch (LinkageError e) {
                // It calls functions that this system lacks, so that no connection needs it here.
                continue;
            }
        }
    }
}
