package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.XYChart;

/** The report of one run, to the letter: a change of a field for tools, or of the text for people, changes these files too. */
class ReportTest {
    @Test
    void shouldWriteTheJsonThatToolsKnow() throws IOException {
        JsonNode expected = new ObjectMapper().readTree(Captured.text("results.json"));
        assertEquals(expected.toPrettyString(), new ObjectMapper().readTree(Json.text(report(null))).toPrettyString());
    }

    @Test
    void shouldWriteTheTableThatPeopleRead() throws IOException {
        assertEquals(Captured.text("report.md"), Markdown.text(report(null), List.of("bandwidth-by-size.png")));
    }

    @Test
    void shouldSayWhatEndedTheRun() {
        String text = Markdown.text(report("iperf3 was ended by signal 9"), List.of());
        assertTrue(text.contains("**The run ended early: iperf3 was ended by signal 9.**"), text);
    }

    @Test
    void shouldShowNoFirstSecondsOfAShortWarmUp() {
        Fake fake = new Fake("Write", Metric.BYTES_PER_SECOND);
        Reading reading = began(4e9, 9, true);
        Beginnings began = Beginnings.of(fake, Metric.BYTES_PER_SECOND, List.of(Map.of(fake, reading)));
        assertAll(() -> assertNull(began.first()), () -> assertEquals(List.of(), began.bySecond()), () -> assertTrue(began.areSteady()),
                () -> assertNull(Beginnings.of(fake, Metric.BYTES_PER_SECOND, List.of(Map.of(fake, reading(1))))));
    }

    /** On a busy machine a part of a second takes longer. */
    @Test
    void shouldShowFewerSecondsThatWereLonger() {
        Fake fake = new Fake("Write", Metric.MESSAGES_PER_SECOND);
        List<Map<Subject, Reading>> rounds = List.of(
                Map.of(fake, Reading.of(Metric.MESSAGES_PER_SECOND, 3).after(new Beginning(10, true, 1, List.of(1.0, 3.0), List.of()))),
                Map.of(fake,
                        Reading.of(Metric.MESSAGES_PER_SECOND, 3).after(new Beginning(11, true, 1, List.of(2.0, 3.0, 7.0), List.of()))));
        Beginnings began = Beginnings.of(fake, Metric.MESSAGES_PER_SECOND, rounds);
        assertAll(() -> assertEquals(List.of(1.5, 3.0, 7.0), began.bySecond()),
                () -> assertEquals(List.of(2.0, 3.0), began.first().values()));
    }

    @Test
    void shouldNotLetTextEndACell() {
        Report odd = new Report("now", 1, false, 1, new Pace(1, 1), "cubic", Map.of("processor", "a|b\nc"), List.of(), List.of(), null,
                List.of(), List.of(), List.of(), Map.of(), List.of(), null);
        assertTrue(Markdown.text(odd, List.of()).contains("| processor | a\\|b c |"));
    }

    @Test
    void shouldDrawEachChartTwice(@TempDir Path folder) throws IOException {
        System.setProperty("java.awt.headless", "true");
        List<String> drawn = Charts.draw(report(null), folder);
        assertEquals(List.of("bandwidth-by-size.png", "rate-by-connections.png", "latency-percentiles.png"), drawn);
        for (String png : drawn) {
            Path svg = folder.resolve(png.replace(".png", ".svg"));
            assertAll(() -> assertTrue(Files.size(folder.resolve(png)) > 1000, png),
                    () -> assertTrue(Files.readString(svg).contains("<svg"), svg.toString()));
        }
    }

    @Test
    void shouldLabelSizesAndConnectionsAsPeopleWriteThem() {
        Map<String, XYChart> charts = Charts.charts(report(null));
        Function<Double, String> sizes = charts.get("bandwidth-by-size").getStyler().getxAxisTickLabelsFormattingFunction();
        Function<Double, String> connections = charts.get("rate-by-connections").getStyler().getxAxisTickLabelsFormattingFunction();
        assertEquals(List.of("64 B", "", "1 KiB", "64 KiB", "1 MiB"), Stream.of(6.0, 6.5, 10.0, 16.0, 20.0).map(sizes).toList());
        assertEquals(List.of("1", "", "8", "64"), Stream.of(0.0, 0.5, 3.0, 6.0).map(connections).toList());
    }

    @Test
    void shouldDrawTheFirstSecondsOfTheJvms() {
        Metric rate = Metric.MESSAGES_PER_SECOND;
        Fake ours = new Fake("Write 64 B", rate);
        Fake theirs = new Fake("UCX tcp", rate);
        Reading began = Reading.of(rate, 3e6).after(new Beginning(10, true, 1, List.of(1e6, 2e6, 3e6), List.of()));
        List<Outcome> outcomes = Stream.of("rate-64", "rpc-null-1")
                .map(id -> Comparison.ratio(id, id, ours, theirs, rate, Bound.atLeast(1)))
                .map(each -> Outcome.of(each, List.of(Map.of(ours, began, theirs, Reading.of(rate, 1e6))))).toList();
        Map<String, XYChart> charts = Charts.charts(new Report("now", 1, false, 1, new Pace(1, 1), "cubic", Map.of(), List.of(), outcomes,
                null, List.of(), List.of(), List.of(), Map.of(), List.of(), null));
        assertAll(() -> assertEquals(List.of("rate-by-second"), List.copyOf(charts.keySet())),
                () -> assertEquals(List.of("Write 64 B"), List.copyOf(charts.get("rate-by-second").getSeriesMap().keySet())),
                () -> assertArrayEquals(new double[] { 1, 2, 3 },
                        charts.get("rate-by-second").getSeriesMap().get("Write 64 B").getYData()));
    }

