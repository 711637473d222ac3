package org.panamaverbs.testing.fuzz;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.panamaverbs.testing.TestClasses;

/** A target of the module. */
record FuzzTarget(Class<?> type) {
    private static final String SUFFIX = "Fuzz";

    static List<FuzzTarget> all() {
        return TestClasses.all().stream().filter(type -> type.getSimpleName().endsWith(SUFFIX)).map(FuzzTarget::new).toList();
    }

    static Path corpora() {
        return TestClasses.module().resolve("src/test/fuzz");
    }

    String name() {
        return type.getSimpleName();
    }

    Path corpus() {
        return corpora().resolve(name());
    }

    List<Path> inputs() throws IOException {
        if (!Files.isDirectory(corpus())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(corpus())) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    void run(byte[] input) throws Throwable {
        MethodHandle target = MethodHandles.publicLookup().findStatic(type, "fuzzerTestOneInput",
                MethodType.methodType(void.class, byte[].class));
        target.invoke(input);
    }
}
