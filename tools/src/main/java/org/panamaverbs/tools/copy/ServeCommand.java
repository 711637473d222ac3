package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.ProviderOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs serve}: the passive end of {@code pverbs copy}. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = {
        "Lends the files of a folder to `pverbs copy`, until Ctrl-C.",
        "Whoever can connect can read them and write new ones: there is no login, so it listens on loopback unless told otherwise." })
public final class ServeCommand implements Callable<Integer> {
    static final int DEFAULT_PORT = 7175;

    @Parameters(paramLabel = "DIR", description = "The folder; nothing outside of it is reached.")
    private Path folder;

    @Option(names = "--listen", paramLabel = "[ADDR:]PORT", defaultValue = "127.0.0.1:"
            + DEFAULT_PORT, description = "Where to listen. Default: ${DEFAULT-VALUE}.")
    private String listen;

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
        InetSocketAddress address = HostPort.parseListener(listen, DEFAULT_PORT).resolve();
        try (Verbs verbs = options.open();
                CopyServer server = new CopyServer(verbs.device(), folder.toRealPath(), address, spec.commandLine().getOut())) {
            server.serve();
        }
        return 0;
    }
}
