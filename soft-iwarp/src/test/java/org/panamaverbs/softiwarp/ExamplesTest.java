package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Program;
import org.panamaverbs.testing.Proofs;

/** The examples with both ends in one process do what they say. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    // @formatter:off
    /** How the output of each ends. */
    private static final Map<String, String> RESULTS = Map.of(
            "KeyValue", "(client: got \\d{4,} values, and repeated [1-9]\\d* torn Reads\\R){3}server: all 3 clients have left\\R",
            "Messages", "sender: connecting again, since .*\\R(?s:.*)sender: 16000 messages are acknowledged, over 2 connections\\R"
                    + "receiver: 16000 messages came, each once and in order\\R",
            "SharedReceives", "(client: 600 calls over 3 connections\\R){8}"
                    + "server: replied to 4800 calls with 32 receives, and closed 24 connections\\R",
            "BulkSender", "sender: 128 chunks of 262144 bytes over 4 connections\\Rreceiver: 128 chunks are whole\\R");
    // @formatter:on

    @ParameterizedTest
    @MethodSource("runs")
    void shouldEndWithItsResult(String example, String transport, @TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        String said = Program.finished(Program.compile(EXAMPLES.resolve(example + ".java"), folder).start(transport, output), output);
        assertTrue(Pattern.compile(RESULTS.get(example) + "\\z").matcher(said).find(), said);
    }

    static List<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        for (String example : RESULTS.keySet().stream().sorted().toList()) {
            for (String transport : Proofs.cases("epoll", "nio", "shared-memory")) {
                runs.add(Arguments.of(example, transport));
            }
        }
        return runs;
    }

    @ParameterizedTest
    @ValueSource(strings = { "KeyValue", "Messages", "SharedReceives", "BulkSender", "Multicast" })
    void shouldBeShort(String example) throws IOException {
        int lines = Files.readAllLines(EXAMPLES.resolve(example + ".java")).size();
        assertTrue(lines <= 120, example + " has " + lines + " lines; 120 are the limit");
    }
}
