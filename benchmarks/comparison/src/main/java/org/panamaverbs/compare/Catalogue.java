package org.panamaverbs.compare;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.panamaverbs.compare.programs.AeronIpc;
import org.panamaverbs.compare.programs.DdpPlacement;
import org.panamaverbs.compare.programs.JucxPut;
import org.panamaverbs.compare.programs.NioCopy;
import org.panamaverbs.compare.programs.ProcessCopy;
import org.panamaverbs.compare.programs.RpcCalls;

/** The list of all comparisons. */
// Tested by CompareTest.
final class Catalogue {
    private static final long MIB = 1 << 20;
    private static final long KIB_64 = 64 << 10;
    private static final long SMALL = 64;
    /** Of payload, with which an FPDU fits the segments of an Ethernet with 1500 bytes; those of loopback are longer than any FPDU. */
    private static final int ETHERNET_PAYLOAD = 1440;
    /** Two for each of the 16 FPDUs of a MiB, at either end: more would mean that reading or writing has fallen apart. */
    private static final double CALLS_PER_MIB = 64;
    /** Messages of one FPDU go out by a call each, and arrive in more pieces. */
    private static final double CALLS_PER_MIB_OF_FPDUS = 128;
    /** Less than a byte: the allocations of the JVM and of the exchange of tallies now and then, shared out. An object would be 16. */
    private static final double NOTHING_ALLOCATED = 1;

    /** Bytes of datagrams: one of Ethernet, one of jumbo frames, and the longest of UDP over IPv4. */
    private static final int[] DATAGRAMS = { 1472, 8972, 65_507 };
    private static final int DDPP_HEADER = 20;

    /** Of a MiB only the header of the reply is copied. */
    private static final double HARDLY_COPIED = 0.001;
    private static final String ONCRPC4J = "oncrpc4j over TCP";

    /** The default, named so that a revision without RFC 7306 shows as one that does not know it. */
    private static final String RFC7306 = "panamaverbs.softiwarp.rfc7306=on";
    static final String TRANSPORT = "panamaverbs.softiwarp.transport=";
    static final String TCP = TRANSPORT + "epoll";
    static final String SHARED_MEMORY = TRANSPORT + "shared-memory";
    private static final String FOOTPRINT = "128MiB";

    private final Site site;
    private final Peers peers;
    private final Map<String, PverbsPerf> ours = new LinkedHashMap<>();

    Catalogue(Site site, Peers peers) {
        this.site = site;
        this.peers = peers;
    }

    private PverbsPerf perf(String name, String... arguments) {
        List<String> all = withTransport(List.of(arguments));
        Peer peer = site.instead() == null ? peers.pverbs() : site.instead().withArguments(peers.pverbs(), all);
        return ours.computeIfAbsent(name, each -> new PverbsPerf(peer, site.network(), site.pverbs(), each, all,
                site.instead() == null || site.instead().findsSteadyState()));
    }

    /** The peer of programs that run the classes of this tree. */
    private Peer classes() {
        return site.instead() == null ? peers.java() : Peer.incomparable(peers.java().name(), peers.java().version(),
                "its program runs the classes of this tree, and --revision asks for " + site.instead().name());
    }

    /** Over TCP, unless the arguments name another transport: by itself, soft-iwarp would take shared memory. */
    private List<String> withTransport(List<String> arguments) {
        if (arguments.stream().anyMatch(argument -> argument.startsWith(TRANSPORT))) {
            return arguments;
        }
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--set", TCP));
        if (site.network().option().isEmpty()) {
            return all;
        }
        all.addAll(List.of("--set", "panamaverbs.softiwarp.congestion-control=" + site.network().option()));
        return all;
    }

    private PverbsPerf spinning() {
        return perf("Write 64 B, ping-pong, spinning", "write", "--latency", "--size", "64", "--wait", "spin");
    }

    private PverbsPerf blocking() {
        return perf("Send 64 B, ping-pong, completion channel", "send", "--latency", "--size", "64", "--wait", "channel");
    }

