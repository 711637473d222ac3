package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.TestClasses;

/**
 * Netty's NIO transport and ours do the same: each operation of a channel in each state, each option, and sequences at both ends.
 * target/transcript has both. The file differences.txt has the differences that docs/reference/suites.md explains, with our results.
 * {@code -Dtranscript.transport=epoll} takes another transport of soft-iwarp.
 */
class TranscriptTest {
    private static Map<String, String> transcript(String transport) throws Exception {
        Map<String, String> lines = new LinkedHashMap<>();
        try (TranscriptPlace place = new TranscriptPlace(transport)) {
            new Transcript(place, lines).write();
            new ServerTranscript(place, lines).write();
            new OptionTranscript(place, lines).write();
            new ScenarioTranscript(place, lines).write();
        }
        Path folder = Files.createDirectories(TestClasses.module().resolve("target/transcript"));
        Files.write(folder.resolve(transport), lines.entrySet().stream().map(line -> line.getKey() + ": " + line.getValue()).toList());
        return lines;
    }

    private static List<String> listed() throws IOException {
        return Files.readAllLines(TestClasses.module().resolve("src/test/resources/differences.txt")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }

    /** A difference that is not listed fails, and so does one that is listed and has gone. */
    @Test
    void shouldDifferFromNioWhereTheListSaysSo() throws Exception {
        Map<String, String> nio = transcript("tcp");
        Map<String, String> verbs = transcript("verbs");
        assertTrue(nio.size() > 4000, nio.size() + " lines");
        assertEquals(nio.keySet(), verbs.keySet());
        List<String> differences = new ArrayList<>();
        StringBuilder unlisted = new StringBuilder();
        verbs.forEach((key, value) -> {
            if (!value.equals(nio.get(key))) {
                differences.add(key + ": " + value);
                unlisted.append(key).append("\n  NIO:   ").append(nio.get(key)).append("\n  verbs: ").append(value).append('\n');
            }
        });
        assertEquals(String.join("\n", listed()), String.join("\n", differences), unlisted::toString);
        LeakRecorder.check();
    }
}
