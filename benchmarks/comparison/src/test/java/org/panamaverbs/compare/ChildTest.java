package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its children are started by sh")
class ChildTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void shouldHearWhatItSays() throws Exception {
        try (Child child = shell("echo one; echo two >&2", LIMIT)) {
            assertEquals("one\n", child.awaitOutput());
        }
    }

    @Test
    void shouldSayInOneLineWhyItFailed() throws Exception {
        try (Child child = shell("echo progress; echo first >&2; echo last words >&2; exit 3", LIMIT)) {
            ProgramException failure = assertThrows(ProgramException.class, child::awaitOutput);
            assertEquals("shell failed with status 3: last words", failure.getMessage());
        }
    }

    @Test
    void shouldSayThatItWasKilled() throws Exception {
        try (Child child = shell("kill -9 $$", LIMIT)) {
            ProgramException failure = assertThrows(ProgramException.class, child::awaitOutput);
            assertEquals("shell was ended by signal 9", failure.getMessage());
        }
    }

    @Test
    void shouldNotWaitForever() throws Exception {
        try (Child child = shell("sleep 60", Duration.ofMillis(200))) {
            assertThrows(ProgramException.class, child::awaitOutput);
            assertThrows(ProgramException.class, child::awaitPort);
        }
    }

    @Test
    void shouldHearWhereItListens() throws Exception {
        try (Child child = shell("echo hello; echo listening on 4711; sleep 60", LIMIT)) {
            assertEquals("4711", child.awaitPort());
        }
    }

    @Test
    void shouldNotWaitForAServerThatEnded() throws Exception {
        try (Child child = shell("echo no port is free >&2; exit 1", LIMIT)) {
            assertThrows(ProgramException.class, child::awaitPort);
        }
    }

    @Test
    void shouldLeaveNoChildOfItsChildBehind(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("pid");
        try (Child child = shell("sh -c 'echo $$ > " + file + "; echo listening on 1; sleep 60' & wait", LIMIT)) {
            child.awaitPort();
        }
        long grandchild = Long.parseLong(Files.readString(file).strip());
        ProcessHandle handle = ProcessHandle.of(grandchild).orElse(null);
        if (handle != null) {
            handle.onExit().get(60, java.util.concurrent.TimeUnit.SECONDS);
        }
        assertFalse(ProcessHandle.of(grandchild).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void shouldNameAProgramThatIsNotThere() {
        ProgramException failure = assertThrows(ProgramException.class,
                () -> new Child("nobody", List.of("/does/not/exist"), Map.of(), LIMIT).awaitOutput());
        assertTrue(failure.getMessage().startsWith("nobody "), failure.getMessage());
    }

    /** iperf3 is refused with status 0. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 255 })
    void shouldComeAgainWhileTheServerDoesNotListenYet(int status, @TempDir Path folder) throws Exception {
        Path tried = folder.resolve("tried");
        String client = "if [ -e " + tried + " ]; then echo met; else touch " + tried + "; echo Connection refused >&2; exit " + status
                + "; fi";
        assertEquals("met\n", Programs.meet("pair", List.of("sleep", "60"), List.of("sh", "-c", client), Map.of(), LIMIT));
    }

    @Test
    void shouldNotComeAgainOnceTheServerHasDied() {
        ProgramException failure = assertThrows(ProgramException.class,
                () -> Programs.meet("pair", List.of("sh", "-c", "echo broken >&2; exit 1"),
                        List.of("sh", "-c", "sleep 0.2; echo Connection refused >&2; exit 1"), Map.of(), LIMIT));
        assertEquals("pair (server) failed with status 1: broken", failure.getMessage());
    }

    @Test
    void shouldNameAMissingCompilerOrSource(@TempDir Path folder) throws Exception {
        Peer peer = Peers.compile("C frames", folder.resolve("missing.c"), folder.resolve("program"));
        assertAll(() -> assertFalse(peer.isPresent()), () -> assertFalse(peer.missing().isBlank()));
    }

    private static Child shell(String script, Duration limit) throws ProgramException {
        return new Child("shell", List.of("sh", "-c", script), Map.of(), limit);
    }
}
