package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.files.Leftovers;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Printable;
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

/** {@code pverbs copy}: a file from mapping to mapping. */
@Command(name = "copy", mixinStandardHelpOptions = true, description = {
        "Copies a file to or from a `pverbs serve`, by RDMA Write or Read between the two mapped files.",
        "It is checked by CRC-32C and takes its name only when it is whole.", "A path that starts with / or . is of this machine." })
public final class CopyCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILE|HOST[:PORT]/NAME", description = "What to copy.")
    private String from;

    @Parameters(index = "1", paramLabel = "HOST[:PORT]/NAME|FILE", description = "Where to; a folder of this machine keeps the name.")
    private String to;

    @Option(names = "--replace", description = "A file of that name gives way, once the new one is whole. A server also needs its own --replace.")
    private boolean replace;

    @Option(names = "--quiet", description = "No progress bar.")
    private boolean quiet;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Mixin
    private Timeout timeout;

    @Mixin
    private ProviderOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        boolean put = isRemote(to) && (!isRemote(from) || Files.exists(Path.of(from)));
        if (!put && !isRemote(from)) {
            throw new ParameterException(spec.commandLine(),
                    "name a server in one argument, as HOST[:PORT]/NAME; \"" + from + "\" and \"" + to + "\" are both local");
        }
        // A relative path, such as folder/name, looks like a server's; its folder is there.
        if (!put && isRemote(to) && !Files.isDirectory(Path.of(to).toAbsolutePath().getParent())) {
            throw new ParameterException(spec.commandLine(), "\"" + from + "\" and \"" + to
                    + "\" are both at servers: one must be a file of this machine, whose path begins with / or ./");
        }
        String remote = put ? to : from;
        String name = remote.substring(remote.indexOf('/') + 1);
        Path local = Path.of(put ? from : to);
        if (put && name.isEmpty()) {
            if (local.getFileName() == null) {
                throw new FileSystemException(local.toString(), null, "is not a regular file");
            }
            name = local.getFileName().toString();
        }
        if (!put && Files.isDirectory(local)) {
            local = local.resolve(Name.within(local, name).getFileName());
        }
        HostPort server = Argument.checked(spec, () -> HostPort.parse(remote.substring(0, remote.indexOf('/')), ServeCommand.DEFAULT_PORT));
        Path absolute = local.toAbsolutePath().normalize();
        if (put && !Files.exists(absolute)) {
            throw new java.nio.file.NoSuchFileException(local.toString());
        }
        if (!put && !replace && Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(local.toString());
        }
        var address = server.resolve();
        if (!put) {
            Leftovers.in(absolute.getParent()).map(line -> "pverbs: " + Printable.of(line)).ifPresent(spec.commandLine().getErr()::println);
        }
        long start;
        CopyClient.Copied copied;
        double seconds;
        try (Verbs verbs = options.open();
                CopyClient client = new CopyClient(options.towards(verbs, address, timeout.duration()), address, timeout.duration());
                Bar bar = new Bar(name, quiet)) {
            start = System.nanoTime();
            try {
                if (put) {
                    bar.size(Files.size(absolute));
                    copied = client.put(absolute, name, replace, bar::at);
                } else {
                    copied = client.get(name, absolute, replace, bar::size, bar::at);
                }
            } catch (Dialogue.Disconnected e) {
                throw new Failure(Failure.Kind.PEER, e.getMessage() + " before the copy was done: see what the server says", e);
            }
            seconds = (System.nanoTime() - start) / 1e9;
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.line(describe(put, HostPort.text(address), name, absolute, copied, seconds)));
        } else {
            print(out, copied, seconds);
        }
        out.flush();
        return 0;
    }

    /** HOST/NAME or HOST:PORT/NAME. */
    private static boolean isRemote(String text) {
        return text.indexOf('/') > 0 && !text.startsWith(".") && !text.startsWith("~");
    }

    private static Map<String, Object> describe(boolean put, String server, String name, Path file, CopyClient.Copied copied,
            double seconds) {
        Map<String, Object> object = Json.object("copy");
        object.put("direction", put ? "put" : "get");
        object.put("server", server);
        object.put("name", name);
        object.put("file", file.toString());
        object.put("bytes", copied.bytes());
        object.put("seconds", seconds);
        object.put("bytesPerSecond", copied.bytes() / seconds);
        object.put("placedDirectly", copied.placedDirectly());
        object.put("staged", copied.staged());
        object.put("crc32c", String.format("%08x", copied.crc()));
        return object;
    }

    private static void print(PrintWriter out, CopyClient.Copied copied, double seconds) {
        // The messages between the two were staged, too; of an empty file there is nothing else.
        String direct = copied.bytes() == 0 ? ""
                : Quantity.placedDirectly(copied.placedDirectly(), copied.placedDirectly() + copied.staged());
        out.printf(Locale.ROOT, "%d bytes in %.2f s, %.1f MB/s with its check%s; CRC-32C %08x at both ends%n", copied.bytes(), seconds,
                copied.bytes() / seconds / 1e6, direct, copied.crc());
    }
}
