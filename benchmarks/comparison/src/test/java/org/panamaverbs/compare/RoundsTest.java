package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.compare.Outcome.Verdict;

/** Rounds, and their results. */
class RoundsTest {
    private static final Pace PACE = new Pace(1, 0);
    private static final Metric METRIC = Metric.BYTES_PER_SECOND;

    private final List<String> said = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({ "5, 5, 5, 5", "3 1 2, 2, 1, 3", "4 1 2 3, 2.5, 1, 4", "9 1 5 3 7, 5, 1, 9" })
    void shouldSumUp(String values, double median, double least, double greatest) {
        Summary summary = new Summary(List.of(values.split(" ")).stream().map(Double::valueOf).toList());
        assertAll(() -> assertEquals(median, summary.median()), () -> assertEquals(least, summary.least()),
                () -> assertEquals(greatest, summary.greatest()));
    }

    /** Of 6 values all, of 41 the 14th from either end: the tables of the sign test have these numbers. */
    @ParameterizedTest
    @CsvSource({ "6, 1, 6", "8, 1, 8", "9, 2, 8", "20, 6, 15", "41, 14, 28" })
    void shouldKnowWhereTheMedianLies(int values, double from, double to) {
        Summary summary = new Summary(IntStream.rangeClosed(1, values).mapToObj(Double::valueOf).toList().reversed());
        assertArrayEquals(new double[] { from, to }, summary.interval());
    }

    @Test
    void shouldNotKnowItOfFewValues() {
        assertNull(new Summary(List.of(1.0, 2.0, 3.0, 4.0, 5.0)).interval());
    }

    /** More is better of the first metric, less of the second. */
    @ParameterizedTest
    @CsvSource({ "0.90 0.91 0.92 0.93 0.94 0.96, true, false", "0.90 0.91 0.92 0.93 0.94 0.98, false, false",
            "0.90 0.91 0.92 0.93 0.94, false, false", "1.04 1.05 1.06 1.07 1.08 1.50, false, true",
            "1.02 1.05 1.06 1.07 1.08 1.50, false, false" })
    void shouldTellWhatIsSlowerBeyondDoubt(String ratios, boolean ifMoreIsBetter, boolean ifLessIsBetter) {
        Summary figure = new Summary(List.of(ratios.split(" ")).stream().map(Double::valueOf).toList());
        assertEquals(ifMoreIsBetter, outcome(METRIC, figure).isSlower());
        assertEquals(ifLessIsBetter, outcome(Metric.P50_MICROS, figure).isSlower());
    }

    private static Outcome outcome(Metric metric, Summary figure) {
        Comparison comparison = Comparison.ratio("id", "work", new Fake("a", metric), new Fake("b", metric), metric, Bound.atLeast(0));
        return new Outcome(comparison, null, null, null, null, figure, null);
    }

    @Test
    void shouldDivideWithinARoundAndTakeTheMedianOfThose() throws Exception {
        // The machine was ten times slower in the second round, for both.
        Comparison comparison = comparison(new Fake("a", METRIC, 100.0, 10.0, 90.0), new Fake("b", METRIC, 50.0, 5.0, 90.0));
        Outcome outcome = run(3, comparison);
        assertAll(() -> assertEquals(List.of(2.0, 2.0, 1.0), outcome.figure().values()), () -> assertEquals(2.0, outcome.figure().median()),
                () -> assertEquals(90.0, outcome.ours().median()), () -> assertEquals(Verdict.REACHED, outcome.verdict()));
    }

    @ParameterizedTest
    @CsvSource({ "1.0, true, 1.0, REACHED", "0.99, true, 1.0, MISSED", "1.15, false, 1.15, REACHED", "1.16, false, 1.15, MISSED" })
    void shouldKnowWhatIsReached(double ours, boolean atLeast, double reach, Verdict verdict) throws Exception {
        Comparison comparison = Comparison.ratio("x", "work", new Fake("a", METRIC, ours), new Fake("b", METRIC, 1.0), METRIC,
                new Bound(reach, atLeast));
        Outcome outcome = run(1, comparison);
        assertAll(() -> assertEquals(verdict, outcome.verdict()), () -> assertFalse(outcome.fails(), "speed fails no test"));
    }

    @Test
    void shouldFailWhatIsNoMatterOfSpeedOnlyWhereEveryRoundMissed() throws Exception {
        Comparison once = Comparison.test("x", "work", new Fake("a", METRIC, 0.9, 1.0, 0.9), METRIC, Bound.atLeast(1));
        Comparison never = Comparison.test("y", "work", new Fake("b", METRIC, 2.0, 3.0, 4.0), METRIC, Bound.atMost(1));
        assertAll(() -> assertFalse(run(3, once).fails()), () -> assertTrue(run(3, never).fails()));
    }

