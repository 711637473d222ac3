package org.panamaverbs.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The Debian packages of programs that the comparison needs. */
final class Packages {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Map<String, String> BY_PROGRAM = new TreeMap<>(Map.of("iperf3", "iperf3", "ucx_perftest", "ucx-utils"));

    private Packages() {
    }

    /**
     * Those of programs that are not here.
     *
     * @param path the path of a program, or {@code null}
     */
    static List<String> missing(UnaryOperator<String> path) {
        return BY_PROGRAM.entrySet().stream().filter(each -> path.apply(each.getKey()) == null).map(Map.Entry::getValue).toList();
    }

    /** Whether this is root on a Debian. */
    static boolean canInstall() {
        return Programs.find("apt-get") != null && "root".equals(System.getProperty("user.name"));
    }

    /**
     * Whether the user wants them installed.
     *
     * @param option whether the command line says so
     * @param user   answers a question, or {@code null} at the end of the input; {@code null} if there is nobody to ask
     */
    static boolean areWanted(List<String> packages, boolean option, UnaryOperator<String> user) {
        if (option || user == null) {
            return option;
        }
        String answer = user.apply(
                "Install " + String.join(" and ", packages) + " by apt-get? Lines that need what is missing are not measured. [y/N] ");
        return answer != null && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
    }

    /** Installs what can be installed. */
    static void install(List<String> packages, Consumer<String> say) throws InterruptedException {
        for (String each : packages) {
            try {
                apt("install", "-y", "-qq", "--no-install-recommends", each);
            } catch (ProgramException e) {
                say.accept(e.getMessage());
            }
        }
    }

    private static void apt(String... arguments) throws ProgramException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("apt-get"));
        command.addAll(List.of(arguments));
        Map<String, String> silent = Map.of("DEBIAN_FRONTEND", "noninteractive");
        try (Child child = new Child("apt-get install", command, silent, LIMIT)) {
            child.awaitOutput();
            return;
        } catch (ProgramException e) {
            // Perhaps for want of lists of packages.
        }
        try (Child update = new Child("apt-get update", List.of("apt-get", "update", "-qq"), silent, LIMIT)) {
            update.awaitOutput();
        }
        try (Child child = new Child("apt-get install", command, silent, LIMIT)) {
            child.awaitOutput();
        }
    }
}
