package org.panamaverbs.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The result of a comparison.
 *
 * @param comparison that was made
 * @param ours       {@code null} if it was not measured
 * @param theirs     {@code null} if it was not measured, or there is none
 * @param oursBegan   how its JVMs began; {@code null} if it has none, or they do not say
 * @param theirsBegan how its JVMs began; {@code null} likewise
 * @param figure     ours divided by theirs within each round, or ours if it stands by itself; {@code null} if that is not known
 * @param why        why it is not known; {@code null} if it is
 */
record Outcome(Comparison comparison, Summary ours, Summary theirs, Beginnings oursBegan, Beginnings theirsBegan, Summary figure,
        String why) {
    /** A ratio below which a difference is more than noise. */
    static final double SLOWER = 0.97;

    /** How it ended. */
    enum Verdict {
        REACHED, MISSED, NOT_MEASURED,
        /** A speed of a run that was too short to judge by. */
        NOT_JUDGED
    }

    /**
     * Puts the rounds together.
     *
     * @param rounds a map of readings by subject for each round that was begun
     */
    static Outcome of(Comparison comparison, List<Map<Subject, Reading>> rounds) {
        List<Double> ours = values(comparison.ours(), comparison.metric(), rounds);
        List<Double> theirs = comparison.theirs() == null ? List.of() : values(comparison.theirs(), comparison.metric(), rounds);
        List<Double> figures = comparison.theirs() == null ? ours : ratios(comparison, rounds);
        String why = null;
        if (figures.isEmpty()) {
            Peer missing = comparison.missing();
            why = missing != null ? missing.why() : "the run ended before it was measured";
        }
        return new Outcome(comparison, summary(ours), summary(theirs), Beginnings.of(comparison.ours(), comparison.metric(), rounds),
                comparison.theirs() == null ? null : Beginnings.of(comparison.theirs(), comparison.metric(), rounds), summary(figures),
                why);
    }

    private static List<Double> values(Subject subject, Metric metric, List<Map<Subject, Reading>> rounds) {
        List<Double> values = new ArrayList<>();
        for (Map<Subject, Reading> round : rounds) {
            if (round.containsKey(subject) && round.get(subject).get(metric) != null) {
                values.add(round.get(subject).get(metric));
            }
        }
        return values;
    }

    private static List<Double> ratios(Comparison comparison, List<Map<Subject, Reading>> rounds) {
        List<Double> ratios = new ArrayList<>();
        for (Map<Subject, Reading> round : rounds) {
            List<Double> ours = values(comparison.ours(), comparison.metric(), List.of(round));
            List<Double> theirs = values(comparison.theirs(), comparison.metric(), List.of(round));
            if (!ours.isEmpty() && !theirs.isEmpty() && theirs.getFirst() > 0) {
                ratios.add(ours.getFirst() / theirs.getFirst());
            }
        }
        return ratios;
    }

    private static Summary summary(List<Double> values) {
        return values.isEmpty() ? null : new Summary(values);
    }

    /**
     * The median counts. For a figure that should be the same in each round, whatever the machine does meanwhile, the best one counts:
     * the effects of ours itself show in each of them.
     */
    Verdict verdict() {
        if (figure == null) {
            return Verdict.NOT_MEASURED;
        }
        return comparison.reach().isReachedBy(counted()) ? Verdict.REACHED : Verdict.MISSED;
    }

    /** The figure that counts. */
    double counted() {
        if (comparison.test()) {
            return comparison.reach().atLeast() ? figure.greatest() : figure.least();
        }
        return figure.median();
    }

    /**
     * Whether ours is slower, beyond doubt: the interval in which the median of the ratio lies is wholly below {@link #SLOWER}. If less is
     * better, it is wholly above the inverse.
     */
    boolean isSlower() {
        double[] interval = figure == null || comparison.theirs() == null ? null : figure.interval();
        return interval != null && (comparison.metric().isMoreBetter() ? interval[1] < SLOWER : interval[0] > 1 / SLOWER);
    }

    /** Whether it fails a test: it was to be the same on every machine, and is not. */
    boolean fails() {
        return comparison.test() && verdict() == Verdict.MISSED;
    }
}
