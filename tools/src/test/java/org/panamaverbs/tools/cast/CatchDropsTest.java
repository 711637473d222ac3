package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** A cast to another STag than that of the catch, which is a process of its own and is ended by a signal. */
@Tag(Proofs.TAG)
class CatchDropsTest {
    private static final int SIZE = 1_000_000;
    private static final String WORDS = " for another STag than 0x1234 (is --stag the same at both ends?)";

    @TempDir
    private Path folder;
    private Path source;

    @BeforeEach
    void makeSource() throws IOException {
        source = Files.write(folder.resolve("source"), new byte[SIZE]);
    }

    private Program.Server startCatch(String url, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("catch", folder.resolve("target").toString(), url, "--size", "" + SIZE, "--stag", "0x1234", "--notify", "7"));
        arguments.addAll(List.of(more));
        return new Program.Server(arguments.toArray(String[]::new));
    }

    private Program.Outcome cast(Program.Server to, String... more) {
        List<String> arguments = new ArrayList<>(List.of("cast", source.toString(), to.address(), "--notify", "7"));
        arguments.addAll(List.of(more));
        return Program.run(arguments.toArray(String[]::new));
    }

    @Test
    void shouldSayWhatIsDroppedAndAgainWhenItIsEnded() throws Exception {
        try (Program.Server caught = startCatch("udp://127.0.0.1:0")) {
            Program.Outcome cast = cast(caught, "--stag", "0x5");
            assertAll(() -> assertEquals(0, cast.status(), cast.errors()),
                    () -> assertTrue(cast.out().contains("nothing says what arrived"), cast.out()));
            String live = caught.await(WORDS);
            assertTrue(live.matches("(\\d+) messages? dropped: \\1 .*"), live);
            caught.end();
            caught.await("octets never came");
            List<String> last = caught.said().lines().dropWhile(line -> !line.startsWith("ended before")).toList();
            assertAll(caught::said, () -> assertEquals("ended before FILE was whole: nothing is kept", last.getFirst()),
                    () -> assertTrue(
                            last.stream()
                                    .anyMatch(line -> line.matches("(\\d+) messages dropped: \\1" + java.util.regex.Pattern.quote(WORDS))),
                            caught::said),
                    () -> assertEquals(SIZE + " octets never came", last.getLast()));
        }
        assertFalse(Files.exists(folder.resolve("target")));
    }

    @Test
    void shouldSayWhatWasDroppedAsJsonWhenItIsEnded() throws Exception {
        try (Program.Server caught = startCatch("udp://127.0.0.1:0", "--json")) {
            cast(caught, "--stag", "0x5");
            caught.await(WORDS);
            caught.end();
            JsonNode object = new ObjectMapper().readTree(caught.await("{"));
            assertAll(object::toString, () -> assertFalse(object.get("kept").asBoolean()),
                    () -> assertEquals(SIZE, object.get("missing").asInt()),
                    () -> assertTrue(object.get("dropped").get("unknownStags").asLong() > 0));
        }
    }

    @Test
    void shouldTellASenderOverTcp() throws Exception {
        try (Program.Server caught = startCatch("tcp://127.0.0.1:0")) {
            Program.Outcome strange = cast(caught, "--stag", "0x5");
            assertAll(() -> assertEquals(1, strange.status(), strange.out()),
                    () -> assertEquals("pverbs: " + caught.address()
                            + " has not got the whole file: compare --stag, --notify and --size of " + "both ends, and see what catch says",
                            strange.errors().strip()));
            caught.await(WORDS);
            Program.Outcome right = cast(caught, "--stag", "0x1234");
            assertEquals(0, right.status(), right.errors());
            caught.await(SIZE + " bytes in ");
        }
        assertEquals(SIZE, Files.size(folder.resolve("target")));
    }

    @Test
    void shouldSayThatNoReceiverHasReported() throws Exception {
        try (Program.Server caught = startCatch("udp://127.0.0.1:0", "--repair")) {
            Program.Outcome cast = cast(caught, "--stag", "0x5", "--repair");
            assertTrue(cast.out().contains("no receiver has reported: compare --stag and --repair of both ends"), cast.out());
        }
    }
}
