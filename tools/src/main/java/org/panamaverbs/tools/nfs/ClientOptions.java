package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.panamaverbs.nfs.client.NfsOptions;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Timeout;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all client commands: the connection to a server, the user of the calls, and the form of the answer. */
public final class ClientOptions {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int IO_SIZE = 1 << 20;
    private static final String USUAL_VERSIONS = "1";

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "8", description = "Calls in flight, 1 to 64; the server may allow fewer. Default: 8.")
    private int parallel;

    @Option(names = "--uid", paramLabel = "NUMBER", description = "The user for the server. Default: the user that runs pverbs.")
    private Integer uid;

    @Option(names = "--gid", paramLabel = "NUMBER", description = "The group for the server. Default: the group that runs pverbs.")
    private Integer gid;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Mixin
    private Timeout timeout;

    @Mixin
    private CarrierOptions carrier;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** @throws IOException if there is no connection or no session */
    Server connect(NfsUrl url) throws IOException {
        // Wrong options are reported before anything is opened.
        NfsOptions nfs = nfs();
        RdmaRpcOptions rdma = carrier.rdma(USUAL_VERSIONS);
        InetSocketAddress address = Argument.checked(command, () -> url.address(carrier.usualPort())).resolve();
        return carrier.isTcp() ? Server.overTcp(address, nfs) : Server.overRdma(carrier, rdma, address, nfs);
    }

    boolean json() {
        return json;
    }

    private NfsOptions nfs() {
        if (parallel < 1 || parallel > 64) {
            throw new ParameterException(command.commandLine(), "--parallel is 1 to 64, not " + parallel);
        }
        return new NfsOptions(uid == null ? own("unix:uid") : uid, gid == null ? own("unix:gid") : gid, parallel, IO_SIZE,
                timeout.duration(), PATIENCE);
    }

    /** The user or group number of this process; 0 if the system does not report it. */
    private static int own(String attribute) {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), attribute)).intValue();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 0;
        }
    }
}
