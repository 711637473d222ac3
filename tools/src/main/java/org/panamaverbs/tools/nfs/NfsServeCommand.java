package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.panamaverbs.Verbs;
import org.panamaverbs.nfs.server.NfsServer;
import org.panamaverbs.nfs.server.ServerOptions;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcService;
import org.panamaverbs.rpcrdma.TcpRpcService;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Printable;
import org.panamaverbs.tools.shared.Service;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs serve}. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = {
        "Serves a folder to NFS version 4.1 clients, such as Linux, until Ctrl-C.",
        "Everybody who can connect can read it, with your rights, and with --writable change it: there is no login, so it listens on loopback unless you give an address.",
        "Symbolic links are shown and not followed here; file systems mounted inside the folder are not served." })
public final class NfsServeCommand implements Callable<Integer> {
    private static final String USUAL_VERSIONS = "1-2";
    private static final int LONGEST_LEASE = 3600;

    @Parameters(paramLabel = "DIR", description = "The folder; nothing outside of it is reached.")
    private Path folder;

    @Option(names = "--listen", paramLabel = "[ADDR:]PORT", description = "The address to listen at. Default: 127.0.0.1:20049, or for TCP 127.0.0.1:2049.")
    private String listen;

    @Option(names = "--writable", description = "Lets clients write, rename and remove.")
    private boolean writable;

    @Option(names = "--max-clients", paramLabel = "N", defaultValue = "256", description = "Clients at a time. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(names = "--max-opens", paramLabel = "N", defaultValue = "4096", description = "Open files of all clients. Default: ${DEFAULT-VALUE}.")
    private int opens;

    @Option(names = "--lease", paramLabel = "SECONDS", defaultValue = "90", description = "How long a silent client keeps its open files. Default: ${DEFAULT-VALUE}.")
    private int lease;

    @Option(names = "--state", paramLabel = "DIR", description = "A folder of this server alone, for the record of clients that may take their open files back after a restart. Default: one below ~/.local/state; none if the port is 0.")
    private Path state;

    @Mixin
    private CarrierOptions carrier;

    @Spec
    private CommandSpec spec;

    private final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        check("--max-clients", clients, Integer.MAX_VALUE);
        check("--max-opens", opens, Integer.MAX_VALUE);
        check("--lease", lease, LONGEST_LEASE);
        ServerOptions limits = ServerOptions.defaults();
        limits = limits.withWritable(writable).withLease(Duration.ofSeconds(lease)).withClients(clients, limits.sessions(), limits.slots())
                .withFiles(opens, limits.nodes());
        int port = carrier.usualPort();
        InetSocketAddress address = Argument
                .of(spec, "--listen", listen == null ? "127.0.0.1:" + port : listen, text -> HostPort.parseListener(text, port)).resolve();
        Path served = folder.toRealPath();
        Path kept = state == null ? StateFolder.usual(System.getenv("XDG_STATE_HOME"), System.getProperty("user.home"), served, address)
                : state;
        try (NfsServer server = NfsServer.open(served, limits.withState(kept))) {
            if (carrier.isTcp()) {
                serveTcp(server, address);
            } else {
                serveRdma(server, carrier.rdma(USUAL_VERSIONS), address);
            }
        }
        return 0;
    }

    private void check(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new ParameterException(spec.commandLine(), option + " is 1 to " + most + ", not " + value);
        }
    }

    private void serveRdma(NfsServer server, RdmaRpcOptions rdma, InetSocketAddress address) throws InterruptedException {
        try (Verbs verbs = carrier.open();
                RdmaRpcService service = RdmaRpcService.builder(verbs, rdma).withRpcService(NfsServer.PROGRAM, server)
                        .withLimits(carrier.limits()).listen(address)) {
            service.keepRegistered(server.buffers());
            announce(service.address(), "rdma");
            ended.await();
            service.release(server.buffers());
        }
    }

    private void serveTcp(NfsServer server, InetSocketAddress address) throws IOException, InterruptedException {
        try (TcpRpcService service = TcpRpcService.builder().withRpcService(NfsServer.PROGRAM, server).withLimits(carrier.limits())
                .listen(address)) {
            announce(service.address(), "tcp");
            ended.await();
        }
    }

    private void announce(InetSocketAddress at, String protocol) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Printable.of("serving " + folder + (writable ? "" : " read-only") + ", " + Service.LISTENING + HostPort.text(at)));
        String host = at.getAddress().getHostAddress();
        out.println("mount with: mount -t nfs4 -o vers=4.1,proto=" + protocol + ",port=" + at.getPort() + " "
                + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":/ /mnt");
        out.flush();
    }

    /** Ends it. */
    void end() {
        ended.countDown();
    }
}
