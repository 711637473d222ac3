package org.panamaverbs.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** The measurements that the charts show beside the comparisons, each made once. A sweep that ends early leaves the points it has. */
final class Sweeps {
    private final List<Series> bandwidth = new ArrayList<>();
    private final List<Series> rate = new ArrayList<>();
    private final Catalogue catalogue;
    private final Consumer<String> say;

    Sweeps(Catalogue catalogue, Consumer<String> say) {
        this.catalogue = catalogue;
        this.say = say;
    }

    /** Bandwidth by size, of everybody who is here. */
    void bySize(long[] sizes, Pace pace) throws ProgramException, InterruptedException {
        for (PverbsPerf ours : catalogue.bySize()) {
            say.accept("by size: " + ours.name());
            Series series = begin(bandwidth, "pverbs: " + ours.name());
            ours.measure(sizes, pace).forEach((size, reading) -> series.points().put(size, reading.get(Metric.BYTES_PER_SECOND)));
        }
        for (Map.Entry<String, LongFunction<Subject>> other : catalogue.othersBySize().entrySet()) {
            if (!other.getValue().apply(sizes[0]).peer().isPresent()) {
                continue;
            }
            say.accept("by size: " + other.getKey());
            Series series = begin(bandwidth, other.getKey());
            for (long size : sizes) {
                series.points().put(size, other.getValue().apply(size).measure(pace).get(Metric.BYTES_PER_SECOND));
            }
        }
    }

    /** Rate of messages by connections. */
    void byConnections(long[] counts, Pace pace) throws ProgramException, InterruptedException {
        Series series = begin(rate, "pverbs: Write 64 B");
        for (long count : counts) {
            say.accept("by connections: " + count);
            series.points().put(count, catalogue.connections(count).measure(pace).get(Metric.MESSAGES_PER_SECOND));
        }
    }

    private static Series begin(List<Series> all, String name) {
        Series series = new Series(name);
        all.add(series);
        return series;
    }

    /** Bytes per second by size. */
    List<Series> bandwidth() {
        return bandwidth;
    }

    /** Messages per second by connections. */
    List<Series> rate() {
        return rate;
    }
}