    /** Those of every round, in the order in which they run: compared subjects stand side by side. The reaches are meant for CUBIC. */
    List<Comparison> ofEveryRound() {
        PverbsPerf write = perf("Write 1 MiB, CRC on", "write", "--size", "1MiB", "--crc", "on");
        PverbsPerf unchecked = perf("Write 1 MiB, CRC off", "write", "--size", "1MiB", "--crc", "off");
        PverbsPerf write64K = perf("Write 64 KiB, CRC on", "write", "--size", "64KiB", "--crc", "on");
        PverbsPerf read = perf("Read 1 MiB, CRC on", "read", "--size", "1MiB", "--crc", "on");
        PverbsPerf send = perf("Send 1 MiB, CRC on", "send", "--size", "1MiB", "--crc", "on");
        PverbsPerf busy = perf("Write 64 B, 8 connections", "write", "--size", "64", "--connections", "8");
        PverbsPerf write64 = perf("Write 64 B", "write", "--size", "64");
        Iperf3 iperf3 = new Iperf3(peers.iperf3(), site.network(), MIB);
        List<Comparison> all = new ArrayList<>();
        // @formatter:off
        all.add(Comparison.ratio("write-1m-crc", "Write, 1 MiB, CRC on", write, iperf3, Metric.BYTES_PER_SECOND, Bound.atLeast(0.95)));
        all.add(Comparison.ratio("write-1m", "Write, 1 MiB, CRC off", unchecked, iperf3, Metric.BYTES_PER_SECOND, Bound.atLeast(1.15)));
        all.add(Comparison.ratio("write-1m-calls", "Write, 1 MiB, CRC off", unchecked,
                new Frames(peers.frames(), site.network(), peers.program("frames")), Metric.BYTES_PER_SECOND, Bound.atLeast(0.9)));
        all.add(Comparison.ratio("read-1m-crc", "Read, 1 MiB, CRC on", read, write, Metric.BYTES_PER_SECOND, Bound.atLeast(0.95)));
        all.add(Comparison.ratio("send-1m-crc", "Send, 1 MiB, CRC on", send, write, Metric.BYTES_PER_SECOND, Bound.atLeast(0.95)));
        all.add(Comparison.ratio("write-1m-verified", "Write, 1 MiB, CRC on", write,
                perf("Write 1 MiB, CRC on, verify-before-place", "write", "--size", "1MiB", "--crc", "on", "--set",
                        "panamaverbs.softiwarp.verify-before-place=on"),
                Metric.BYTES_PER_SECOND, Bound.atLeast(0.95)));
        all.add(Comparison.ratio("write-1m-segments", "Write, 1 MiB, CRC on, FPDUs of " + ETHERNET_PAYLOAD + " bytes",
                perf("Write 1 MiB, CRC on, FPDUs of " + ETHERNET_PAYLOAD + " bytes", "write", "--size", "1MiB", "--crc", "on",
                        "--set", "panamaverbs.softiwarp.fpdu=" + ETHERNET_PAYLOAD),
                write, Metric.BYTES_PER_SECOND, Bound.atLeast(0.5)));
        all.add(Comparison.ratio("write-64k", "Write, 64 KiB, CRC on", write64K, new UcxPut(peers.ucx(), site.network(), KIB_64),
                Metric.BYTES_PER_SECOND, Bound.atLeast(4)));
        all.add(Comparison.ratio("latency-spin", "Write, 64 B, half round trip, spinning",
                spinning(), new PingPong(peers.pingPong(), site.network(), peers.program("pingpong"), true, SMALL), Metric.P50_MICROS,
                Bound.atMost(1.1)));
        all.add(Comparison.ratio("latency-block", "Send, 64 B, half round trip, blocking on a completion channel",
                blocking(), new PingPong(peers.pingPong(), site.network(), peers.program("pingpong"), false, SMALL), Metric.P50_MICROS,
                Bound.atMost(1.2)));
        all.add(Comparison.ratio("rate-64", "Write, 64 B, messages per second", write64, new UcxPut(peers.ucx(), site.network(), SMALL),
                Metric.MESSAGES_PER_SECOND, Bound.atLeast(10)));
        all.add(Comparison.ratio("idle-beside", "1,000 connected idle queue pairs beside 8 busy ones",
                perf("Write 64 B, 8 connections beside 1,000 idle ones", "write", "--size", "64", "--connections", "8", "--idle", "1000"),
                busy, Metric.MESSAGES_PER_SECOND, Bound.atLeast(0.95)));
        // @formatter:on
        all.addAll(ofSharedMemory(write64));
        all.addAll(ofRfc7306());
        all.addAll(ofDdpSockets(iperf3));
        all.addAll(ofRpc());
        all.addAll(new NettyComparisons(site, peers, classes(), overTcp()).all());
        // Of a long Write the first 832 and the last 64 bytes are copied, once a CRC has covered its address: 896 of 65,536 bytes.
        all.add(direct("direct-write-64k", write64K, 0.985));
        all.add(direct("direct-write-1m", write, 0.99));
        all.add(direct("direct-read-1m", read, 0.99));
        all.add(direct("direct-send-1m", send, 0.99));
        all.add(calls("calls-write-64k", write64K, CALLS_PER_MIB_OF_FPDUS));
        all.add(calls("calls-write-1m", write, CALLS_PER_MIB));
        return all;
    }

