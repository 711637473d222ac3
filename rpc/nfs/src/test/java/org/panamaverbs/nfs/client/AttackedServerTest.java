package org.panamaverbs.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.nfs.server.NfsServer;
import org.panamaverbs.nfs.server.ServerOptions;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcService;
import org.panamaverbs.rpcrdma.TcpRpcService;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.testing.Proofs;

/** An honest client is served beside each attack of the reviews, and nothing is left of the attacker when it has gone. */
class AttackedServerTest {
    private static final int NAMES = 500;
    private static final int LONGEST_MILLIS = 10_000;
    /** In the default build, longer than a busy machine keeps an honest client waiting. */
    private static final Duration LIMIT = Duration.ofSeconds(Proofs.run() ? 10 : 120);

    @TempDir
    private Path folder;

    static Stream<Arguments> attacks() {
        return Stream.of(Attackers.Attack.values()).filter(attack -> Proofs.run() || attack != Attackers.Attack.NONE)
                .flatMap(attack -> Proofs.run() ? Stream.of(Arguments.of(attack, true), Arguments.of(attack, false))
                        : Stream.of(Arguments.of(attack, true)));
    }

    private void fill() throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve(Attackers.BIG).toFile(), "rw")) {
            file.setLength(Attackers.BIG_BYTES);
        }
        Path many = Files.createDirectory(folder.resolve(Attackers.MANY));
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(many.resolve("a file with a rather long name, number " + i));
        }
    }

    @ParameterizedTest(name = "{0}, over RDMA: {1}")
    @MethodSource("attacks")
    void shouldServeAnHonestClient(Attackers.Attack attack, boolean rdma) throws Exception {
        fill();
        ServiceLimits limits = ServiceLimits.builder().connections(16).firstCall(LIMIT).stall(LIMIT).memory(32 << 20).build();
        InetSocketAddress loopback = new InetSocketAddress("127.0.0.1", 0);
        try (NfsServer server = NfsServer.open(folder, ServerOptions.defaults().withWritable(true).withFiles(64, 4096));
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                RdmaRpcService overRdma = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults()).withRpcService(NfsServer.PROGRAM, server)
                        .withLimits(limits).listen(loopback);
                TcpRpcService overTcp = TcpRpcService.builder().withRpcService(NfsServer.PROGRAM, server).withLimits(limits)
                        .listen(loopback)) {
            overRdma.keepRegistered(server.buffers());
            int free = server.freeBuffers();
            InetSocketAddress service = rdma ? overRdma.address() : overTcp.address();
            try (Attackers attackers = new Attackers(rdma, service)) {
                attackers.start(attack, 40);
                Bystander bystander = new Bystander(attackers.honest(1));
                bystander.run(Proofs.loopNanos());
                System.out.println("attack " + attack + " over " + (rdma ? "RDMA: " : "TCP: ") + bystander + "; "
                        + (rdma ? overRdma.counts() : overTcp.counts()));
                assertEquals(0, bystander.errors(), bystander::toString);
                // How fast it is, AttackRun tells: here the attackers have the same processors.
                assertTrue(!Proofs.run() || bystander.quantile(1) < LONGEST_MILLIS, bystander::toString);
            }
            long begin = System.nanoTime();
            while (server.freeBuffers() < free || overRdma.counts().memory() + overTcp.counts().memory() > 0) {
                assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60),
                        () -> server.freeBuffers() + " buffers are free, " + overRdma.counts() + overTcp.counts());
                LockSupport.parkNanos(1_000_000);
            }
            overRdma.release(server.buffers());
        }
    }
}
