package org.panamaverbs.compare;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code benchmarks/compare}: runs ours and theirs in turn, and writes the report. */
@Command(name = "benchmarks/compare", mixinStandardHelpOptions = true, description = {
        "Measures panama-verbs beside iperf3, UCX, JUCX, a ping-pong in C and plain NIO, in turn, on this machine, over loopback.",
        "Writes results.json, report.md and charts. Exit status: 0; 1 where the run ended early, or what does not depend on the machine's"
                + " speed was missed; 2 for wrong options." })
public final class Compare implements Callable<Integer> {
    /** In the names of subjects whose latencies are half of round trips. */
    static final String PING_PONG = "ping-pong";
    /** In the names of subjects whose latencies are those of an operation. */
    private static final String ONE_AT_A_TIME = "one at a time";

    /** In --only: the charts by size and connections. */
    private static final String CHARTS = "charts";
    private static final int MOST_ROUNDS = 99;
    private static final double LONGEST = 600;
    private static final long LAST_WORDS_SECONDS = 20;
    private static final long[] SIZES = { 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20 };
    private static final long[] FEW_SIZES = { 64, 64 << 10, 1 << 20 };
    private static final long[] CONNECTIONS = { 1, 2, 4, 8, 16, 32, 64 };
    private static final long[] FEW_CONNECTIONS = { 1, 8 };
    private static final int IDLE = 10_000;
    private static final int FEW_IDLE = 1000;

    @Option(names = "--quick", description = "One round, and shorter, in about 9 minutes: for a first look, and for what does not depend on speed. It judges no speeds.")
    private boolean quick;

    @Option(names = "--rounds", paramLabel = "N", description = "How often each is run; medians count. Default: 5; 6 with --baseline; 1 with --quick.")
    private Integer rounds;

    @Option(names = "--seconds", paramLabel = "N", description = "How long each run is measured. Default: 2; 0.5 with --quick.")
    private Double seconds;

    @Option(names = "--warm-up", paramLabel = "N", description = {
            "Seconds of warm-up of JVMs at most: it ends when they are steady, and that is when the compilers of both ends were quiet for two seconds.",
            "From 10 on, it takes 10 at least, and the report also has the figures of these first ten seconds. Default: 60; 1.5 with --quick." })
    private Double warmUp;

    @Option(names = "--congestion-control", paramLabel = "NAME", description = {
            "TCP's congestion control, of both sides of every comparison; system leaves it to the system. Default: cubic.",
            "As root all run in a network namespace of their own. Else each program gets an option, and UCX, JUCX and NIO, which have none, are"
                    + " left out. If the system's own is that one already, neither is needed." })
    private String congestionControl;

    @Option(names = "--baseline", paramLabel = "REVISION", description = {
            "Another revision of this clone, which is built below benchmarks/comparison/target/baseline: a table says what this tree's pverbs perf carries"
                    + " beside that one's, by turns in the same rounds." })
    private String baseline;

    @Option(names = "--revision", paramLabel = "REVISION", description = "Measures the pverbs perf of this revision in place of this tree's;"
            + " it is built as that of --baseline is.")
    private String revision;

    @Option(names = "--only", split = ",", paramLabel = "TEXT", description = {
            "Only the comparison of this id, or all with this text in their id, work or what they are compared with (--list shows them); no"
                    + " charts by size and connections, unless " + CHARTS + " is named. Several are separated by commas." })
    private List<String> only = List.of();

    @Option(names = "--list", description = "Lists the comparisons.")
    private boolean list;

    @Option(names = "--install", description = "Installs iperf3 and ucx-utils if they are missing, as root on a Debian. Default: asks on a terminal, else installs nothing.")
    private boolean install;

    @Option(names = "--output", paramLabel = "DIR", description = "Where the report goes. Default: benchmarks/comparison/target/report.")
    private Path output;

    @Spec
    private CommandSpec spec;

    private final Path root;
    private final List<String> pverbs;
    private final PrintStream out;
    private final List<String> notes = new ArrayList<>();
    private double load;
    private String failure;

    /**
     * For a clone.
     *
     * @param root   of the clone
     * @param pverbs the command that starts pverbs
     * @param out    hears how it goes on
     */
    Compare(Path root, List<String> pverbs, PrintStream out) {
        this.root = root;
        this.pverbs = pverbs;
        this.out = out;
    }