    /** Two processes of one machine: beside Aeron IPC, UCX, a copy into memory that both map, and soft-iwarp over TCP. */
    private List<Comparison> ofSharedMemory(Subject overTcp) {
        PverbsPerf latency = perf("Write 64 B, shared memory, ping-pong, spinning", "write", "--latency", "--size", "64", "--wait", "spin",
                "--set", SHARED_MEMORY);
        PverbsPerf rate = perf("Write 64 B, shared memory, spinning", "write", "--size", "64", "--wait", "spin", "--set", SHARED_MEMORY);
        PverbsPerf cached = perf("Write 1 MiB, shared memory, spinning", "write", "--size", "1MiB", "--wait", "spin", "--set",
                SHARED_MEMORY);
        PverbsPerf uncached = perf("Write 1 MiB, shared memory, spinning, footprint " + FOOTPRINT, "write", "--size", "1MiB", "--wait",
                "spin", "--footprint", FOOTPRINT, "--set", SHARED_MEMORY);
        String work = "Shared memory, Write 64 B, half round trip, spinning";
        List<Comparison> all = new ArrayList<>();
        all.add(Comparison.ratio("shared-latency-tcp", work, latency, spinning(), Metric.P50_MICROS, Bound.none()));
        all.add(Comparison.ratio("shared-latency-aeron", work, latency, aeron("ping-pong"), Metric.P50_MICROS, Bound.atMost(1.5)));
        all.add(Comparison.ratio("shared-latency-ucx", work, latency, ucx(UcxPut.Test.LATENCY, SMALL), Metric.P50_MICROS, Bound.atMost(1)));
        work = "Shared memory, Write 64 B, messages per second";
        all.add(Comparison.ratio("shared-rate-aeron", work, rate, aeron("rate"), Metric.MESSAGES_PER_SECOND, Bound.atLeast(1)));
        all.add(Comparison.ratio("shared-rate-tcp", work, rate, overTcp, Metric.MESSAGES_PER_SECOND, Bound.atLeast(2)));
        work = "Shared memory, Write 1 MiB";
        all.add(Comparison.ratio("shared-1m-memcpy", work, cached, processCopy(MIB, false), Metric.BYTES_PER_SECOND, Bound.atLeast(0.6)));
        all.add(Comparison.ratio("shared-1m-ucx", work, cached, ucx(UcxPut.Test.BANDWIDTH, MIB), Metric.BYTES_PER_SECOND,
                Bound.atLeast(1)));
        all.add(Comparison.ratio("shared-1m-memcpy-128m", work + ", footprint " + FOOTPRINT, uncached, processCopy(128L * MIB, false),
                Metric.BYTES_PER_SECOND, Bound.atLeast(0.8)));
        // What both ends of any ring must do: its speed, other than that of the one copy, depends on where the system runs the two processors.
        all.add(Comparison.ratio("shared-1m-two-copies", work, cached, processCopy(MIB, true), Metric.BYTES_PER_SECOND, Bound.none()));
        all.add(allocation("shared-allocated", rate));
        return all;
    }

