package org.panamaverbs.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Another revision of this clone, built from its own sources into a folder of its own, whose {@code pverbs perf} runs by turns with ours.
 *
 * @param name     for people
 * @param version  of its pverbs
 * @param pverbs   the command that starts it
 * @param help     its text about the options of perf
 * @param settings its text about its settings
 */
record Revision(String name, String version, List<String> pverbs, String help, String settings) {
    /** The least ratio to reach, if more of a figure is better. */
    private static final double AT_LEAST = 0.95;
    /** The greatest, if less is better. */
    private static final double AT_MOST = 1.05;
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration BUILDING = Duration.ofMinutes(15);
    private static final int SHORT = 12;

    /**
     * The commit that a revision names.
     *
     * @throws ProgramException if there is none, or no git
     */
    static String commit(Path root, String revision) throws ProgramException, InterruptedException {
        return git(root, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}").strip();
    }

    /** Builds a commit, unless that was done before; {@code revision} is its user's name for it. */
    static Revision build(Path root, String revision, String commit, Consumer<String> say)
            throws ProgramException, IOException, InterruptedException {
        String abbreviated = commit.substring(0, SHORT);
        Path folder = root.resolve("benchmarks/comparison/target/baseline").resolve(abbreviated);
        if (!Files.exists(folder)) {
            unpack(root, commit, folder);
        }
        say.accept("building " + revision + " in " + folder + ", if need be");
        // Its own launcher builds it if that was not done.
        List<String> pverbs = List.of(folder.resolve("pverbs").toString());
        String name = commit.startsWith(revision) ? revision.substring(0, Math.min(revision.length(), SHORT))
                : revision + " (" + abbreviated + ")";
        return new Revision(name, output(pverbs, BUILDING, "--version").lines().findFirst().orElse("").strip(), pverbs,
                output(pverbs, LIMIT, "perf", "--help"), output(pverbs, LIMIT, "config"));
    }

    private static void unpack(Path root, String commit, Path folder) throws ProgramException, IOException, InterruptedException {
        Files.createDirectories(folder.getParent());
        // It has its name only once it is whole.
        Path part = Files.createTempDirectory(folder.getParent(), "part");
        Path archive = part.resolve("archive.tar");
        git(root, "archive", "--format=tar", "--output=" + archive, commit);
        Path tree = Files.createDirectory(part.resolve("tree"));
        Programs.output("tar", LIMIT, "tar", "-xf", archive.toString(), "-C", tree.toString());
        Files.move(tree, folder);
        Files.delete(archive);
        Files.delete(part);
    }

    private static String git(Path root, String... arguments) throws ProgramException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        return Programs.output("git", LIMIT, command.toArray(String[]::new));
    }

    private static String output(List<String> pverbs, Duration limit, String... arguments) throws ProgramException, InterruptedException {
        List<String> command = new ArrayList<>(pverbs);
        command.addAll(List.of(arguments));
        return Programs.output(pverbs.getFirst(), limit, command.toArray(String[]::new));
    }

    /** As a line of those that are measured. */
    Peer peer() {
        return Peer.present("pverbs at " + name, version);
    }

    /**
     * Ours beside this one in each figure of {@code pverbs perf} that the comparisons look at. Allocations are left out: a ratio of
     * two figures that are almost 0 says nothing.
     */
    List<Comparison> against(List<Comparison> comparisons) {
        List<Comparison> against = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Comparison each : comparisons) {
            add(against, seen, each.id(), each.ours(), each.metric());
            add(against, seen, each.id() + "-other", each.theirs(), each.metric());
        }
        return against;
    }

    private void add(List<Comparison> against, Set<String> seen, String id, Subject subject, Metric metric) {
        if (subject instanceof PverbsPerf ours && seen.add(ours.name() + metric)) {
            Bound reach = metric.isMoreBetter() ? Bound.atLeast(AT_LEAST) : Bound.atMost(AT_MOST);
            against.add(Comparison.ratio("baseline-" + id, ours.name() + ": " + metric.what(), ours, twin(ours), metric, reach));
        }
    }

    /** The same, measured by the other revision. */
    private PverbsPerf twin(PverbsPerf ours) {
        return new PverbsPerf(withArguments(peer(), ours.arguments()), ours.network(), pverbs, ours.name() + ", at " + name,
                ours.arguments(), findsSteadyState());
    }

    /** Whether its perf finds out when its JVMs are steady. */
    boolean findsSteadyState() {
        return knows(help, "steady");
    }

    /** The peer of a measurement by this revision with these arguments of perf: one that cannot be compared if it does not know them. */
    Peer withArguments(Peer peer, List<String> arguments) {
        String unknown = unknown(arguments);
        return unknown == null ? peer : Peer.incomparable(peer.name(), version, "it does not know " + unknown);
    }

    /** The first option or setting among the arguments of perf that this revision does not have; {@code null} if it has all. */
    private String unknown(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.startsWith("--") && !knows(help, argument)) {
                return "the option " + argument;
            }
            if (argument.equals("--set")) {
                String setting = arguments.get(i + 1).replaceFirst("=.*", "");
                if (!knows(settings, setting)) {
                    return "the setting " + setting;
                }
            }
        }
        return null;
    }

    private static boolean knows(String text, String word) {
        return Pattern.compile("(?<![\\w.-])" + Pattern.quote(word) + "(?![\\w.-])").matcher(text).find();
    }

    /** The comparisons, each with those of the same subjects against this revision next to it, so that these run one after the other. */
    static List<Comparison> sideBySide(List<Comparison> comparisons, List<Comparison> against) {
        List<Comparison> all = new ArrayList<>();
        for (Comparison each : comparisons) {
            against.stream().filter(other -> other.ours().equals(each.ours())).forEach(all::add);
            all.add(each);
            against.stream().filter(other -> other.ours().equals(each.theirs())).forEach(all::add);
        }
        return all;
    }
}