    /** Ends the process with the status that the description names. If it is interrupted, the results so far are written all the same. */
    public static void main(String[] arguments) {
        System.setProperty("java.awt.headless", "true");
        Path root = Path.of(System.getProperty("compare.root", "."));
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Child.stopAll();
            try {
                done.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        int status = CommandLine.ExitCode.SOFTWARE;
        try {
            status = commandLine(new Compare(root, List.of(root.resolve("pverbs").toString()), System.out), System.err).execute(arguments);
        } finally {
            done.countDown();
        }
        System.exit(status);
    }

    static CommandLine commandLine(Compare compare, PrintStream errors) {
        CommandLine commandLine = new CommandLine(compare);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setParameterExceptionHandler((exception, ignored) -> {
            errors.println("compare: " + exception.getMessage() + " (benchmarks/compare --help tells more)");
            return CommandLine.ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((exception, ignored, parsed) -> {
            errors.println("compare: " + (exception instanceof ProgramException ? exception.getMessage() : exception.toString()));
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commandLine;
    }

    @Override
    public Integer call() throws IOException, ProgramException, InterruptedException {
        if (list) {
            known().forEach(
                    each -> out.printf("%-20s %s%s%n", each.id(), each.work(), each.against().isEmpty() ? "" : " / " + each.against()));
            return 0;
        }
        if (congestionControl != null && !Network.NAME.matcher(congestionControl).matches()) {
            throw refused("--congestion-control is a name such as cubic, or system, not \"" + congestionControl + "\"");
        }
        Pace pace = new Pace(within("--seconds", seconds, quick ? 0.5 : 2, 0.01), within("--warm-up", warmUp, quick ? 1.5 : 60, 0));
        int times = rounds != null ? rounds : quick ? 1 : baseline != null ? Summary.LEAST_FOR_INTERVAL : 5;
        if (times < 1 || times > MOST_ROUNDS) {
            throw refused("--rounds is 1 to " + MOST_ROUNDS + ", not " + times);
        }
        List<String> unknown = only.stream()
                .filter(text -> !text.equals(CHARTS) && known().stream().noneMatch(each -> each.isMeantBy(text, known()))).toList();
        if (!unknown.isEmpty()) {
            throw refused("there is no comparison " + String.join(", ", unknown) + "; --list names them");
        }
        // Before we build anything.
        load = Machine.load();
        String commit = baseline == null ? null : commit("--baseline", baseline);
        String measured = revision == null ? null : commit("--revision", revision);
        installMissing();
        Path folder = output != null ? output : root.resolve("benchmarks/comparison/target/report");
        Files.createDirectories(folder);
        Path temporary = Files.createTempDirectory("compare");
        try (Network network = network()) {
            Revision older = commit == null ? null : Revision.build(root, baseline, commit, this::say);
            Site site = Site.ofThisTree(root, pverbs, java(), temporary, network);
            return compare(measured == null ? site : site.with(inPlaceOfOurs(measured)), older, pace, times, folder);
        } finally {
            remove(temporary);
        }
    }

    private void installMissing() throws InterruptedException {
        List<String> packages = Packages.missing(Programs::find);
        if (packages.isEmpty() || !Packages.canInstall()) {
            return;
        }
        Console console = System.console();
        boolean terminal = console != null && console.isTerminal();
        if (Packages.areWanted(packages, install, terminal ? question -> console.readLine("%s", question) : null)) {
            say("installing " + String.join(", ", packages));
            Packages.install(packages, this::say);
        }
    }

    private String commit(String option, String name) throws InterruptedException {
        try {
            return Revision.commit(root, name);
        } catch (ProgramException e) {
            throw refused(option + " is a revision of this clone, not \"" + name + "\": " + e.getMessage());
        }
    }

    private Revision inPlaceOfOurs(String commit) throws ProgramException, IOException, InterruptedException {
        Revision built = Revision.build(root, revision, commit, this::say);
        notes.add("If this report says pverbs or this tree, it means revision " + built.name() + " (`--revision`).");
        return built;
    }

    private Network network() throws ProgramException {
        boolean root = "root".equals(System.getProperty("user.name"));
        if (congestionControl != null) {
            Network network = Network.open(congestionControl, root);
            if (!network.congestionControl().equals(Network.USUAL)) {
                notes.add("The reaches are meant for " + Network.USUAL + ", and this run had " + network.congestionControl() + ".");
            }
            return network;
        }
        try {
            return Network.open(Network.USUAL, root);
        } catch (ProgramException e) {
            // Nobody has asked for it.
            notes.add("**Not under " + Network.USUAL + ", for which the reaches are meant:** " + e.getMessage() + ".");
            return Network.ofSystem();
        }
    }

    private double within(String option, Double wanted, double otherwise, double least) {
        double value = wanted != null ? wanted : otherwise;
        if (!(value >= least && value <= LONGEST)) {
            throw refused(String.format(Locale.ROOT, "%s is %s to %.0f, not %s", option, least, LONGEST, value));
        }
        return value;
    }

    private ParameterException refused(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** A JVM with our class path. */
    private static List<String> java() {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-classpath", System.getProperty("java.class.path"));
    }

    private int compare(Site site, Revision older, Pace pace, int times, Path folder)
            throws IOException, ProgramException, InterruptedException {
        Instant started = Instant.now();
        long start = System.nanoTime();
        Peers peers = Peers.find(site);
        Catalogue catalogue = new Catalogue(site, peers);
        List<Comparison> everyRound = chosen(catalogue.ofEveryRound());
        List<Comparison> once = chosen(catalogue.once(quick ? FEW_IDLE : IDLE));
        List<Comparison> against = older == null ? List.of() : older.against(everyRound);
        List<Comparison> againstOnce = older == null ? List.of() : older.against(once);
        notes.addAll(Machine.doubts(load));
        peers.all().stream().filter(peer -> !peer.isPresent()).forEach(peer -> say(peer.why()));
        Map<String, String> machine = Machine.describe(site, load);
        Rounds rounds = new Rounds(Revision.sideBySide(everyRound, against), this::say);
        Rounds single = new Rounds(Revision.sideBySide(once, againstOnce), this::say);
        Sweeps sweeps = new Sweeps(catalogue, this::say);
        try {
            rounds.run(times, pace);
            single.run(1, pace);
            if (only.isEmpty() || only.contains(CHARTS)) {
                sweeps.bySize(quick ? FEW_SIZES : SIZES, pace.withoutFirstSeconds());
                sweeps.byConnections(quick ? FEW_CONNECTIONS : CONNECTIONS, pace.withoutFirstSeconds());
            }
        } catch (ProgramException e) {
            failure = Child.areStopped() ? "it was interrupted" : e.getMessage();
            say("the run ends: " + failure);
        }
        List<Outcome> outcomes = outcomes(everyRound, rounds, once, single);
        List<Peer> measured = new ArrayList<>(peers.all());
        if (older != null) {
            measured.add(1, older.peer());
        }
        // Of this tree, and not of the other revision.
        single.done().forEach(readings -> readings.forEach((subject, reading) -> {
            if (subject.peer().equals(peers.pverbs())) {
                noteMemory(reading);
            }
        }));
        Report report = new Report(started.truncatedTo(ChronoUnit.SECONDS).toString(), (System.nanoTime() - start) / 1e9, quick, times,
                pace, site.network().congestionControl(), machine, measured, outcomes, older == null ? null : older.name(),
                outcomes(against, rounds, againstOnce, single), sweeps.bandwidth(), sweeps.rate(), latencies(rounds.done()), notes,
                failure);
        write(report, folder);
        return report.isComplete() && outcomes.stream().noneMatch(Outcome::fails) ? 0 : 1;
    }

    private static List<Outcome> outcomes(List<Comparison> everyRound, Rounds rounds, List<Comparison> once, Rounds single) {
        return Stream.concat(everyRound.stream().map(each -> Outcome.of(each, rounds.done())),
                once.stream().map(each -> Outcome.of(each, single.done()))).toList();
    }

    private void noteMemory(Reading reading) {
        if (reading.get(Metric.BYTES_EACH) != null) {
            notes.add("Of an idle queue pair's memory " + Metric.HEAP_BYTES_EACH.text(reading.get(Metric.HEAP_BYTES_EACH))
                    + " are heap, and " + Metric.NATIVE_BYTES_EACH.text(reading.get(Metric.NATIVE_BYTES_EACH)) + " native.");
        }
    }

    private List<Comparison> chosen(List<Comparison> all) {
        return only.isEmpty() ? all : all.stream().filter(each -> only.stream().anyMatch(text -> each.isMeantBy(text, known()))).toList();
    }

    private static List<Comparison> known() {
        Catalogue catalogue = new Catalogue(Site.ofThisTree(Path.of(""), List.of(), List.of(), Path.of(""), Network.ofSystem()),
                Peers.unknown());
        return Stream.concat(catalogue.ofEveryRound().stream(), catalogue.once(IDLE).stream()).toList();
    }

    /** Of those that had one message at a time under way: medians of each percentile. */
    private static Map<String, Reading> latencies(List<Map<Subject, Reading>> rounds) {
        Map<String, Reading> latencies = new LinkedHashMap<>();
        rounds.stream().flatMap(round -> round.keySet().stream()).distinct()
                .filter(subject -> subject.name().contains(PING_PONG) || subject.name().contains(ONE_AT_A_TIME))
                .forEach(subject -> latencies.put(subject.name(), median(rounds.stream().map(round -> round.get(subject)).toList())));
        return latencies;
    }

    private static Reading median(List<Reading> readings) {
        Reading median = new Reading(Map.of(), null);
        for (Metric metric : Metric.values()) {
            List<Double> values = readings.stream().filter(each -> each != null && each.get(metric) != null).map(each -> each.get(metric))
                    .toList();
            if (!values.isEmpty()) {
                median = median.with(metric, new Summary(values).median());
            }
        }
        return median;
    }

    private void write(Report report, Path folder) throws IOException {
        Files.writeString(folder.resolve("results.json"), Json.text(report));
        List<String> charts = List.of();
        try {
            charts = Charts.draw(report, folder);
        } catch (IOException | RuntimeException | LinkageError e) {
            // A JRE without fonts; the figures are worth more.
            say("no charts could be drawn: " + e);
        }
        String markdown = Markdown.text(report, charts);
        Files.writeString(folder.resolve("report.md"), markdown);
        out.println();
        out.println(markdown.lines().takeWhile(line -> !line.equals(Markdown.DETAILS)).reduce("", (all, line) -> all + line + "\n"));
        say("all of it is in " + folder);
    }

    private void say(String line) {
        out.println("compare: " + line);
        out.flush();
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
