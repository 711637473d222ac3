package org.panamaverbs.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.Main;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the benchmarks: JMH's options, {@code --quick}, the allocation profiler, results in a file, and a table that fits a screen. */
public final class Benchmarks {
    /** The file for the results as JSON, unless {@code -rff} says otherwise. */
    private static final String RESULTS = System.getProperty("benchmarks.results", "jmh.json");
    private static final String USAGE = """
            usage: benchmarks/run [--quick] [options of JMH] [regular expressions of names]

              benchmarks/run                      everything, in less than 10 minutes
              benchmarks/run --quick              one size and shorter, in less than 2 minutes: for a first look
              benchmarks/run Placement -p crc=false -p size=4096,64704
              benchmarks/run -l                   lists the benchmarks; -lp with their parameters

            The collector's profiler is always on (gc.alloc.rate.norm: bytes allocated per operation). Results are written to
            benchmarks/jmh/target/jmh.json too, or where -rff says. The options of JMH:
            """;
    /** From here on a path allocates: half of the smallest object. Smaller amounts are the JVM's and JMH's own. */
    static final double ALLOCATES = 8;

    /** In bytes. */
    private static final long LARGEST_SIZE = 1 << 30;

    private Benchmarks() {
    }

    /** Returns 0 to the shell if all ran, 1 if one failed, 2 for wrong options. */
    public static void main(String[] arguments) throws IOException {
        System.exit(run(arguments, System.out, System.err));
    }

    private static int run(String[] arguments, PrintStream out, PrintStream err) throws IOException {
        List<String> ofJmh = new ArrayList<>(List.of(arguments));
        boolean quick = ofJmh.removeIf("--quick"::equals);
        ofJmh.replaceAll(argument -> argument.equals("--help") ? "-h" : argument);
        try {
            CommandLineOptions commandLine = new CommandLineOptions(ofJmh.toArray(String[]::new));
            if (commandLine.shouldHelp()) {
                out.println(USAGE);
                commandLine.showHelp();
                return 0;
            }
            if (commandLine.shouldList() || commandLine.shouldListWithParams() || commandLine.shouldListProfilers()
                    || commandLine.shouldListResultFormats()) {
                Main.main(ofJmh.toArray(String[]::new));
                return 0;
            }
            String refused = refused(commandLine);
            if (refused != null) {
                err.println("benchmarks: " + refused);
                return 2;
            }
            Options options = options(commandLine, quick);
            Path results = Path.of(options.getResult().get());
            if (results.toAbsolutePath().getParent() instanceof Path folder) {
                Files.createDirectories(folder);
            }
            Collection<RunResult> measured = new Runner(options).run();
            print(measured, out);
            out.println("All of it is in " + results + ".");
            return 0;
        } catch (CommandLineOptionException e) {
            err.println("benchmarks: " + e.getMessage() + "; benchmarks/run --help lists the options");
            return 2;
        } catch (NoBenchmarksException e) {
            err.println("benchmarks: no benchmark's name matches; benchmarks/run -l lists them");
            return 2;
        } catch (RunnerException e) {
            err.println("benchmarks: " + reason(e));
            return 1;
        }
    }

    /** The fault of the sizes that were asked for, or {@code null}: JMH would measure nonsense, or fail without saying why. */
    static String refused(CommandLineOptions commandLine) {
        Collection<String> sizes = commandLine.getParameter("size").hasValue() ? commandLine.getParameter("size").get() : List.of();
        for (String size : sizes) {
            if (!size.matches("\\d{1,10}") || Long.parseLong(size) < 1 || Long.parseLong(size) > LARGEST_SIZE) {
                return "a size is 1 to " + LARGEST_SIZE + " bytes, not " + size;
            }
        }
        return null;
    }

    private static String reason(RunnerException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("Unable to acquire the JMH lock")) {
            return "another JMH is measuring on this machine: wait for its end"
                    + " (or, not to: PVERBS_JAVA_OPTS=-Djmh.ignoreLock=true benchmarks/run)";
        }
        return "a benchmark failed, see above: " + message;
    }

    /** The options that the command line leaves open; its own options count. */
    private static Options options(CommandLineOptions commandLine, boolean quick) {
        ChainedOptionsBuilder options = new OptionsBuilder().parent(commandLine);
        if (commandLine.getProfilers().stream().noneMatch(profiler -> profiler.getKlass().equals("gc"))) {
            options.addProfiler(GCProfiler.class);
        }
        if (!commandLine.shouldFailOnError().hasValue()) {
            options.shouldFailOnError(true);
        }
        if (!commandLine.getResult().hasValue()) {
            options.result(RESULTS);
        }
        if (!commandLine.getResultFormat().hasValue()) {
            options.resultFormat(ResultFormatType.JSON);
        }
        if (quick) {
            quicken(commandLine, options);
        }
        return options.build();
    }

    private static void quicken(CommandLineOptions commandLine, ChainedOptionsBuilder options) {
        if (!commandLine.getParameter("size").hasValue()) {
            options.param("size", "16384");
        }
        if (!commandLine.getWarmupIterations().hasValue()) {
            options.warmupIterations(2);
        }
        if (!commandLine.getWarmupTime().hasValue()) {
            options.warmupTime(TimeValue.milliseconds(700));
        }
        if (!commandLine.getMeasurementIterations().hasValue()) {
            options.measurementIterations(3);
        }
        if (!commandLine.getMeasurementTime().hasValue()) {
            options.measurementTime(TimeValue.milliseconds(300));
        }
    }

    /** A line each, and which of them allocate: JMH's own table has four. */
    private static void print(Collection<RunResult> results, PrintStream out) {
        out.println();
        out.printf(Locale.ROOT, "%-38s %-22s %14s %10s %10s%n", "benchmark", "", "score", "+-", "B/op");
        List<String> allocating = new ArrayList<>();
        for (RunResult result : results) {
            Result<?> primary = result.getPrimaryResult();
            double bytes = allocated(result);
            out.printf(Locale.ROOT, "%-38s %-22s %14.1f %10s %10.1f %s%n", name(result.getParams()), parameters(result.getParams()),
                    primary.getScore(), error(primary.getScoreError()), bytes, primary.getScoreUnit());
            if (bytes >= ALLOCATES) {
                allocating.add(name(result.getParams()));
            }
        }
        out.println();
        out.println(allocating.isEmpty() ? "Nothing is allocated per operation."
                : "These allocate, and should not: " + String.join(", ", allocating.stream().distinct().toList()));
    }

    private static String name(BenchmarkParams parameters) {
        String name = parameters.getBenchmark();
        return name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
    }

    private static String parameters(BenchmarkParams parameters) {
        StringBuilder text = new StringBuilder();
        for (String key : parameters.getParamsKeys()) {
            text.append(key).append('=').append(parameters.getParam(key)).append(' ');
        }
        return text.toString().strip();
    }

    /** JMH has none for fewer than three iterations. */
    private static String error(double error) {
        return Double.isNaN(error) ? "" : String.format(Locale.ROOT, "%.1f", error);
    }

    /**
     * Bytes allocated per operation, by all threads: the least of the iterations, since JMH's own work at their ends is counted too, and
     * the allocations of a path show in each.
     */
    static double allocated(RunResult result) {
        double least = Double.NaN;
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                Result<?> bytes = iteration.getSecondaryResults().get("gc.alloc.rate.norm");
                if (bytes != null && !(least <= bytes.getScore())) {
                    least = bytes.getScore();
                }
            }
        }
        return least;
    }
}
