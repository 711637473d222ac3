package org.panamaverbs.tools.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Files below a root: those of the system, or of a test. What cannot be read counts as absent. */
record Tree(Path root) {
    Path path(String name) {
        return root.resolve(name);
    }

    boolean has(String name) {
        try {
            return Files.exists(path(name));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** {@return whether this user may read and write it} */
    boolean isOpen(String name) {
        return Files.isReadable(path(name)) && Files.isWritable(path(name));
    }

    /** {@return the text of a small file, without the end of its last line} */
    Optional<String> text(String name) {
        try {
            return Optional.of(Files.readString(path(name), StandardCharsets.ISO_8859_1).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** {@return the first line of a file that begins so, without that beginning} */
    Optional<String> line(String name, String beginning) {
        return text(name).stream().flatMap(String::lines).filter(line -> line.startsWith(beginning))
                .map(line -> line.substring(beginning.length()).strip()).findFirst();
    }

    /** {@return the names in a folder, in order; none if it is not there} */
    List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(path(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