    private JavaProgram aeron(String work) {
        List<String> command = new ArrayList<>(site.java());
        command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-Daeron.work=" + work));
        return new JavaProgram(peers.java(), site.network(), command, AeronIpc.class, 2, "Aeron IPC, " + work + ",", SMALL);
    }

    private UcxPut ucx(UcxPut.Test test, long size) {
        return new UcxPut(peers.ucx(), site.network(), UcxPut.Over.SHARED_MEMORY, test, size);
    }

    private JavaProgram processCopy(long footprint, boolean out) {
        List<String> command = new ArrayList<>(site.java());
        command.addAll(List.of("-Dcopy.footprint=" + footprint, "-Dcopy.out=" + out));
        return new JavaProgram(peers.java(), site.network(), command, ProcessCopy.class, 2,
                "copy into memory of another process" + (out ? ", which copies it out" : "") + ", footprint " + Sizes.text(footprint) + ",",
                MIB);
    }

    /**
     * Immediate data and atomics (RFC 7306), each beside the operation that does most of the same: messages that take a receive beside a Send,
     * atomics beside a Read, which waits for the peer as they do. These are the measurements of perftest's ib_write_bw --write_with_imm,
     * ib_atomic_bw and ib_atomic_lat.
     */
    private List<Comparison> ofRfc7306() {
        PverbsPerf send = perf("Send 64 B", "send", "--size", "64");
        PverbsPerf read = perf("Read 8 B", "read", "--size", "8");
        PverbsPerf sendAlone = alone("Send 64 B, ping-pong, spinning", "send", "--size", "64");
        PverbsPerf readAlone = alone("Read 8 B, one at a time, spinning", "read", "--size", "8");
        List<Comparison> all = new ArrayList<>();
        // A Write with immediate data is two messages on the wire.
        all.add(rate("write-immediate", perf("Write with immediate data 64 B", "write", "--immediate", "--size", "64", "--set", RFC7306),
                send, 0.5));
        all.add(rate("immediate", perf("Immediate Data 8 B", "immediate", "--set", RFC7306), send, 0.9));
        all.add(rate("fetch-add", perf("Fetch-and-add 8 B", "fetch-add", "--set", RFC7306), read, 0.9));
        all.add(rate("compare-swap", perf("Compare-and-swap 8 B", "compare-swap", "--set", RFC7306), read, 0.9));
        all.add(latency("write-immediate", "half round trip",
                alone("Write with immediate data 64 B, ping-pong, spinning", "write", "--immediate", "--size", "64", "--set", RFC7306),
                sendAlone, 1.2));
        all.add(latency("immediate", "half round trip", alone("Immediate Data 8 B, ping-pong, spinning", "immediate", "--set", RFC7306),
                sendAlone, 1.1));
        all.add(latency("fetch-add", "post to completion",
                alone("Fetch-and-add 8 B, one at a time, spinning", "fetch-add", "--set", RFC7306), readAlone, 1.1));
        all.add(latency("compare-swap", "post to completion",
                alone("Compare-and-swap 8 B, one at a time, spinning", "compare-swap", "--set", RFC7306), readAlone, 1.1));
        return all;
    }

    /** One message at a time, by threads that spin. */
    private PverbsPerf alone(String name, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--latency", "--wait", "spin"));
        return perf(name, all.toArray(String[]::new));
    }

    private static Comparison rate(String id, Subject ours, Subject plain, double least) {
        return Comparison.ratio("rfc7306-rate-" + id, ours.name() + ", messages per second", ours, plain, Metric.MESSAGES_PER_SECOND,
                Bound.atLeast(least));
    }

