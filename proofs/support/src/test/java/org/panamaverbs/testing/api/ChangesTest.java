package org.panamaverbs.testing.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.Program;

/** A small module is changed on purpose, one change at a time. */
class ChangesTest {
    private static final String QUEUE = """
            package a;

            public interface Queue {
                int LEAST = 4;

                int depth();

                long poll(java.util.List<String> into);

                @org.panamaverbs.Incubating
                void peek();

                sealed interface Part permits Head, Tail {
                }

                record Head(int length) implements Part {
                }

                record Tail(int length) implements Part {
                }

                enum State {
                    OPEN, CLOSED
                }

                @org.panamaverbs.Incubating
                class Young {
                    public int age;
                }
            }
            """;
    private static final String ABSTRACT_QUEUE = """
            package a.spi;

            public abstract class AbstractQueue implements a.Queue {
                protected AbstractQueue() {
                }

                private int hidden() {
                    return 1;
                }

                protected int shown() {
                    return hidden();
                }
            }
            """;
    private static final String MARK = "package org.panamaverbs;\n\npublic @interface Incubating {\n}\n";

    private static byte[] recorded;

    @TempDir
    static Path folder;

    @BeforeAll
    static void record() throws IOException {
        recorded = signatures(QUEUE, ABSTRACT_QUEUE);
    }

    private static byte[] signatures(String queue, String abstractQueue) throws IOException {
        Path sources = Files.createTempDirectory(folder, "sources");
        Path classes = Files.createTempDirectory(folder, "classes");
        List<Path> files = new ArrayList<>();
        for (String source : List.of(queue, abstractQueue, MARK)) {
            files.add(Files.writeString(Files.createDirectories(sources.resolve(String.valueOf(files.size()))).resolve(name(source)),
                    source));
        }
        Program.compile(files, classes);
        return Signatures.of(classes);
    }

    private static String name(String source) {
        return source.contains("interface Queue") ? "Queue.java"
                : source.contains("AbstractQueue") ? "AbstractQueue.java" : "Incubating.java";
    }

    private List<Change> changes(String queue, String abstractQueue) throws IOException {
        return Changes.between(recorded, signatures(queue, abstractQueue), "a.spi");
    }

    @Test
    void shouldFindNothingInTheSameSources() throws IOException {
        assertArrayEquals(recorded, signatures(QUEUE, ABSTRACT_QUEUE));
        assertEquals(List.of(), changes(QUEUE, ABSTRACT_QUEUE));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "int depth();                      | long depth();                            | METHOD_RETURN_TYPE_CHANGED",
            "int depth();                      | ''                                       | METHOD_REMOVED",
            "int depth();                      | int depth() throws java.io.IOException;  | METHOD_NOW_THROWS_CHECKED_EXCEPTION",
            "java.util.List<String> into       | java.util.List<Integer> into             | METHOD_PARAMETER_GENERICS_CHANGED",
            "int LEAST = 4;                    | ''                                       | FIELD_REMOVED",
            "OPEN, CLOSED                      | OPEN                                     | FIELD_REMOVED",
            "record Head(int length)           | record Head(int length, int offset)      | CONSTRUCTOR_REMOVED",
            "permits Head, Tail                | permits Head, Tail, Middle               | a.Queue$Part permitted",
            "int depth();                      | @org.panamaverbs.Incubating int depth(); | METHOD_REMOVED", })
    void shouldSeeWhatBreaksPrograms(String before, String after, String expected) throws IOException {
        String changed = QUEUE.replace(before, after);
        if (after.contains("Middle")) {
            changed = changed.replace("enum State", "record Middle() implements Part {\n}\n\nenum State");
        }
        List<Change> found = changes(changed, ABSTRACT_QUEUE);
        assertTrue(found.stream().anyMatch(change -> change.side() == Change.Side.PROGRAMS && change.text().contains(expected)),
                found::toString);
    }

    @Test
    void shouldSeeWhatBreaksProvidersAlone() throws IOException {
        List<Change> found = new ArrayList<>(changes(QUEUE.replace("int depth();", "int depth();\n\nint room();"), ABSTRACT_QUEUE));
        found.addAll(changes(QUEUE, ABSTRACT_QUEUE.replace("protected int shown()", "protected long shown()")));
        found.addAll(changes(QUEUE,
                ABSTRACT_QUEUE.replace("private int hidden() {\n        return 1;\n    }", "protected abstract int hidden();")));
        assertEquals(List.of("a.Queue.room(): METHOD_ADDED_TO_INTERFACE",
                "a.spi.AbstractQueue: METHOD_ABSTRACT_ADDED_IN_IMPLEMENTED_INTERFACE",
                "a.spi.AbstractQueue.shown(): METHOD_RETURN_TYPE_CHANGED", "a.spi.AbstractQueue.hidden(): METHOD_ABSTRACT_ADDED_TO_CLASS"),
                found.stream().map(Change::text).toList());
        assertTrue(found.stream().allMatch(change -> change.side() == Change.Side.PROVIDERS), found::toString);
    }

    /** In a module without a package for providers, programs implement the interfaces. */
    @Test
    void shouldSeeWhatProgramsMustImplement() throws IOException {
        List<Change> found = Changes.between(recorded,
                signatures(QUEUE.replace("int depth();", "int depth();\n\nint room();"), ABSTRACT_QUEUE), "");
        assertEquals(Change.Side.PROGRAMS, found.getFirst().side());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "int depth();     | int depth(); default int room() { return depth(); }",
            "OPEN, CLOSED     | OPEN, BUSY, CLOSED", "void peek();     | int peek(int at);", "public int age;  | public long age;",
            "record Tail(int length) | @Deprecated record Tail(int length)" })
    void shouldLetThePublicSideGrowAndTheMarkedOnesChange(String before, String after) throws IOException {
        assertEquals(List.of(), changes(QUEUE.replace(before, after), ABSTRACT_QUEUE));
    }
}
