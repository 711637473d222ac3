package org.panamaverbs.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.panamaverbs.compare.programs.JucxPut;

/**
 * The peers that are measured, found once at the start.
 *
 * @param pverbs   ours
 * @param programs the folder that the ping-pong and the frames, in C, were compiled to
 */
// Tested by CompareTest, NetworkTest.
record Peers(Peer pverbs, Peer iperf3, Peer ucx, Peer pingPong, Peer frames, Peer jucx, Peer java, Peer nio, Path programs) {
    private static final String IPERF3 = "iperf3";
    private static final String UCX = "UCX (ucx_perftest)";
    private static final String PING_PONG = "C ping-pong";
    private static final String FRAMES = "C frames";
    private static final String JUCX = "JUCX";
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration BUILDING = Duration.ofMinutes(15);
    private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");
    private static final Pattern JUCX_JAR = Pattern.compile("jucx-([\\d.]+)\\.jar");

    /** All of them, in the report's order. */
    List<Peer> all() {
        return List.of(pverbs, iperf3, ucx, pingPong, frames, jucx, java, nio);
    }

    /** No peer has been searched yet. */
    static Peers unknown() {
        Peer unknown = Peer.missing("unknown", "not looked for");
        return new Peers(unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, Path.of(""));
    }

    /** The path that a program in C was compiled to, if it could be. */
    String program(String name) {
        return programs.resolve(name).toString();
    }

    /**
     * Finds them.
     *
     * @throws ProgramException if pverbs itself does not start
     */
    static Peers find(Site site) throws ProgramException, InterruptedException {
        Peer pverbs = Peer.present("pverbs", first(output(site.pverbs(), "--version", BUILDING)));
        Path sources = site.root().resolve("benchmarks/comparison/src/main/c");
        String java = System.getProperty("java.runtime.version");
        return new Peers(pverbs, findIperf3(), site.network().withoutOption(findUcx()),
                compile(PING_PONG, sources.resolve("pingpong.c"), site.temporary().resolve("pingpong")),
                compile(FRAMES, sources.resolve("frames.c"), site.temporary().resolve("frames")),
                site.network().withoutOption(findJucx(site)), Peer.present("Java", java),
                site.network().withoutOption(Peer.present("Java NIO", java)), site.temporary());
    }

    private static Peer findIperf3() throws InterruptedException {
        return installed(IPERF3, "iperf3", "apt install iperf3", "--version");
    }

    private static Peer findUcx() throws InterruptedException {
        Peer peer = installed(UCX, "ucx_info", "apt install ucx-utils", "-v");
        if (peer.isPresent() && Programs.find("ucx_perftest") == null) {
            return Peer.missing(UCX, "ucx_perftest is not on the PATH (Debian: apt install ucx-utils)");
        }
        return peer;
    }

    private static Peer installed(String name, String program, String remedy, String option) throws InterruptedException {
        if (Programs.find(program) == null) {
            return Peer.missing(name, program + " is not on the PATH (Debian: " + remedy + ")");
        }
        try {
            return Peer.present(name, first(Programs.output(program, LIMIT, program, option)).replaceFirst("^# Version ", ""));
        } catch (ProgramException e) {
            return Peer.missing(name, e.getMessage());
        }
    }

    static Peer compile(String name, Path source, Path into) throws InterruptedException {
        String compiler = COMPILERS.stream().filter(each -> Programs.find(each) != null).findFirst().orElse(null);
        if (compiler == null) {
            return Peer.missing(name,
                    "no C compiler (" + String.join(", ", COMPILERS) + ") is on the PATH (Debian: apt install gcc libc6-dev)");
        }
        try {
            Programs.output(compiler, LIMIT.multipliedBy(3), compiler, "-O2", "-Wall", "-o", into.toString(), source.toString());
            return Peer.present(name, "compiled by " + first(Programs.output(compiler, LIMIT, compiler, "--version")));
        } catch (ProgramException e) {
            return Peer.missing(name, "it does not compile: " + e.getMessage());
        }
    }

    private static Peer findJucx(Site site) throws InterruptedException {
        String version = "";
        for (Matcher jar = JUCX_JAR.matcher(System.getProperty("java.class.path")); jar.find();) {
            version = jar.group(1);
        }
        List<String> command = new ArrayList<>(site.java());
        command.addAll(List.of(JucxPut.class.getName(), "probe"));
        try (Child child = new Child(JUCX, command, UcxPut.ENVIRONMENT, LIMIT)) {
            child.awaitOutput();
            return Peer.present(JUCX, "org.openucx:jucx " + version);
        } catch (ProgramException e) {
            return Peer.missing(JUCX, "its native library does not fit this machine: " + e.getMessage());
        }
    }

    private static String output(List<String> start, String option, Duration limit) throws ProgramException, InterruptedException {
        List<String> command = new ArrayList<>(start);
        command.add(option);
        return Programs.output("pverbs", limit, command.toArray(String[]::new));
    }

    private static String first(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