    @Test
    void shouldRunASubjectOfTwoComparisonsOnce() throws Exception {
        Fake shared = new Fake("shared", METRIC, 1.0);
        Rounds rounds = new Rounds(List.of(comparison(new Fake("a", METRIC, 1.0), shared), comparison(new Fake("b", METRIC, 1.0), shared)),
                said::add);
        rounds.run(1, PACE);
        assertEquals(1, shared.runs);
    }

    @Test
    void shouldGoBackwardsEveryOtherRound() throws Exception {
        Rounds rounds = new Rounds(List.of(comparison(new Fake("a", METRIC, 1.0, 1.0), new Fake("b", METRIC, 1.0, 1.0))), said::add);
        rounds.run(2, PACE);
        assertEquals(List.of("round 1 of 2, 1 of 2: a", "round 1 of 2, 2 of 2: b", "round 2 of 2, 1 of 2: b", "round 2 of 2, 2 of 2: a"),
                said);
    }

    @Test
    void shouldNameAMissingPeerAndMeasureTheOther() throws Exception {
        Fake missing = new Fake("theirs", Peer.missing("iperf3", "iperf3 is not on the PATH (Debian: apt install iperf3)"), METRIC);
        Fake ours = new Fake("ours", METRIC, 3.0);
        Outcome outcome = run(1, comparison(ours, missing));
        assertAll(() -> assertEquals(0, missing.runs), () -> assertEquals(3.0, outcome.ours().median()), () -> assertNull(outcome.theirs()),
                () -> assertEquals(Verdict.NOT_MEASURED, outcome.verdict()), () -> assertFalse(outcome.fails()),
                () -> assertEquals("iperf3 is missing: iperf3 is not on the PATH (Debian: apt install iperf3)", outcome.why()));
    }

    @ParameterizedTest
    @CsvSource({ "write-1m, write-1m", "write-1m-, write-1m-crc", "WRITE, write-1m write-1m-crc", "ucx, write-1m-crc", "64, ''" })
    void shouldFindComparisonsByIdOrElseByPartOfTheirName(String text, String ids) {
        Subject ours = new Fake("ours", METRIC);
        List<Comparison> all = List.of(
                Comparison.ratio("write-1m", "Write, 1 MiB", ours, new Fake("iperf3", METRIC), METRIC, Bound.atLeast(1)),
                Comparison.ratio("write-1m-crc", "Write, 1 MiB, CRC on", ours, new Fake("UCX tcp", METRIC), METRIC, Bound.atLeast(1)),
                Comparison.test("direct", "placed directly", ours, Metric.DIRECT_SHARE, Bound.atLeast(0.99)));
        assertEquals(ids, all.stream().filter(each -> each.isMeantBy(text, all)).map(Comparison::id).collect(Collectors.joining(" ")));
    }

    @Test
    void shouldKeepWhatWasMeasuredBeforeAPeerDied() {
        Comparison before = comparison(new Fake("a", METRIC, 2.0, 2.0), new Fake("b", METRIC, 1.0));
        Comparison after = comparison(new Fake("c", METRIC), new Fake("d", METRIC, 1.0));
        Rounds rounds = new Rounds(List.of(before, after), said::add);
        ProgramException death = assertThrows(ProgramException.class, () -> rounds.run(2, PACE));
        assertAll(() -> assertEquals("c was ended by signal 9", death.getMessage()),
                () -> assertEquals(List.of(2.0), Outcome.of(before, rounds.done()).figure().values()),
                () -> assertEquals("the run ended before it was measured", Outcome.of(after, rounds.done()).why()));
    }

    @Test
    void shouldGiveTheCompilerTimeButNotForever() throws Exception {
        Fake compiledLate = new Fake("late", Metric.ALLOCATED_PER_MESSAGE, 40.0, 3.0, 0.1, 0.0);
        Fake allocates = new Fake("allocates", Metric.ALLOCATED_PER_MESSAGE, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0);
        assertAll(() -> assertEquals(0.1, new Compiled(compiledLate, 1).measure(PACE).get(Metric.ALLOCATED_PER_MESSAGE)),
                () -> assertEquals(16.0, new Compiled(allocates, 1).measure(PACE).get(Metric.ALLOCATED_PER_MESSAGE)),
                () -> assertEquals(6, allocates.runs));
    }

    private static Comparison comparison(Subject ours, Subject theirs) {
        return Comparison.ratio("id", "work", ours, theirs, METRIC, Bound.atLeast(1));
    }

    private Outcome run(int rounds, Comparison comparison) throws Exception {
        Rounds all = new Rounds(List.of(comparison), said::add);
        all.run(rounds, PACE);
        return Outcome.of(comparison, all.done());
    }
}
