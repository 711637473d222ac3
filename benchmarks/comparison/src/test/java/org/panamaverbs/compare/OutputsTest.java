package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of the programs, read back from captured runs of them. */
class OutputsTest {
    @Test
    void shouldTakeWhatIperf3Received() throws Exception {
        assertEquals(7371344509.8819942 / 8, Iperf3.parse(Captured.text("iperf3.json")).get(Metric.BYTES_PER_SECOND));
    }

    @Test
    void shouldSayWhyIperf3Failed() throws IOException {
        String refused = Captured.text("iperf3-refused.json");
        ProgramException failure = assertThrows(ProgramException.class, () -> Iperf3.parse(refused));
        assertEquals("iperf3: unable to connect to server: Connection refused", failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({ "ucx_perftest-64.txt, 64, 143717", "ucx_perftest-65536.txt, 65536, 4049", "ucx_perftest-progress.txt, 65536, 7014" })
    void shouldTakeTheOverallRateOfUcx(String file, long size, double rate) throws Exception {
        Reading reading = UcxPut.parse(Captured.text(file), size);
        assertAll(() -> assertEquals(rate, reading.get(Metric.MESSAGES_PER_SECOND)),
                () -> assertEquals(rate * size, reading.get(Metric.BYTES_PER_SECOND)));
    }

    @Test
    void shouldReadThePingPong() throws Exception {
        Reading reading = PingPong.parse(Captured.text("pingpong.json"));
        assertAll(() -> assertEquals(3.025, reading.get(Metric.MINIMUM_MICROS)), () -> assertEquals(3.670, reading.get(Metric.P50_MICROS)),
                () -> assertEquals(11.855, reading.get(Metric.P99_MICROS)), () -> assertEquals(208.074, reading.get(Metric.P999_MICROS)),
                () -> assertEquals(10178.786, reading.get(Metric.MAXIMUM_MICROS)));
    }

    @Test
    void shouldReadTheFrames() throws Exception {
        assertEquals(3805168827.0, Frames.parse(Captured.text("frames.json")).get(Metric.BYTES_PER_SECOND));
    }

    @Test
    void shouldReadWhatAProgramSaysLast() throws Exception {
        String said = "[1795301959.360200] UCX  WARN  UCP API version is incompatible\n" + Captured.text("jucx.txt");
        assertEquals(1005486203.6, JavaProgram.parse(said).get(Metric.BYTES_PER_SECOND));
    }

    @Test
    void shouldReadEachLineOfPverbs() throws Exception {
        List<PverbsPerf.Line> lines = PverbsPerf.parse(Captured.text("pverbs-perf.jsonl"));
        Reading large = lines.get(1).reading();
        assertAll(() -> assertEquals(List.of(64L, 1L << 20), lines.stream().map(PverbsPerf.Line::size).toList()),
                () -> assertEquals(2.670869218844927E8, large.get(Metric.BYTES_PER_SECOND)),
                () -> assertEquals(23.0, large.get(Metric.SYSTEM_CALLS_PER_MIB)),
                () -> assertEquals((129872 + 32920) / 164.0, large.get(Metric.ALLOCATED_PER_MESSAGE)),
                () -> assertEquals(171946712.0 / (171946712 + 19752), large.get(Metric.DIRECT_SHARE)));
    }

    @Test
    void shouldReadHowTheJvmsBegan() throws Exception {
        String warmUp = "\"warmUp\": {\"seconds\": 12.5, \"steady\": true, \"compilerSeconds\": 7.25, \"messagesPerSecond\": [%s], \"p50Micros\": [%s]}";
        String rates = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12";
        String perf = Captured.text("pverbs-perf.jsonl").lines().findFirst().orElseThrow().replaceFirst("\\{",
                "{" + warmUp.formatted(rates, rates) + ",");
        String program = "{\"bytesPerSecond\": 640, \"messagesPerSecond\": 10, " + warmUp.formatted(rates, "") + "}";
        Reading ours = PverbsPerf.parse(perf).getFirst().reading();
        Reading theirs = JavaProgram.parse(program);
        List<Double> ten = List.of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0);
        assertAll(() -> assertEquals(12.5, ours.beginning().seconds()), () -> assertTrue(ours.beginning().steady()),
                () -> assertEquals(7.25, ours.beginning().compilerSeconds()), () -> assertEquals(ten, ours.bySecond(Metric.P50_MICROS)),
                () -> assertEquals(ten, theirs.bySecond(Metric.MESSAGES_PER_SECOND)),
                () -> assertEquals(640.0, theirs.bySecond(Metric.BYTES_PER_SECOND).getLast()),
                () -> assertEquals(List.of(), theirs.bySecond(Metric.P50_MICROS)),
                () -> assertEquals(List.of(), theirs.bySecond(Metric.ALLOCATED_PER_MESSAGE)),
                () -> assertNull(JavaProgram.parse(Captured.text("jucx.txt")).beginning()));
    }

    @Test
    void shouldReadTheMemoryOfIdleQueuePairs() throws Exception {
        Reading reading = PverbsPerf.parse(Captured.text("pverbs-perf-idle.jsonl")).getFirst().reading();
        assertAll(() -> assertEquals(21581, reading.get(Metric.HEAP_BYTES_EACH)),
                () -> assertEquals(43594, reading.get(Metric.NATIVE_BYTES_EACH)),
                () -> assertEquals(21581 + 43594, reading.get(Metric.BYTES_EACH)));
    }

    @Test
    void shouldRefuseARunThatWasCutShort() throws IOException {
        String cut = Captured.text("pverbs-perf-idle.jsonl").replace("\"complete\":true", "\"complete\":false");
        assertThrows(ProgramException.class, () -> PverbsPerf.parse(cut));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "\n", "Segmentation fault", "{}", "{\"messages\":", "[]", "null" })
    void shouldRefuseWhatIsNoResult(String said) {
        assertAll(() -> assertThrows(ProgramException.class, () -> Iperf3.parse(said)),
                () -> assertThrows(ProgramException.class, () -> UcxPut.parse(said, 64)),
                () -> assertThrows(ProgramException.class, () -> PingPong.parse(said)),
                () -> assertThrows(ProgramException.class, () -> JavaProgram.parse(said)),
                () -> assertThrows(ProgramException.class, () -> PverbsPerf.parse(said)));
    }

    /** Of a program's output before it died, however little: a result or a reason. */
    @ParameterizedTest
    @ValueSource(strings = { "iperf3.json", "ucx_perftest-progress.txt", "pingpong.json", "frames.json", "jucx.txt", "pverbs-perf.jsonl" })
    void shouldUnderstandOrRefuseEveryShorterText(String file) throws IOException {
        String whole = Captured.text(file);
        for (int length = 0; length < whole.length(); length++) {
            String cut = whole.substring(0, length);
            try {
                Reading reading = switch (file) {
                    case "iperf3.json" -> Iperf3.parse(cut);
                    case "pingpong.json" -> PingPong.parse(cut);
                    case "frames.json" -> Frames.parse(cut);
                    case "jucx.txt" -> JavaProgram.parse(cut);
                    case "pverbs-perf.jsonl" -> PverbsPerf.parse(cut).getFirst().reading();
                    default -> UcxPut.parse(cut, 65536);
                };
                assertTrue(reading.values().values().stream().allMatch(Double::isFinite), cut);
            } catch (ProgramException e) {
                // Refused.
            }
        }
    }
}
