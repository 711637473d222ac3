package org.panamaverbs.compare;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The machine that the comparison runs on. */
final class Machine {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private Machine() {
    }

    /** By name, in the report's order. */
    static Map<String, String> describe(Site site, double loadBefore) throws InterruptedException {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("processor", field("/proc/cpuinfo", "model name", ":", System.getProperty("os.arch")));
        machine.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        machine.put("memory", memory());
        machine.put("system", field("/etc/os-release", "PRETTY_NAME", "=", System.getProperty("os.name")).replace("\"", ""));
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("TCP congestion control", site.network().text());
        machine.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        machine.put("load before", String.format(Locale.ROOT, "%.2f", loadBefore));
        machine.put("revision", site.instead() == null ? revision(site.root()) : site.instead().name());
        return machine;
    }

    /** How many threads wanted a processor in the last minute; negative if the system does not say. */
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String field(String file, String name, String separator, String otherwise) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name) && line.contains(separator)).findFirst()
                    .map(line -> line.substring(line.indexOf(separator) + 1).strip()).orElse(otherwise);
        } catch (IOException e) {
            return otherwise;
        }
    }

    private static String memory() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            return String.format(Locale.ROOT, "%.1f GiB", system.getTotalMemorySize() / (double) (1L << 30));
        }
        return "unknown";
    }

    private static String revision(Path root) throws InterruptedException {
        String where = root.toString();
        try {
            String revision = Programs.output("git", LIMIT, "git", "-C", where, "rev-parse", "--short=12", "HEAD").strip();
            boolean changed = !Programs.output("git", LIMIT, "git", "-C", where, "status", "--porcelain", "-uno").isBlank();
            return revision + (changed ? ", with changes" : "");
        } catch (ProgramException e) {
            return "unknown";
        }
    }

    /** The doubts to know before one believes the figures. */
    static List<String> doubts(double loadBefore) {
        double calm = 0.3;
        return loadBefore > calm
                ? List.of(String.format(Locale.ROOT, "The machine was not quiet: its load was %.2f before the first run.", loadBefore))
                : List.of();
    }
}
