package org.panamaverbs.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The loopback that all programs of a run share, under one TCP congestion control: with BBR, the default of some machines, TCP paces what it
 * sends on loopback too, and that holds some programs back more than others. Either the system's default is the one that is wanted; or the
 * programs run in a network namespace of their own, for which root is needed; or each program gets an option, if it has one.
 */
final class Network implements AutoCloseable {
    /** The congestion control by default: most systems have it. */
    static final String USUAL = "cubic";
    /** Stands for the system's own choice. */
    static final String SYSTEM = "system";
    /** The form of a congestion control's name. */
    static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,15}");

    private static final String FILES = "/proc/sys/net/ipv4/tcp_";
    /** In a mask of capabilities (capabilities(7), linux/capability.h). */
    private static final long CAP_NET_ADMIN = 1 << 12;
    private static final String UNKNOWN = "unknown";
    /**
     * The routes name the congestion control. The sysctl belongs to the namespace too, but in any other than the first it takes only the
     * names in tcp_allowed_congestion_control. The shell becomes cat, which ends when we do, and the namespace ends with it.
     */
    private static final String NAMESPACE = """
            ip link set lo up || exit
            for range in 127.0.0.0/8 127.0.0.1; do
              ip route change local "$range" dev lo proto kernel scope host src 127.0.0.1 table local congctl "$1" || exit
            done
            echo ready && exec cat""";
    private static final Pattern SAID = Pattern.compile("\"(?:congestionControl|\\w+_tcp_congestion)\"\\s*:\\s*\"([^\"]*)\"");

    private final String congestionControl;
    private final String how;
    /** Keeps the namespace, or is {@code null}. */
    private final Process keeper;
    private final boolean byOption;

    private Network(String congestionControl, String how, Process keeper, boolean byOption) {
        this.congestionControl = congestionControl;
        this.how = how;
        this.keeper = keeper;
        this.byOption = byOption;
    }

    /** The network as the system has it. */
    static Network ofSystem() {
        return new Network(system(), "the system's", null, false);
    }

    /** One in which each program that can gets an option. */
    static Network byOption(String congestionControl, String reason) {
        return new Network(congestionControl, "by an option of each program, as " + reason + "; the system's is " + system(), null, true);
    }

    /**
     * Makes it.
     *
     * @param wanted the name of a congestion control, or {@link #SYSTEM}
     * @param root   whether to try a namespace
     * @throws ProgramException if the system does not let us have that one, with the reason
     */
    static Network open(String wanted, boolean root) throws ProgramException {
        if (wanted.equals(SYSTEM) || wanted.equals(system())) {
            return ofSystem();
        }
        if (system().equals(UNKNOWN)) {
            throw new ProgramException("TCP's congestion control cannot be set to " + wanted + " here: only Linux can");
        }
        String obstacle = "only root can make a namespace";
        if (root) {
            try {
                return inNamespace(wanted);
            } catch (ProgramException e) {
                obstacle = e.getMessage();
            }
        }
        String choice = FILES + (maySetAny() ? "available" : "allowed") + "_congestion_control";
        if (!Arrays.asList(line(choice).split(" ")).contains(wanted)) {
            throw new ProgramException(
                    "TCP's congestion control cannot be set to " + wanted + ": " + obstacle + ", and " + choice + " has " + line(choice));
        }
        return byOption(wanted, obstacle);
    }

    private static Network inNamespace(String wanted) throws ProgramException {
        Process keeper;
        try {
            keeper = new ProcessBuilder("unshare", "--net", "sh", "-c", NAMESPACE, "sh", wanted).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new ProgramException("no namespace can be made: " + e.getMessage(), e);
        }
        Network network = new Network(wanted, "in a network namespace of its own; the system's is " + system(), keeper, false);
        String first = null;
        try {
            BufferedReader said = keeper.inputReader(StandardCharsets.UTF_8);
            first = said.readLine();
        } catch (IOException e) {
            // As if it had said nothing.
        }
        if (!"ready".equals(first)) {
            network.close();
            throw new ProgramException("no namespace can be made: " + first);
        }
        return network;
    }

    /** Whether this process may set any name that the kernel has; in a container root often may not. */
    private static boolean maySetAny() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("CapEff:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & CAP_NET_ADMIN) != 0);
        } catch (IOException e) {
            return false;
        }
    }

    /** The one in force; "unknown" if the system does not report it. */
    String congestionControl() {
        return congestionControl;
    }

    /** For the report: the one in force, and how the programs get it. */
    String text() {
        return congestionControl + ", " + how;
    }

    /** The command that starts a program in this network. */
    List<String> inside(List<String> command) {
        if (keeper == null) {
            return command;
        }
        List<String> entered = new ArrayList<>(List.of("nsenter", "--net=/proc/" + keeper.pid() + "/ns/net", "--"));
        entered.addAll(command);
        return entered;
    }

    /** The congestion control to give to a program as an option; empty if it needs none. */
    String option() {
        return byOption ? congestionControl : "";
    }

    /** A peer whose program has no such option: it cannot be compared if it needs one. */
    Peer withoutOption(Peer peer) {
        return byOption && peer.isPresent()
                ? Peer.incomparable(peer.name(), peer.version(),
                        "it has no option for TCP's congestion control, and would run under " + system() + " beside " + congestionControl)
                : peer;
    }

    /** Refuses the run of a program that tells of another congestion control than the one in force. */
    void check(String program, String said) throws ProgramException {
        for (Matcher each = SAID.matcher(said); each.find();) {
            if (!congestionControl.equals(UNKNOWN) && !each.group(1).equals(congestionControl)) {
                throw new ProgramException(program + " ran under the congestion control " + each.group(1) + ", not " + congestionControl);
            }
        }
    }

    private static String system() {
        return line(FILES + "congestion_control");
    }

    private static String line(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    @Override
    public void close() {
        if (keeper == null) {
            return;
        }
        try {
            keeper.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        // Should it not end by that.
        keeper.onExit().completeOnTimeout(keeper, 1, TimeUnit.SECONDS).join().destroyForcibly();
    }
}
