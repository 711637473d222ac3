package org.panamaverbs.compare;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws the measurements, each chart as PNG and as SVG. */
final class Charts {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 600;
    /** Their places on the horizontal axis of latencies: one step each. */
    private static final Map<Metric, String> PERCENTILES = Map.of(Metric.MINIMUM_MICROS, "min", Metric.P50_MICROS, "p50",
            Metric.P99_MICROS, "p99", Metric.P999_MICROS, "p99.9", Metric.MAXIMUM_MICROS, "max");
    private static final List<Metric> STEPS = List.of(Metric.MINIMUM_MICROS, Metric.P50_MICROS, Metric.P99_MICROS, Metric.P999_MICROS,
            Metric.MAXIMUM_MICROS);

    private Charts() {
    }

    /**
     * Draws those for which there is something to show.
     *
     * @return the names of the PNG files
     */
    static List<String> draw(Report report, Path folder) throws IOException {
        List<String> drawn = new ArrayList<>();
        if (hasPoints(report.bandwidth())) {
            XYChart chart = chart("Bandwidth by the size of a message", "bytes of a message", "MB/s");
            chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
            report.bandwidth().forEach(series -> add(chart, series, 1e-6));
            drawn.add(save(chart, folder, "bandwidth-by-size"));
        }
        if (hasPoints(report.rate())) {
            XYChart chart = chart("Messages of 64 bytes by connections", "connections", "thousand messages per second");
            chart.getStyler().setXAxisLogarithmic(true).setYAxisMin(0.0);
            report.rate().forEach(series -> add(chart, series, 1e-3));
            drawn.add(save(chart, folder, "rate-by-connections"));
        }
        if (report.latency().keySet().stream().anyMatch(name -> name.contains(Compare.PING_PONG))) {
            XYChart chart = chart("Half round trip of short messages", "percentile", "microseconds");
            chart.getStyler().setYAxisLogarithmic(true);
            chart.setCustomXAxisTickLabelsFormatter(at -> at == Math.rint(at) && at >= 0 && at < STEPS.size()
                    ? PERCENTILES.get(STEPS.get(at.intValue()))
                    : "");
            report.latency().entrySet().stream().filter(each -> each.getKey().contains(Compare.PING_PONG))
                    .forEach(each -> add(chart, each.getKey(), each.getValue()));
            drawn.add(save(chart, folder, "latency-percentiles"));
        }
        return drawn;
    }

    private static boolean hasPoints(List<Series> all) {
        return all.stream().anyMatch(series -> !series.points().isEmpty());
    }

    private static XYChart chart(String title, String horizontal, String vertical) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle(horizontal).yAxisTitle(vertical).build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setMarkerSize(6).setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    private static void add(XYChart chart, Series series, double scale) {
        if (!series.points().isEmpty()) {
            chart.addSeries(series.name(), new ArrayList<>(series.points().keySet()),
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

    private static String save(XYChart chart, Path folder, String name) throws IOException {
        String file = folder.resolve(name).toString();
        BitmapEncoder.saveBitmap(chart, file, BitmapEncoder.BitmapFormat.PNG);
        VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsEncoder.VectorGraphicsFormat.SVG);
        return name + ".png";
    }
}
