package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.panamaverbs.nfs.client.NfsOptions;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.tools.shared.ProviderOptions;
import org.panamaverbs.tools.shared.Timeout;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How to reach a server, and as which user. */
public final class ServerOptions {
    /** What carries the calls. */
    enum Transport {
        /** RPC-over-RDMA. */
        RDMA,
        /** TCP, for comparison, and for servers without RDMA. */
        TCP
    }

    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int IO_SIZE = 1 << 20;

    @Option(names = "--transport", paramLabel = "rdma|tcp", defaultValue = "rdma", description = "What carries the calls. Default: rdma. The port, if the URL has none: 20049, or 2049 over TCP.")
    private Transport transport;

    @Option(names = "--versions", paramLabel = "1|2|1-2", defaultValue = "1", description = "Versions of RPC-over-RDMA. Default: 1, which all servers speak; 1-2 begins with 2 and falls back.")
    private String versions;

    @Option(names = "--inline", paramLabel = "BYTES", defaultValue = "4096", description = "The longest message that goes by Send, a multiple of 1024. Default: 4096.")
    private String inline;

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "8", description = "Calls in flight, 1 to 64; the server may allow fewer. Default: 8.")
    private int parallel;

    @Option(names = "--uid", paramLabel = "NUMBER", description = "The user for the server. Default: the user that runs pverbs.")
    private Integer uid;

    @Option(names = "--gid", paramLabel = "NUMBER", description = "The group for the server. Default: the group that runs pverbs.")
    private Integer gid;

    @Mixin
    private Timeout timeout;

    @Mixin
    private ProviderOptions provider;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** @throws IOException if there is no connection or no session */
    Server connect(NfsUrl url) throws IOException {
        // Wrong options are reported before anything is opened.
        NfsOptions nfs = nfs();
        RdmaRpcOptions rdma = rdma();
        boolean tcp = transport == Transport.TCP;
        InetSocketAddress address = url.address(tcp ? Nfs4.PORT : Nfs4.RDMA_PORT).resolve();
        return tcp ? Server.overTcp(address, nfs) : Server.overRdma(provider, rdma, address, nfs);
    }

    private NfsOptions nfs() {
        if (parallel < 1 || parallel > 64) {
            throw new ParameterException(command.commandLine(), "--parallel is 1 to 64, not " + parallel);
        }
        return new NfsOptions(uid == null ? own("unix:uid") : uid, gid == null ? own("unix:gid") : gid, parallel, IO_SIZE,
                timeout.duration(), PATIENCE);
    }

    private RdmaRpcOptions rdma() {
        RdmaRpcOptions options = Inline.options(inline, command);
        return switch (versions) {
            case "1" -> options.withVersions(1, 1);
            case "2" -> options.withVersions(2, 2);
            case "1-2" -> options.withVersions(1, 2);
            default -> throw new ParameterException(command.commandLine(), "--versions is 1, 2 or 1-2, not " + versions);
        };
    }

    /** A number of the user that runs this process; 0 where the system does not say. */
    private static int own(String attribute) {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), attribute)).intValue();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 0;
        }
    }
}
