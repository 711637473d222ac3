package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another revision, and the part of it that is compared with this tree. */
class RevisionTest {
    private static final Metric BYTES = Metric.BYTES_PER_SECOND;
    private static final Peer OURS = Peer.present("pverbs", "now");

    private final List<String> said = new ArrayList<>();
    private final Revision baseline = new Revision("62d431d", "before", List.of("old"), "Usage: --size=SIZE --crc=on|off --set=KEY=VALUE",
            "panamaverbs.softiwarp.fpdu 64704\npanamaverbs.softiwarp.crc on");

    @Test
    void shouldTakeTheSourcesOfTheRevision(@TempDir Path root) throws Exception {
        Repository repository = Repository.create(root);
        repository.commit("before", "--size", "1");
        repository.commit("now", "--size --new", "2");
        String commit = Revision.commit(root, "HEAD~1");
        Revision built = Revision.build(root, commit.substring(0, 7), commit, said::add);
        Path folder = root.resolve("benchmarks/comparison/target/baseline").resolve(commit.substring(0, 12));
        assertAll(() -> assertEquals("before", built.version()), () -> assertEquals(commit.substring(0, 7), built.name()),
                () -> assertEquals(List.of(folder.resolve("pverbs").toString()), built.pverbs()),
                () -> assertEquals("--size", built.help().strip()), () -> assertTrue(built.settings().contains("softiwarp.fpdu")));
        // It is not unpacked again.
        Files.writeString(folder.resolve("mark"), "");
        assertEquals("HEAD~1 (" + commit.substring(0, 12) + ")", Revision.build(root, "HEAD~1", commit, said::add).name());
        try (var left = Files.list(folder.getParent())) {
            assertEquals(List.of(folder), left.toList());
        }
        assertTrue(Files.exists(folder.resolve("mark")));
    }

    @Test
    void shouldSayThatThereIsNoSuchRevision(@TempDir Path root) throws Exception {
        Repository repository = Repository.create(root);
        repository.commit("now", "--size", "1");
        assertThrows(ProgramException.class, () -> Revision.commit(root, "nothing"));
        assertThrows(ProgramException.class, () -> Revision.commit(root, "--all"));
    }

    @Test
    void shouldCompareEachFigureOfOursOnce() {
        PverbsPerf write = perf("write", "--size", "1MiB");
        PverbsPerf read = perf("read", "--size", "1MiB");
        Fake iperf3 = new Fake("iperf3", BYTES);
        List<Comparison> against = baseline.against(List.of(Comparison.ratio("a", "Write", write, iperf3, BYTES, Bound.atLeast(1)),
                Comparison.ratio("b", "Read", read, write, BYTES, Bound.atLeast(0.95)),
                Comparison.test("c", "calls", read, Metric.SYSTEM_CALLS_PER_MIB, Bound.atMost(64)),
                Comparison.test("d", "allocated", new Compiled(write, 1), Metric.ALLOCATED_PER_MESSAGE, Bound.atMost(1))));
        assertAll(() -> assertEquals(List.of("baseline-a", "baseline-b", "baseline-c"), against.stream().map(Comparison::id).toList()),
                () -> assertEquals("write: bytes per second", against.getFirst().work()),
                () -> assertEquals(Bound.atLeast(0.95), against.getFirst().reach()),
                () -> assertEquals(Bound.atMost(1.05), against.getLast().reach()),
                () -> assertEquals("write, at 62d431d", against.getFirst().theirs().name()), () -> assertNull(against.getFirst().missing()),
                () -> assertEquals(List.of("write", "write, at 62d431d", "iperf3", "read", "read, at 62d431d"),
                        subjects(against, write, iperf3, read)));
    }

    private static List<String> subjects(List<Comparison> against, Subject write, Subject iperf3, Subject read) {
        List<Comparison> comparisons = List.of(Comparison.ratio("a", "Write", write, iperf3, BYTES, Bound.atLeast(1)),
                Comparison.ratio("b", "Read", read, write, BYTES, Bound.atLeast(0.95)));
        List<String> names = new ArrayList<>();
        for (Comparison each : Revision.sideBySide(comparisons, against)) {
            names.add(each.ours().name());
            names.add(each.theirs().name());
        }
        return names.stream().distinct().toList();
    }

    @Test
    void shouldNotPassOptionsThatItDoesNotKnow() {
        assertAll(() -> assertNull(whyNot("--size", "64", "--set", "panamaverbs.softiwarp.fpdu=1440")),
                () -> assertEquals("pverbs at 62d431d cannot be compared: it does not know the option --idle", whyNot("--idle", "1000")),
                () -> assertEquals("pverbs at 62d431d cannot be compared: it does not know the option --si", whyNot("--si", "64")),
                () -> assertEquals(
                        "pverbs at 62d431d cannot be compared: it does not know the setting panamaverbs.softiwarp.congestion-control",
                        whyNot("--set", "panamaverbs.softiwarp.congestion-control=cubic")));
    }

    @Test
    void shouldKnowWhetherItFindsOutWhenItIsSteady() {
        Revision steady = new Revision("now", "now", List.of("new"), "--warm-up=[M-]N until both JVMs are steady: their", "");
        assertTrue(steady.findsSteadyState() && !baseline.findsSteadyState());
        assertAll(() -> assertEquals("10.000-60.000", new Pace(2, 60).bounds()), () -> assertEquals("10.0", new Pace(2, 60).fixed()),
                () -> assertEquals("0.000-1.500", new Pace(2, 1.5).bounds()), () -> assertEquals("1.5", new Pace(2, 1.5).fixed()),
                () -> assertEquals("40.000-40.000", new Pace(2, 60).withWarmUp(40).bounds()),
                () -> assertEquals("40.0", new Pace(2, 60).withWarmUp(40).fixed()));
    }

    private String whyNot(String... arguments) {
        Comparison comparison = Comparison.test("a", "work", perf("write", arguments), Metric.DIRECT_SHARE, Bound.atLeast(1));
        return baseline.against(List.of(comparison)).getFirst().theirs().peer().why();
    }

    private static PverbsPerf perf(String name, String... arguments) {
        return new PverbsPerf(OURS, Network.ofSystem(), List.of("new"), name, List.of(arguments), true);
    }
}