    private static Comparison latency(String id, String what, Subject ours, Subject plain, double most) {
        return Comparison.ratio("rfc7306-latency-" + id, ours.name() + ": " + what, ours, plain, Metric.P50_MICROS, Bound.atMost(most));
    }

    /** DDP sockets, without queue pairs: tagged messages of 1 MiB beside the same bytes over plain sockets. */
    private List<Comparison> ofDdpSockets(Iperf3 iperf3) {
        List<Comparison> all = new ArrayList<>();
        all.add(Comparison.ratio("ddpp-tcp-1m", "DDPP over TCP, tagged messages of 1 MiB", placement("DDPP over TCP", "TCP", MIB), iperf3,
                Metric.BYTES_PER_SECOND, Bound.atLeast(0.9)));
        all.add(Comparison.ratio("ddp-mpa-1m", "DDP over MPA without RDMAP, CRC on, tagged messages of 1 MiB",
                placement("DDP over MPA", "MPA", MIB), iperf3, Metric.BYTES_PER_SECOND, Bound.atLeast(0.9)));
        for (int datagram : DATAGRAMS) {
            Subject ours = placement("DDPP over UDP, datagrams of " + datagram + " bytes", "UDP", MIB,
                    "-Dddp.payload=" + (datagram - DDPP_HEADER));
            Subject theirs = new Iperf3Udp(peers.iperf3(), site.network(), datagram);
            String work = "DDPP over UDP, as fast as it can, datagrams of " + datagram + " bytes: ";
            all.add(Comparison.ratio("ddpp-udp-" + datagram, work + "received", ours, theirs, Metric.BYTES_PER_SECOND, Bound.atLeast(0.8)));
            all.add(Comparison.ratio("ddpp-udp-" + datagram + "-arrived", work + "share that arrives", ours, theirs, Metric.ARRIVED_SHARE,
                    Bound.atLeast(1)));
        }
        return all;
    }

    /** ONC RPC over RDMA beside oncrpc4j's own transport, both with programs in the threads that take calls from the network. oncrpc4j has its best strategy. */
    private List<Comparison> ofRpc() {
        List<Comparison> all = new ArrayList<>();
        for (int flight : new int[] { 1, 32 }) {
            all.add(Comparison.ratio("rpc-null-" + flight, "RPC over RDMA, calls of the NULL procedure, " + flight + " in flight",
                    calls("RPC over RDMA", "RDMA", flight, 0), calls(ONCRPC4J, "TCP_SAME_THREAD", flight, 0), Metric.MESSAGES_PER_SECOND,
                    Bound.atLeast(2)));
        }
        for (int flight : new int[] { 1, 4 }) {
            // The best strategy of oncrpc4j for each, by measuring all three.
            String strategy = flight == 1 ? "TCP_SAME_THREAD" : "TCP_WORKER_THREAD";
            all.add(Comparison.ratio(flight == 1 ? "rpc-read-1m" : "rpc-read-1m-" + flight,
                    "RPC over RDMA, results of 1 MiB into a segment of the caller, " + flight + " in flight",
                    calls("RPC over RDMA", "RDMA", flight, MIB), calls(ONCRPC4J, strategy, flight, MIB), Metric.BYTES_PER_SECOND,
                    Bound.atLeast(2)));
        }
        Subject read = calls("RPC over RDMA", "RDMA", 1, MIB);
        all.add(Comparison.test("rpc-read-1m-copies",
                "RPC over RDMA, results of 1 MiB: bytes that the transport copies, per byte of result", read, Metric.COPIED_PER_BYTE,
                Bound.atMost(HARDLY_COPIED)));
        return all;
    }

    private JavaProgram calls(String what, String over, int flight, long size) {
        List<String> command = new ArrayList<>(site.java());
        command.addAll(List.of("-Drpc.over=" + over, "-Drpc.flight=" + flight));
        command.addAll(overTcp());
        Peer peer = over.equals("RDMA") ? classes() : site.network().withoutOption(peers.java());
        return new JavaProgram(peer, site.network(), command, RpcCalls.class, 2, what + ", " + flight + " in flight,", size);
    }

