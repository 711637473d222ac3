package org.panamaverbs.compare;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.compare.programs.GrpcCalls;
import org.panamaverbs.compare.programs.NettyStreams;

/** Netty and gRPC over verbs, beside the transports that they have. */
final class NettyComparisons {
    private static final int SMALL = 64;
    private static final int KIB_64 = 64 * 1024;
    private static final String SHARED = ", shared memory";
    /** Threads of the measuring JVM that never rest. */
    private static final String LOOPS = "-Dcompare.busy-loops=2";
    private static final String BESIDE_LOOPS = ", beside 2 busy loops";
    /** Before each message, in ms. */
    private static final String PAUSE = "-Dnetty.pause=5";
    private static final String RARE = ", after a pause of 5 ms";

    private final Site site;
    private final Peers peers;
    private final Peer classes;
    private final List<String> overTcp;

    /**
     * @param classes programs that run the classes of this tree
     * @param overTcp the options of those whose soft-iwarp shall take TCP
     */
    NettyComparisons(Site site, Peers peers, Peer classes, List<String> overTcp) {
        this.site = site;
        this.peers = peers;
        this.classes = classes;
        this.overTcp = overTcp;
    }

    /**
     * Netty's channels over verbs beside those of its transports for Linux, and gRPC over both: each end has one event loop. The
     * others have TCP alone, so channels over shared memory stand beside that.
     */
    List<Comparison> all() {
        JavaProgram pingPong = netty("Netty over verbs", Catalogue.TCP, "ping-pong", SMALL);
        JavaProgram oneWay = netty("Netty over verbs", Catalogue.TCP, "one-way", KIB_64);
        JavaProgram epoll = netty("Netty epoll", "EPOLL", "ping-pong", SMALL);
        JavaProgram epollOneWay = netty("Netty epoll", "EPOLL", "one-way", KIB_64);
        String latency = "Netty over verbs, 64 B, half round trip";
        String bandwidth = "Netty over verbs, 64 KiB, one way";
        List<Comparison> all = new ArrayList<>();
        // @formatter:off
        all.add(Comparison.ratio("netty-latency-epoll", latency, pingPong, epoll, Metric.P50_MICROS, Bound.atMost(0.7)));
        all.add(Comparison.ratio("netty-one-way-epoll", bandwidth, oneWay, epollOneWay, Metric.BYTES_PER_SECOND, Bound.atLeast(0.7)));
        all.add(Comparison.ratio("netty-latency-io-uring", latency, pingPong, netty("Netty io_uring", "IO_URING", "ping-pong", SMALL),
                Metric.P50_MICROS, Bound.atMost(0.7)));
        all.add(Comparison.ratio("netty-one-way-io-uring", bandwidth, oneWay, netty("Netty io_uring", "IO_URING", "one-way", KIB_64),
                Metric.BYTES_PER_SECOND, Bound.atLeast(0.7)));
        all.add(Comparison.ratio("netty-latency-busy", latency, pingPong,
                netty("Netty epoll, busy-waiting", "EPOLL_BUSY", "ping-pong", SMALL), Metric.P50_MICROS, Bound.none()));
        all.add(Comparison.ratio("netty-latency-crowded", latency + BESIDE_LOOPS, netty("Netty over verbs" + BESIDE_LOOPS, Catalogue.TCP, "ping-pong", SMALL, LOOPS),
                netty("Netty epoll" + BESIDE_LOOPS, "EPOLL", "ping-pong", SMALL, LOOPS), Metric.P50_MICROS, Bound.atMost(1.1)));
        all.add(Comparison.ratio("netty-latency-rare", latency + RARE, netty("Netty over verbs" + RARE, Catalogue.TCP, "ping-pong", SMALL, PAUSE),
                netty("Netty epoll" + RARE, "EPOLL", "ping-pong", SMALL, PAUSE), Metric.P50_MICROS, Bound.atMost(1.2)));
        all.add(Comparison.ratio("netty-allocated", "Netty over verbs, 64 B, allocated for a message there and back", pingPong, epoll,
                Metric.ALLOCATED_PER_MESSAGE, Bound.atMost(1)));
        all.add(Comparison.ratio("netty-latency-shared", latency + SHARED, netty("Netty over verbs" + SHARED, Catalogue.SHARED_MEMORY, "ping-pong", SMALL),
                epoll, Metric.P50_MICROS, Bound.atMost(0.33)));
        all.add(Comparison.ratio("netty-one-way-shared", bandwidth + SHARED, netty("Netty over verbs" + SHARED, Catalogue.SHARED_MEMORY, "one-way", KIB_64),
                epollOneWay, Metric.BYTES_PER_SECOND, Bound.atLeast(1.2)));
        all.add(Comparison.ratio("netty-latency-rare-shared", latency + RARE + SHARED,
                netty("Netty over verbs" + RARE + SHARED, Catalogue.SHARED_MEMORY, "ping-pong", SMALL, PAUSE),
                netty("Netty epoll" + RARE, "EPOLL", "ping-pong", SMALL, PAUSE), Metric.P50_MICROS, Bound.atMost(1.1)));
        all.add(grpc("grpc-unary-1", 1, Catalogue.TCP, "", 0.9));
        all.add(grpc("grpc-unary-32", 32, Catalogue.TCP, "", 1));
        all.add(grpc("grpc-unary-32-crowded", 32, Catalogue.TCP, BESIDE_LOOPS, 0.85, LOOPS));
        all.add(grpc("grpc-unary-1-shared", 1, Catalogue.SHARED_MEMORY, SHARED, 1.5));
        all.add(grpc("grpc-unary-32-shared", 32, Catalogue.SHARED_MEMORY, SHARED, 1.3));
        // @formatter:on
        return all;
    }

    private JavaProgram netty(String what, String over, String work, long size, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Dnetty.work=" + work);
        return overNetty(NettyStreams.class, what + ", " + work + ",", over, size, all);
    }

    private Comparison grpc(String id, int flight, String over, String how, double least, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Dgrpc.flight=" + flight);
        String work = ", " + flight + " in flight,";
        String beside = over.equals(Catalogue.SHARED_MEMORY) ? "" : how;
        return Comparison.ratio(id, "gRPC over verbs, unary calls of 64 B, " + flight + " in flight" + how,
                overNetty(GrpcCalls.class, "gRPC over verbs" + how + work, over, SMALL, all),
                overNetty(GrpcCalls.class, "gRPC over epoll" + beside + work, "EPOLL", SMALL, all), Metric.MESSAGES_PER_SECOND,
                Bound.atLeast(least));
    }

    /** @param over a transport of soft-iwarp as its setting names it, or one of Netty's */
    private JavaProgram overNetty(Class<?> program, String what, String over, long size, List<String> options) {
        boolean verbs = over.startsWith(Catalogue.TRANSPORT);
        List<String> command = new ArrayList<>(site.java());
        command.add("-Dnetty.over=" + (verbs ? "VERBS" : over));
        command.addAll(options);
        command.addAll(over.equals(Catalogue.SHARED_MEMORY) ? List.of("-D" + Catalogue.SHARED_MEMORY) : overTcp);
        return new JavaProgram(verbs ? classes : nettyPeer(over), site.network(), command, program, 2, what, size);
    }

    private Peer nettyPeer(String over) {
        boolean uring = over.equals("IO_URING");
        Throwable missing = uring ? IoUring.unavailabilityCause() : Epoll.unavailabilityCause();
        return missing == null ? site.network().withoutOption(peers.java())
                : Peer.missing(uring ? "Netty io_uring" : "Netty epoll", "it does not work here: " + missing.getMessage());
    }
}