    @Test
    void shouldSayBelowAChartHowItWasMeasured() {
        assertEquals(List.of("Loopback, TCP under cubic; each point measured once, 2.0 s each",
                "2 processors (unknown), unknown; panama-verbs unknown"), Charts.caption(report(null), "each point measured once"));
        assertEquals("A QUICK RUN, too short to compare speeds by. Loopback, TCP under cubic; 1 round, 2.0 s each",
                Charts.caption(report(true, null), "1 round").getFirst());
    }

    @Test
    void shouldJudgeNoSpeedOfAQuickRun() throws IOException {
        String text = Markdown.text(report(true, null), List.of());
        assertAll(() -> assertFalse(text.contains("missed"), text), () -> assertFalse(text.contains("slower"), text),
                () -> assertTrue(text.contains("| Write, 1 MiB | iperf3, one stream | 1.25 (1.00 to 1.50) | at least 1.5 |  |"), text),
                () -> assertTrue(text.contains("too short to compare speeds by, so no speed is judged"), text),
                // Lines that do not depend on speed are judged.
                () -> assertTrue(text.contains("| placed directly |  | 0.9950 (0.9950 to 0.9950) | at least 0.9900 | reached |"), text));
        JsonNode comparisons = new ObjectMapper().readTree(Json.text(report(true, null))).get("comparisons");
        assertEquals(List.of("not_judged", "not_measured", "reached"),
                comparisons.valueStream().map(each -> each.get("verdict").asText()).toList());
    }

    /** Made up, all of it. */
    private static Report report(String failure) {
        return report(false, failure);
    }

    private static Report report(boolean quick, String failure) {
        Metric bytes = Metric.BYTES_PER_SECOND;
        Fake ours = new Fake("Write 1 MiB", bytes);
        Fake theirs = new Fake("iperf3, one stream", bytes);
        Fake absent = new Fake("UCX tcp", Peer.missing("UCX", "ucx_info is not on the PATH (Debian: apt install ucx-utils)"), bytes);
        List<Map<Subject, Reading>> rounds = List.of(Map.of(ours, began(3e9, 12, true), theirs, reading(2e9)),
                Map.of(ours, began(5e9, 14, true), theirs, reading(4e9)), Map.of(ours, began(4e9, 60, false), theirs, reading(4e9)));
        List<Comparison> comparisons = List.of(Comparison.ratio("write", "Write, 1 MiB", ours, theirs, bytes, Bound.atLeast(1.5)),
                Comparison.ratio("ucx", "Write, 64 KiB", ours, absent, bytes, Bound.atLeast(4)),
                Comparison.test("direct", "placed directly", ours, Metric.DIRECT_SHARE, Bound.atLeast(0.99)));
        List<Comparison> against = List
                .of(Comparison.ratio("baseline-write", "Write 1 MiB: bytes per second", ours, theirs, bytes, Bound.atLeast(0.95)));
        Series size = new Series("Write");
        size.points().put(64L, 1e8);
        size.points().put(1L << 20, 3e9);
        Series connections = new Series("Write 64 B");
        connections.points().put(1L, 1e6);
        Reading latency = Reading.of(Metric.MINIMUM_MICROS, 1).with(Metric.P50_MICROS, 2.5).with(Metric.P99_MICROS, 3)
                .with(Metric.P999_MICROS, 4).with(Metric.MAXIMUM_MICROS, 50);
        return new Report("2026-01-01T00:00:00Z", 12.5, quick, 3, new Pace(2, 60), "cubic", Map.of("processors", "2"),
                List.of(Peer.present("pverbs", "1"), Peer.present("pverbs at 62d431d", "0"), absent.peer(),
                        Peer.incomparable("JUCX", "1.18", "it has no option")),
                comparisons.stream().map(each -> Outcome.of(each, rounds)).toList(), "62d431d",
                against.stream().map(each -> Outcome.of(each, rounds)).toList(), List.of(size), List.of(connections),
                Map.of("C ping-pong", latency), List.of("A note."), failure);
    }

    /** Its rate rises by a tenth each second, to that of the measurement. */
    private static Reading began(double bytesPerSecond, double seconds, boolean steady) {
        double rate = bytesPerSecond / 1e6;
        List<Double> rates = IntStream.rangeClosed(1, (int) seconds).mapToObj(second -> Math.min(1, second / 10.0) * rate).toList();
        return reading(bytesPerSecond).with(Metric.MESSAGES_PER_SECOND, rate).after(new Beginning(seconds, steady, 7.5, rates, List.of()));
    }

    private static Reading reading(double bytesPerSecond) {
        return Reading.of(Metric.BYTES_PER_SECOND, bytesPerSecond).with(Metric.DIRECT_SHARE, 0.995);
    }
}
