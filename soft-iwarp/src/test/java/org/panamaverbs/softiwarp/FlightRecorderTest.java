package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.Program;

/** The events of a connection in a recording of the Flight Recorder, from registration to Terminate. */
class FlightRecorderTest {
    private static final int SIZE = 4096;

    @TempDir
    private Path folder;

    @Test
    void shouldRecordAConnectionFromItsBeginToItsTerminate() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("panamaverbs.SlowOperation").with("longerThan", "1 ns");
            recording.start();
            WriteBeyond.run(SoftIwarp.settings("nio"), SIZE);
            events = dump(recording);
        }
        assertAll(() -> assertEquals(2, named(events, "panamaverbs.ConnectionEstablished").size()),
                () -> assertEquals(1,
                        named(events, "panamaverbs.ConnectionEstablished").stream().filter(event -> event.getBoolean("initiator")).count()),
                () -> assertTerminates(named(events, "panamaverbs.Terminate")),
                () -> assertEnds(named(events, "panamaverbs.ConnectionEnded")),
                () -> assertMemory(named(events, "panamaverbs.MemoryRegistration")),
                () -> assertMemory(named(events, "panamaverbs.MemoryDeregistration")),
                () -> assertSlow(named(events, "panamaverbs.SlowOperation")));
    }

    @ParameterizedTest
    @CsvSource({ "epoll, TCP", "shared-memory, shared memory" })
    void shouldRecordThePathOfAConnection(String transport, String path) throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.start();
            WriteBeyond.run(SoftIwarp.settings(transport), SIZE);
            events = dump(recording);
        }
        assertEquals(List.of(path, path),
                named(events, "panamaverbs.ConnectionEstablished").stream().map(event -> event.getString("path")).toList());
    }

    @Test
    void shouldNotRecordOperationsUnlessAsked() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.start();
            WriteBeyond.run(SoftIwarp.settings("nio"), SIZE);
            events = dump(recording);
        }
        assertFalse(named(events, "panamaverbs.ConnectionEnded").isEmpty());
        assertEquals(List.of(), named(events, "panamaverbs.SlowOperation"));
    }

    @Test
    void shouldNotRecordFastOperations() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("panamaverbs.SlowOperation").with("longerThan", "10 m");
            recording.start();
            WriteBeyond.run(SoftIwarp.settings("nio"), SIZE);
            events = dump(recording);
        }
        assertFalse(named(events, "panamaverbs.ConnectionEnded").isEmpty());
        assertEquals(List.of(), named(events, "panamaverbs.SlowOperation"));
    }

    private List<RecordedEvent> dump(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
    }

    private static void assertTerminates(List<RecordedEvent> terminates) {
        assertEquals(List.of("received", "sent"), terminates.stream().map(event -> event.getString("direction")).sorted().toList());
        // DDP, tagged buffer error, base or bounds violation (RFC 5041, 7.2).
        terminates.forEach(event -> assertEquals(List.of(1, 1, 1),
                List.of(event.getInt("layer"), event.getInt("type"), event.getInt("code")), event::toString));
    }

    private static void assertEnds(List<RecordedEvent> ends) {
        assertEquals(List.of("local error", "remote error"), ends.stream().map(event -> event.getString("cause")).sorted().toList());
        ends.forEach(event -> assertTrue(event.getDuration("lifetime").toNanos() > 0 && event.getString("reason").contains("bounds"),
                event::toString));
        ends.forEach(event -> assertEquals(SIZE, event.getLong("bytesReceived"), event::toString));
    }

    private static void assertMemory(List<RecordedEvent> events) {
        assertEquals(2, events.size());
        events.forEach(event -> assertEquals(SIZE, event.getLong("length")));
    }

    private static void assertSlow(List<RecordedEvent> slow) {
        assertTrue(slow.stream().anyMatch(event -> event.getString("operation").equals("write") && event.getLong("length") == SIZE
                && event.getDuration("took").toNanos() > 0), slow::toString);
        assertTrue(slow.stream().anyMatch(event -> event.getString("operation").equals("turn")), slow::toString);
    }

    @Test
    void shouldWorkOnARuntimeWithoutTheRecorder() throws Exception {
        assertEquals("false", recorder("--limit-modules", "java.base,java.naming,jdk.unsupported"));
        assertEquals("true", recorder());
    }

    /** The output of {@link WriteBeyond} in a process of its own with these options. */
    private String recorder(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), WriteBeyond.class.getName(), "transport=nio"));
        Path output = folder.resolve("said");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        return Program.finished(process, output).lines().reduce((first, last) -> last).orElse("");
    }
}
