package org.panamaverbs.compare;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws the measurements, each chart as PNG and as SVG. */
// Tested by ReportTest.
final class Charts {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    /** The height of a line of the caption. */
    private static final int CAPTION_LINE = 18;
    private static final String ONCE = "each point measured once";
    /** Their places on the horizontal axis of latencies: one step each. */
    private static final Map<Metric, String> PERCENTILES = Map.of(Metric.MINIMUM_MICROS, "min", Metric.P50_MICROS, "p50", Metric.P99_MICROS,
            "p99", Metric.P999_MICROS, "p99.9", Metric.MAXIMUM_MICROS, "max");
    private static final List<Metric> STEPS = List.of(Metric.MINIMUM_MICROS, Metric.P50_MICROS, Metric.P99_MICROS, Metric.P999_MICROS,
            Metric.MAXIMUM_MICROS);

    /** The comparisons whose JVMs are shown second by second. */
    private static final Set<String> BY_SECOND = Set.of("rate-64", "shared-rate-aeron", "shared-rate-tcp");

    private Charts() {
    }

    /**
     * Draws those for which there is something to show.
     *
     * @return the names of the PNG files
     */
    static List<String> draw(Report report, Path folder) throws IOException {
        List<String> drawn = new ArrayList<>();
        for (Map.Entry<String, XYChart> each : charts(report).entrySet()) {
            String file = folder.resolve(each.getKey()).toString();
            BitmapEncoder.saveBitmap(each.getValue(), file, BitmapEncoder.BitmapFormat.PNG);
            VectorGraphicsEncoder.saveVectorGraphic(each.getValue(), file, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
            drawn.add(each.getKey() + ".png");
        }
        return drawn;
    }

    /** By the names of their files. */
    static Map<String, XYChart> charts(Report report) {
        Map<String, XYChart> charts = new LinkedHashMap<>();
        if (hasPoints(report.bandwidth())) {
            XYChart chart = byPowersOfTwo("Bandwidth by the size of a message", "size of a message", "MB/s", Sizes::text);
            chart.getStyler().setYAxisLogarithmic(true);
            report.bandwidth().forEach(series -> add(chart, series, 1e-6));
            charts.put("bandwidth-by-size", chart);
            addCaption(chart, caption(report, ONCE));
        }
        if (hasPoints(report.rate())) {
            XYChart chart = byPowersOfTwo("Messages of 64 bytes by connections", "connections", "million messages per second",
                    Long::toString);
            chart.getStyler().setYAxisMin(0.0);
            report.rate().forEach(series -> add(chart, series, 1e-6));
            charts.put("rate-by-connections", chart);
            addCaption(chart, caption(report, ONCE));
        }
        if (report.latency().keySet().stream().anyMatch(name -> name.contains(Compare.PING_PONG))) {
            XYChart chart = chart("Half round trip of short messages", "percentile", "microseconds");
            chart.getStyler().setYAxisLogarithmic(true);
            chart.setCustomXAxisTickLabelsFormatter(
                    at -> at == Math.rint(at) && at >= 0 && at < STEPS.size() ? PERCENTILES.get(STEPS.get(at.intValue())) : "");
            report.latency().entrySet().stream().filter(each -> each.getKey().contains(Compare.PING_PONG))
                    .forEach(each -> add(chart, each.getKey(), each.getValue()));
            charts.put("latency-percentiles", chart);
            addCaption(chart, caption(report, rounds(report)));
        }
        Map<String, List<Double>> began = new LinkedHashMap<>();
        report.outcomes().stream().filter(outcome -> BY_SECOND.contains(outcome.comparison().id())).forEach(outcome -> {
            addSeconds(began, outcome.comparison().ours(), outcome.oursBegan());
            addSeconds(began, outcome.comparison().theirs(), outcome.theirsBegan());
        });
        if (!began.isEmpty()) {
            XYChart chart = chart("The first seconds of JVMs: messages of 64 bytes", "second from the first message on",
                    "million messages per second");
            chart.getStyler().setYAxisMin(0.0);
            began.forEach((name, rates) -> chart.addSeries(name, IntStream.rangeClosed(1, rates.size()).boxed().toList(),
                    rates.stream().map(rate -> rate * 1e-6).toList()));
            charts.put("rate-by-second", chart);
            addCaption(chart, caption(report, rounds(report)));
        }
        return charts;
    }

    private static String rounds(Report report) {
        return report.rounds() == 1 ? "1 round" : "medians of " + report.rounds() + " rounds";
    }

    private static void addSeconds(Map<String, List<Double>> began, Subject subject, Beginnings beginnings) {
        if (beginnings != null && !beginnings.bySecond().isEmpty()) {
            began.put(subject.name(), beginnings.bySecond());
        }
    }

    private static boolean hasPoints(List<Series> all) {
        return all.stream().anyMatch(series -> !series.points().isEmpty());
    }

    private static XYChart chart(String title, String horizontal, String vertical) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle(horizontal).yAxisTitle(vertical).build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setMarkerSize(6).setChartBackgroundColor(Color.WHITE).setChartPadding(2 * CAPTION_LINE);
        chart.getStyler().setYAxisDecimalPattern("#,##0.###");
        chart.getStyler().setAnnotationTextFont(chart.getStyler().getLegendFont());
        return chart;
    }

    /** The library's logarithmic axis has labels at powers of ten alone: this axis has the logarithms themselves. */
    private static XYChart byPowersOfTwo(String title, String horizontal, String vertical, LongFunction<String> label) {
        XYChart chart = chart(title, horizontal, vertical);
        chart.setCustomXAxisTickLabelsFormatter(power -> power == Math.rint(power) ? label.apply(1L << power.intValue()) : "");
        return chart;
    }

    private static void add(XYChart chart, Series series, double scale) {
        if (!series.points().isEmpty()) {
            chart.addSeries(series.name(), series.points().keySet().stream().map(at -> Math.log(at) / Math.log(2)).toList(),
                    series.points().values().stream().map(value -> value * scale).toList());
        }
    }

    private static void add(XYChart chart, String name, Reading reading) {
        List<Integer> at = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < STEPS.size(); i++) {
            Double value = reading.get(STEPS.get(i));
            if (value != null && value > 0) {
                at.add(i);
                values.add(value);
            }
        }
        if (!at.isEmpty()) {
            chart.addSeries(name, at, values);
        }
    }

    /** How it was measured, and where. */
    static List<String> caption(Report report, String points) {
        Map<String, String> machine = report.machine();
        String unknown = "unknown";
        return List.of(
                (report.quick() ? "A QUICK RUN, too short to compare speeds by. " : "") + "Loopback, TCP under "
                        + report.congestionControl() + "; " + points + ", " + report.pace().seconds() + " s each",
                machine.getOrDefault("processors", unknown) + " processors (" + machine.getOrDefault("processor", unknown) + "), "
                        + machine.getOrDefault("kernel", unknown) + "; panama-verbs " + machine.getOrDefault("revision", unknown));
    }

    private static void addCaption(XYChart chart, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            double fromBelow = (lines.size() - i - 0.5) * CAPTION_LINE;
            chart.addAnnotation(new AnnotationText(lines.get(i), WIDTH / 2.0, fromBelow, true));
        }
    }
}
