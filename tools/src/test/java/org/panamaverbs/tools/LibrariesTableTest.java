package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The versions in SECURITY.md are those of the class path. */
class LibrariesTableTest {
    @Test
    void shouldNameTheVersionsThatShip() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("..", "SECURITY.md"));
        List<String> named = lines.stream().skip(lines.indexOf("| library | version | used for |") + 2L)
                .takeWhile(line -> line.startsWith("|")).map(line -> line.split(" *[|] *")).map(row -> row[1] + "-" + row[2] + ".jar")
                .toList();
        Set<String> jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).getFileName().toString()).collect(Collectors.toSet());
        assertTrue(named.size() > 5, named::toString);
        assertEquals(List.of(), named.stream().filter(jar -> !jars.contains(jar)).toList());
    }
}
