package org.panamaverbs.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The pages for people: not those that are made, and not those of tests. */
final class Pages {
    static final Path ROOT = Path.of("..", "..");
    private static final List<String> FOLDERS = List.of("", "docs", "docs/reference", "docs/conformance", "examples",
            "examples/loopback-provider", "benchmarks", "bindings", "proofs/lab");

    private Pages() {
    }

    /** From the root of the project, for example {@code docs/memory.md}. */
    static List<String> all() throws IOException {
        return FOLDERS.stream().flatMap(Pages::in).sorted().toList();
    }

    private static Stream<String> in(String folder) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".md")).map(file -> ROOT.relativize(file).toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String page) throws IOException {
        return Files.readString(ROOT.resolve(page));
    }
}
