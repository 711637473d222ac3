package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each message in docs/reference/errors.md, but for those of the JDK, is one of the sources. Three dots stand for what it fills in. */
class ErrorMessagesTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Set<String> LEFT_OUT = Set.of("target", "test", ".git", "bindings", "proofs");

    @Test
    void shouldBeThoseOfTheSources() throws IOException {
        String sources = sources();
        List<String> messages = messages();
        assertTrue(messages.size() > 30, messages::toString);
        assertEquals(List.of(), messages.stream().filter(message -> !isOf(sources, message)).toList());
    }

    private static List<String> messages() throws IOException {
        String page = Pages.text("docs/reference/errors.md");
        return page.substring(0, page.indexOf("\n## Messages of the JDK")).lines().filter(line -> line.startsWith("| `"))
                .flatMap(line -> CODE.matcher(line.substring(0, line.indexOf(" | "))).results()).map(code -> code.group(1)).toList();
    }

    private static boolean isOf(String sources, String message) {
        return Arrays.stream(message.split("\\.\\.\\.")).map(String::strip).filter(part -> !part.isEmpty()).allMatch(sources::contains);
    }

    /** Literals that a source joins by {@code +} are one text here. */
    private static String sources() throws IOException {
        List<String> texts = new ArrayList<>();
        Files.walkFileTree(Pages.ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return LEFT_OUT.contains(folder.getFileName().toString()) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".java")) {
                    texts.add(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return String.join("\n", texts);
    }
}
