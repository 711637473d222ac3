package org.panamaverbs.compare;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * How the JVMs of a subject began, over all rounds.
 *
 * @param seconds         of warm-up
 * @param steadyRounds    in how many rounds it ended because the JVMs were steady
 * @param compilerSeconds that the compilers of both ends had worked by then
 * @param first           the median of the figure in the first seconds; {@code null} if it is not known
 * @param bySecond        the median of all rounds for each of the first seconds, 10 at most; empty if it is not known
 */
record Beginnings(Summary seconds, int steadyRounds, Summary compilerSeconds, Summary first, List<Double> bySecond) {
    /** Those of a subject with regard to a metric; {@code null} if it has no JVMs, or they do not say. */
    static Beginnings of(Subject subject, Metric metric, List<Map<Subject, Reading>> rounds) {
        List<Reading> readings = rounds.stream().map(round -> round.get(subject)).filter(Objects::nonNull)
                .filter(reading -> reading.beginning() != null).toList();
        if (readings.isEmpty()) {
            return null;
        }
        List<Beginning> all = readings.stream().map(Reading::beginning).toList();
        List<List<Double>> seconds = readings.stream().map(reading -> reading.bySecond(metric)).filter(each -> !each.isEmpty()).toList();
        return new Beginnings(new Summary(all.stream().map(Beginning::seconds).toList()),
                (int) all.stream().filter(Beginning::steady).count(), new Summary(all.stream().map(Beginning::compilerSeconds).toList()),
                seconds.isEmpty() ? null : new Summary(seconds.stream().map(each -> new Summary(each).median()).toList()),
                IntStream.range(0, seconds.stream().mapToInt(List::size).max().orElse(0)).mapToObj(
                        at -> new Summary(seconds.stream().filter(each -> at < each.size()).map(each -> each.get(at)).toList()).median())
                        .toList());
    }

    boolean areSteady() {
        return steadyRounds == seconds.values().size();
    }

    /** As "60 s in 2 of 5 rounds": after how long they were not steady. */
    String unsteady() {
        int rounds = seconds.values().size();
        String limit = Math.round(seconds.greatest()) + " s";
        return rounds == 1 ? limit : limit + " in " + (rounds - steadyRounds) + " of " + rounds + " rounds";
    }
}