    /** The options of programs whose soft-iwarp shall take TCP. */
    private List<String> overTcp() {
        List<String> options = new ArrayList<>(List.of("-D" + TCP));
        if (!site.network().option().isEmpty()) {
            options.add("-Dpanamaverbs.softiwarp.congestion-control=" + site.network().option());
        }
        return options;
    }

    private JavaProgram placement(String what, String transport, long size, String... options) {
        List<String> command = new ArrayList<>(site.java());
        command.add("-Dddp.transport=" + transport);
        command.addAll(List.of(options));
        command.addAll(overTcp());
        return new JavaProgram(classes(), site.network(), command, DdpPlacement.class, 2, what, size);
    }

    private static Comparison allocation(String id, Subject once) {
        Subject subject = new Compiled(once, NOTHING_ALLOCATED);
        return Comparison.test(id, once.name() + ": allocated per operation, by both ends", subject, Metric.ALLOCATED_PER_MESSAGE,
                Bound.atMost(NOTHING_ALLOCATED));
    }

    private static Comparison direct(String id, Subject subject, double share) {
        return Comparison.test(id, subject.name() + ": placed directly, of all bytes", subject, Metric.DIRECT_SHARE, Bound.atLeast(share));
    }

    private static Comparison calls(String id, Subject subject, double most) {
        return Comparison.test(id, subject.name() + ": system calls per MiB, of both ends", subject, Metric.SYSTEM_CALLS_PER_MIB,
                Bound.atMost(most));
    }

    private JavaProgram java(Class<?> main, int ends, String what, long size) {
        Peer peer = main == JucxPut.class ? peers.jucx() : main == NioCopy.class ? peers.nio() : peers.java();
        return new JavaProgram(peer, site.network(), site.java(), main, ends, what, size);
    }

    /**
     * Comparisons that take long, and do not change from round to round.
     *
     * @param idle how many queue pairs
     */
    List<Comparison> once(int idle) {
        Subject subject = perf("Write 64 B beside " + idle + " idle queue pairs", "write", "--size", "64", "--idle",
                Integer.toString(idle));
        return List.of(allocation("allocation-write", perf("Write 64 B", "write", "--size", "64")),
                allocation("allocation-read", perf("Read 64 B", "read", "--size", "64")),
                allocation("allocation-send", perf("Send 64 B", "send", "--size", "64")), allocation("allocation-spin", spinning()),
                allocation("allocation-block", blocking()),
                new Comparison("idle-memory", idle + " idle queue pairs of 128 requests each way: memory each, heap and native", "",
                        subject, null, Metric.BYTES_EACH, Bound.atMost(16 * 1024), false));
    }

    /** Ours by the size of a message. */
    List<PverbsPerf> bySize() {
        return List.of(perf("Write, CRC on", "write", "--crc", "on"), perf("Write, CRC off", "write", "--crc", "off"),
                perf("Read, CRC on", "read", "--crc", "on"), perf("Send, CRC on", "send", "--crc", "on"));
    }

    /** Theirs by the size of a message. */
    Map<String, LongFunction<Subject>> othersBySize() {
        Map<String, LongFunction<Subject>> others = new LinkedHashMap<>();
        others.put("iperf3, one stream", size -> new Iperf3(peers.iperf3(), site.network(), size));
        others.put("UCX tcp put", size -> new UcxPut(peers.ucx(), site.network(), size));
        others.put("JUCX put", size -> java(JucxPut.class, 2, "JUCX put", size));
        others.put("NIO through a buffer", size -> java(NioCopy.class, 2, "NIO through a buffer", size));
        return others;
    }

    /** Ours by the number of connections. */
    PverbsPerf connections(long count) {
        return perf("Write 64 B, " + count + " connections", "write", "--size", "64", "--connections", Long.toString(count));
    }
}
