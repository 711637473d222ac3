package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.tools.Pverbs;

/** The command as its user runs it, but shorter; nothing here depends on how fast anybody was. */
class CompareTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final List<String> PVERBS = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-classpath", System.getProperty("java.class.path"),
            Pverbs.class.getName());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @Test
    void shouldMeasureAndReport(@TempDir Path folder) throws Exception {
        assertMeasuresAndReports(folder, "write-64k", 1);
    }

    @Test
    @Tag("proofs") // A dozen JVMs, one of which must have placed nearly all bytes directly.
    void shouldMeasureAndReportAllKinds(@TempDir Path folder) throws Exception {
        assertMeasuresAndReports(folder, "write-1m-crc,write-64k,latency-spin,latency-block,direct-write-1m", 5);
        assertTrue(Files.readString(folder.resolve("report.md")).contains("| Write, 1 MiB, CRC on |"));
    }

    private void assertMeasuresAndReports(Path folder, String only, int count) throws Exception {
        int status = run(PVERBS, "--quick", "--seconds", "0.1", "--warm-up", "0.1", "--output", folder.toString(), "--only", only);
        JsonNode results = new ObjectMapper().readTree(folder.resolve("results.json").toFile());
        assertAll(() -> assertEquals(0, status, this::said), () -> assertTrue(results.get("complete").asBoolean(), this::said),
                () -> assertEquals(count, results.get("comparisons").size()),
                () -> assertTrue(Files.readString(folder.resolve("report.md")).contains("| Write, ")));
        for (JsonNode comparison : results.get("comparisons")) {
            // Either there are figures, or it says who is missing or cannot be compared.
            assertTrue(comparison.get("verdict").asText().equals("not_measured")
                    ? comparison.get("why").asText().matches(".* (is missing|cannot be compared): .*")
                    : comparison.get("ours").get("median").asDouble() > 0, comparison::toString);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldReportWhatThereIsWhereOursDies(@TempDir Path folder) throws Exception {
        // It says its version, and dies of anything else.
        List<String> mortal = List.of("sh", "-c", "[ \"$1\" = --version ] && echo mortal || kill -9 $$", "pverbs");
        int status = run(mortal, "--quick", "--seconds", "0.1", "--warm-up", "0", "--output", folder.toString());
        JsonNode results = new ObjectMapper().readTree(folder.resolve("results.json").toFile());
        assertAll(() -> assertEquals(1, status), () -> assertFalse(results.get("complete").asBoolean()),
                () -> assertTrue(results.get("failure").asText().contains("was ended by signal 9"), results::toString),
                () -> assertTrue(Files.readString(folder.resolve("report.md")).contains("The run ended early"), this::said));
        assertNothingIsLeft();
    }

    @Test
    void shouldMeasureAnotherRevisionByTurns(@TempDir Path folder) throws Exception {
        Repository repository = Repository.create(folder.resolve("clone"));
        repository.commit("before", "--size --crc --set --seconds --warm-up --json", "1e9");
        repository.commit("now", "--size --crc --set --seconds --warm-up --json --new", "2e9");
        Compare compare = new Compare(repository.root(), repository.pverbs(), new PrintStream(out, true, StandardCharsets.UTF_8));
        int status = Compare.commandLine(compare, new PrintStream(errors, true, StandardCharsets.UTF_8)).execute("--baseline", "HEAD~1",
                "--rounds", "2", "--seconds", "0.01", "--warm-up", "0", "--congestion-control", "system", "--only", "send-1m-crc",
                "--output", folder.toString());
        assertEquals(0, status, this::said);
        JsonNode results = new ObjectMapper().readTree(folder.resolve("results.json").toFile()).get("baseline");
        List<String> runs = said().lines().filter(line -> line.startsWith("compare: round")).map(line -> line.replaceFirst(".*: ", ""))
                .toList();
        String name = results.get("revision").asText();
        assertAll(() -> assertTrue(name.matches("HEAD~1 \\([0-9a-f]{12}\\)"), name),
                () -> assertEquals(2, results.get("comparisons").size(), results::toPrettyString),
                () -> assertEquals(2.0, results.get("comparisons").get(0).get("ratio").get("median").asDouble()),
                () -> assertTrue(Files.readString(folder.resolve("report.md")).contains("## Against HEAD~1 ("), this::said),
                () -> assertEquals(List.of("Send 1 MiB, CRC on", "Send 1 MiB, CRC on, at " + name, "Write 1 MiB, CRC on",
                        "Write 1 MiB, CRC on, at " + name), runs.subList(0, 4)),
                () -> assertEquals(runs.subList(0, 4).reversed(), runs.subList(4, 8)));
        assertNothingIsLeft();
    }

    @Test
    void shouldMeasureARevisionInPlaceOfThisTree(@TempDir Path folder) throws Exception {
        Repository repository = Repository.create(folder.resolve("clone"));
        repository.commit("before", "--size --crc --set --seconds --warm-up --json", "1e9");
        repository.commit("now", "--size --crc --set --seconds --warm-up --json", "2e9");
        Compare compare = new Compare(repository.root(), repository.pverbs(), new PrintStream(out, true, StandardCharsets.UTF_8));
        int status = Compare.commandLine(compare, new PrintStream(errors, true, StandardCharsets.UTF_8)).execute("--revision", "HEAD~1",
                "--rounds", "1", "--seconds", "0.01", "--warm-up", "0", "--congestion-control", "system", "--only",
                "send-1m-crc,rfc7306-rate-fetch-add,rpc-null-1", "--output", folder.toString());
        assertEquals(0, status, this::said);
        JsonNode results = new ObjectMapper().readTree(folder.resolve("results.json").toFile());
        assertTrue(results.get("machine").get("revision").asText().startsWith("HEAD~1 ("), results::toPrettyString);
        assertTrue(said().contains("it does not know the setting panamaverbs.softiwarp.rfc7306"), this::said);
        assertTrue(said().contains("its program runs the classes of this tree, and --revision asks for HEAD~1 ("), this::said);
        assertEquals(1e9, results.get("comparisons").get(0).get("ours").get("median").asDouble(), results::toPrettyString);
        assertTrue(Files.readString(folder.resolve("report.md")).contains("it means revision HEAD~1 ("), this::said);
    }

    @ParameterizedTest
    @CsvSource({ "--rounds=0, 1 to 99", "--seconds=0, --seconds is", "--seconds=-1, --seconds is", "--seconds=NaN, --seconds is",
            "--warm-up=601, --warm-up is", "--only=nothing, no comparison nothing",
            "--baseline=no/such, --baseline is a revision of this clone", "--revision=no/such, --revision is a revision of this clone",
            "--congestion-control=a b, --congestion-control is a name", "--sizes=3, Unknown option" })
    void shouldRefuseNonsense(String option, String reason) {
        int status = run(List.of("false"), option);
        assertAll(() -> assertEquals(2, status), () -> assertTrue(errors.toString(StandardCharsets.UTF_8).contains(reason), this::said));
    }

    @Test
    void shouldFailInOneLineWherePverbsDoesNotStart(@TempDir Path folder) {
        int status = run(List.of("/does/not/exist"), "--output", folder.toString());
        assertAll(() -> assertNotEquals(0, status),
                () -> assertEquals(1, errors.toString(StandardCharsets.UTF_8).lines().count(), this::said));
    }

    private int run(List<String> pverbs, String... arguments) {
        Compare compare = new Compare(ROOT, pverbs, new PrintStream(out, true, StandardCharsets.UTF_8));
        return Compare.commandLine(compare, new PrintStream(errors, true, StandardCharsets.UTF_8)).execute(arguments);
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8) + errors.toString(StandardCharsets.UTF_8);
    }

    /** Children of this process are all those of the comparison. */
    private static void assertNothingIsLeft() throws Exception {
        for (ProcessHandle child : ProcessHandle.current().children().toList()) {
            child.onExit().get(60, TimeUnit.SECONDS);
        }
    }
}
