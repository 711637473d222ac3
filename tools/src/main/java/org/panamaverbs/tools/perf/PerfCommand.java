package org.panamaverbs.tools.perf;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.perf.idle.IdleConnections;
import org.panamaverbs.tools.perf.idle.IdleTargets;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.ProviderOptions;
import org.panamaverbs.tools.shared.Quantity;
import org.panamaverbs.tools.shared.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs perf}: bandwidth or latency of Writes, Reads, Sends and atomics, by the size of a message. */
@Command(name = "perf", mixinStandardHelpOptions = true, description = { "Measures Writes, Reads, Sends or atomics, as perftest does.",
        "Without --connect or --listen it starts its own peer in a second process on loopback." })
public final class PerfCommand implements Callable<Integer> {
    static final int DEFAULT_PORT = 18515;
    /** With room at the listener for clients that were there before. */
    private static final int MAXIMUM_CONNECTIONS = 128;
    private static final String CRC = "panamaverbs.softiwarp.crc";

    @Parameters(arity = "0..1", paramLabel = "write|read|send|fetch-add|compare-swap|immediate", description = {
            "What to measure: atomics are of 8 bytes; immediate: Immediate Data messages of 8 bytes (iWARP, RFC 7306).",
            "A listener measures what it is asked for." })
    private String operation;

    @Option(names = "--immediate", description = "With write or send: each message also carries 32 bits of immediate data.")
    private boolean immediate;

    @Option(names = "--both", description = "Both directions at once: the other end sends as many messages as it can, too.")
    private boolean both;

    @Option(names = "--latency", description = "One message at a time: half the round trip of a ping-pong; of a Read or an atomic, its time.")
    private boolean latency;

    @Option(names = "--size", defaultValue = "all", paramLabel = "SIZE", description = "Bytes of a message, as 64, 64KiB or 1MiB; several with commas; all: 64 to 1MiB. Default: ${DEFAULT-VALUE}; 8 if the operation has no other.")
    private String size;

    @Option(names = "--footprint", paramLabel = "SIZE", description = "Memory that the messages of a Write or Read use at each end, one behind the other: the more, the less of it is in the processor's caches. Default: that of one message.")
    private String footprint;

    @Option(names = "--seconds", defaultValue = "1", paramLabel = "N", description = "How long each size runs. Default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(names = "--interval", defaultValue = "0", paramLabel = "N", description = "Also reports every so many seconds what was done in them; 0: never. Default: ${DEFAULT-VALUE}.")
    private double interval;

    @Option(names = "--warm-up", defaultValue = "20", paramLabel = "[M-]N", description = {
            "Messages before the first size counts, until both JVMs are steady: their compilers were quiet for two seconds. After M seconds at the"
                    + " earliest and N at the latest; 0: none. Before each further size a tenth of that time.",
            "Default: ${DEFAULT-VALUE}." })
    private String warmUp;

    @Option(names = "--depth", paramLabel = "N", description = "Messages under way at a time. Default: 128, and 16 for those from 64KiB on.")
    private Integer depth;

    @Option(names = "--crc", paramLabel = "on|off", description = "Whether this end asks for CRC-32C (soft-iwarp).")
    private String crc;

    @Option(names = "--wait", paramLabel = "spin|block|channel", description = {
            "How both ends wait: polling, in the completion queue, or on a completion channel. A listener polls only with --allow-spin.",
            "Default: spin for --latency, else block. A ping-pong of Writes always spins." })
    private Waiting waiting;

    @Option(names = "--connections", defaultValue = "1", paramLabel = "N", description = "Connections of each thread that carry messages, each --depth of them. Default: ${DEFAULT-VALUE}.")
    private int connections;

    @Option(names = "--threads", defaultValue = "1", paramLabel = "N", description = "Threads that measure at the same time, each with connections of its own. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--idle", defaultValue = "0", paramLabel = "N", description = "Further connections that carry nothing, and what memory each takes. Default: ${DEFAULT-VALUE}.")
    private int idle;

    @Option(names = "--connect", paramLabel = "HOST[:PORT]", description = "Measures against a listener (port " + DEFAULT_PORT + ").")
    private String connect;

    @Option(names = "--listen", paramLabel = "[ADDR:]PORT", arity = "0..1", fallbackValue = "127.0.0.1:"
            + DEFAULT_PORT, description = "Is the other end, until Ctrl-C. Listens on loopback unless an address is given.")
    private String listen;

    @Option(names = "--allow-spin", description = {
            "With --listen: a peer may have a thread here poll without a pause, for as long as it measures.",
            "Without, threads block, and a ping-pong of Writes is refused." })
    private boolean allowSpin;

    @Option(names = "--max-memory", defaultValue = "1GiB", paramLabel = "SIZE", description = "With --listen: what all connections together may take. Default: ${DEFAULT-VALUE}.")
    private String maximumMemory;

    @Option(names = "--until-input-ends", hidden = true)
    private boolean untilInputEnds;

    @Option(names = "--json", description = "One JSON object a line, with rates, latencies and what was placed directly.")
    private boolean json;

    @Mixin
    private Timeout timeout;

    @Mixin
    private ProviderOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (crc != null) {
            options.set("--crc", CRC, crc);
        }
        Operation named = operation == null ? null : Argument.checked(spec, () -> Operation.named(operation));
        // A wrong setting is said here, and not by the second process.
        options.configuration();
        if (listen != null) {
            return listen();
        }
        List<Plan> plans = plans(named);
        if (connect != null) {
            return measure(plans, Argument.of(spec, "--connect", connect, text -> HostPort.parse(text, DEFAULT_PORT)).resolve());
        }
        List<String> arguments = new ArrayList<>(options.arguments());
        arguments.add(timeout.argument());
        try (OwnPeer peer = new OwnPeer(spec.root().userObject().getClass(), arguments)) {
            return measure(plans, peer.address().resolve());
        }
    }

