package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.panamaverbs.Verbs;
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

/** {@code pverbs serve}: the passive end of {@code pverbs copy}. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = { "Serves the files of a folder to `pverbs copy`, until Ctrl-C.",
        "Everybody who can connect can read them, and with --writable write new ones: there is no login, so it listens on loopback unless you give an address.",
        "It neither reads nor writes files whose names begin with a dot." })
public final class ServeCommand implements Callable<Integer> {
    static final int DEFAULT_PORT = 7175;

    @Parameters(paramLabel = "DIR", description = "The folder; nothing outside of it is reached.")
    private Path folder;

    @Option(names = "--listen", paramLabel = "[ADDR:]PORT", defaultValue = "127.0.0.1:"
            + DEFAULT_PORT, description = "Where to listen. Default: ${DEFAULT-VALUE}.")
    private String listen;

    @Option(names = "--writable", description = "Lets clients write new files.")
    private boolean writable;

    @Option(names = "--replace", description = "With --writable: lets clients replace files, too, if they say --replace.")
    private boolean replace;

    @Option(names = "--max-size", defaultValue = "16GiB", paramLabel = "SIZE", description = "The largest file that a client may write. Default: ${DEFAULT-VALUE}.")
    private String maximumSize;

    @Option(names = "--keep-free", defaultValue = "1GiB", paramLabel = "SIZE", description = "Bytes of the disk that stay free: what would leave less is refused. Default: ${DEFAULT-VALUE}.")
    private String keepFree;

    @Mixin
    private Timeout timeout;

    @Mixin
    private ProviderOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        CopyServer.Policy policy = policy();
        InetSocketAddress address = Argument.of(spec, "--listen", listen, text -> HostPort.parseListener(text, DEFAULT_PORT)).resolve();
        try (Verbs verbs = options.open();
                CopyServer server = new CopyServer(options.connections(verbs), folder.toRealPath(), policy, address,
                        spec.commandLine().getOut())) {
            server.serve();
        }
        return 0;
    }

    private CopyServer.Policy policy() {
        if (replace && !writable) {
            throw new ParameterException(spec.commandLine(),
                    "--replace says what clients may write over, and they may not write: add --writable");
        }
        return new CopyServer.Policy(writable, replace, Argument.of(spec, "--max-size", maximumSize, Quantity::bytes),
                Argument.of(spec, "--keep-free", keepFree, Quantity::bytes), timeout.duration());
    }
}