    private int listen() {
        if (connect != null) {
            throw refused("--listen and --connect are the two ends: choose one");
        }
        if (waiting != null) {
            throw refused("with --listen, --wait is up to the peers; --allow-spin says whether they may have this end poll");
        }
        if (json) {
            throw refused("--json describes what is measured, and --listen only is the other end: leave one out");
        }
        InetSocketAddress address = Argument.of(spec, "--listen", listen, text -> HostPort.parseListener(text, DEFAULT_PORT)).resolve();
        PerfListener.Policy policy = new PerfListener.Policy(allowSpin, Argument.of(spec, "--max-memory", maximumMemory, Quantity::bytes),
                timeout.duration());
        try (Verbs verbs = options.open();
                PerfListener listener = new PerfListener(options.at(verbs, address), address, policy, spec.commandLine().getOut())) {
            if (untilInputEnds) {
                Thread.ofPlatform().daemon().start(() -> {
                    drainInput();
                    // Not only the listener: a connection that spins would go on.
                    Runtime.getRuntime().halt(0);
                });
            }
            listener.serve();
        }
        return 0;
    }

    private static void drainInput() {
        try {
            System.in.skipNBytes(Long.MAX_VALUE);
        } catch (IOException e) {
            // That is its end, too.
        }
    }

    private List<Plan> plans(Operation named) {
        if (named == null) {
            throw refused("say what to measure: " + Operation.NAMES);
        }
        if (!(seconds > 0 && seconds <= 86_400)) {
            throw refused("--seconds is more than 0 and at most 86400, not " + seconds);
        }
        Argument.checked(spec, () -> WarmUp.parse(warmUp));
        if (!(interval == 0 || interval >= 0.1 && interval <= 86_400)) {
            throw refused("--interval is 0, or 0.1 to 86400, not " + interval);
        }
        if (connections < 1 || connections > MAXIMUM_CONNECTIONS) {
            throw refused("--connections is 1 to " + MAXIMUM_CONNECTIONS + ", not " + connections);
        }
        if (threads < 1 || threads > MAXIMUM_CONNECTIONS / connections) {
            throw refused("--threads is 1 to " + MAXIMUM_CONNECTIONS / connections + " with " + connections + " connections each, not "
                    + threads);
        }
        if (latency && both) {
            throw refused("--latency has messages in both directions by itself, one at a time: leave --both out");
        }
        if (latency && connections > 1) {
            throw refused("--latency has one message at a time under way, and so one connection for each thread, not " + connections);
        }
        if (idle < 0 || idle > IdleTargets.MAXIMUM) {
            throw refused("--idle is 0 to " + IdleTargets.MAXIMUM + ", not " + idle);
        }
        Operation measured = immediate
                ? named.withImmediate().orElseThrow(() -> refused("--immediate goes with write and send, not with " + named)) : named;
        if (latency && measured == Operation.WRITE && waiting != null && waiting != Waiting.SPIN) {
            throw refused(
                    "a ping-pong of Writes looks at memory, and nothing completes at the other end: it cannot block; take send, or add --immediate");
        }
        Waiting how = waiting != null ? waiting : latency ? Waiting.SPIN : Waiting.BLOCK;
        Plan.Mode mode = latency ? Plan.Mode.LATENCY : both ? Plan.Mode.BOTH : Plan.Mode.BANDWIDTH;
        List<Plan> plans = new ArrayList<>();
        try {
            for (long bytes : sizes(measured)) {
                int under = latency ? 1 : depth != null ? depth : bytes < 64 << 10 ? 128 : 16;
                long room = footprint == null ? bytes : Argument.of(spec, "--footprint", footprint, Quantity::bytes);
                plans.add(new Plan(measured, mode, how, bytes, under, room, 0, 0));
            }
        } catch (IllegalArgumentException e) {
            throw refused(e.getMessage());
        }
        return plans;
    }

    private long[] sizes(Operation measured) {
        if (size.equals("all")) {
            return measured.onlySize() != 0 ? new long[] { measured.onlySize() }
                    : IntStream.rangeClosed(6, 20).mapToLong(power -> 1L << power).toArray();
        }
        return java.util.Arrays.stream(size.split(",")).mapToLong(text -> Argument.of(spec, "--size", text, Quantity::bytes)).toArray();
    }

    private ParameterException refused(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private int measure(List<Plan> plans, InetSocketAddress peer) {
        try (Verbs verbs = options.open()) {
            return measure(verbs, plans, peer);
        }
    }

    private int measure(Verbs verbs, List<Plan> plans, InetSocketAddress peer) {
        Device device = options.towards(verbs, peer, timeout.duration());
        plans.forEach(plan -> Abilities.require(device, plan));
        Report report = new Report(spec.commandLine().getOut(), json, verbs.provider(), device.name(),
                path -> crcInWords(verbs, path, peer));
        try (IdleConnections beside = idle > 0 ? new IdleConnections(device, peer, idle, Plan.idle().encode(), timeout.duration()) : null) {
            if (beside != null) {
                report.idle(beside);
            }
            WarmUp first = WarmUp.parse(warmUp);
            for (Plan plan : plans) {
                boolean further = plan != plans.getFirst();
                measure(device, plan, peer, further ? first.again() : first, further, report);
            }
        }
        return 0;
    }

    private void measure(Device device, Plan plan, InetSocketAddress peer, WarmUp before, boolean further, Report report) {
        try (Team team = new Team(device, peer, plan, threads, connections, timeout.duration())) {
            if (!further) {
                report.header(team, HostPort.text(peer), before);
            }
            Intervals intervals = new Intervals(report::interval, plan, (long) (interval * 1e9));
            List<Result> results = team.measure(before, (long) (seconds * 1e9), intervals);
            Result sum = Result.sum(results);
            if (sum.messages() > 0) {
                report.row(sum, results, before);
            }
            if (sum.failure() != null) {
                throw sum.failure();
            }
        }
    }

    /** Whether this end asks for CRCs, in words. */
    private static String crcInWords(Verbs verbs, String path, InetSocketAddress peer) {
        if (!verbs.provider().equals("soft-iwarp")) {
            return "by the device";
        }
        String setting = verbs.configuration().entries().stream().filter(entry -> entry.setting().name().equals(CRC))
                .map(Configuration.Entry::text).findFirst().orElseThrow();
        boolean staysInMemory = path.equals("shared memory") || peer.getAddress().isLoopbackAddress();
        return !setting.equals("auto") ? setting : staysInMemory ? "off" : "on";
    }
}
