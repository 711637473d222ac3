package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.panamaverbs.nfs.client.NfsClient;
import org.panamaverbs.nfs.client.NfsException;
import org.panamaverbs.nfs.client.NfsFile;
import org.panamaverbs.nfs.client.OpenFile;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs put}: a file of this machine, written to the server out of its mapping. */
@Command(name = "put", mixinStandardHelpOptions = true, description = {
        "Copies a file of this machine to the server, which has it on its disk when the command ends.",
        "Over RDMA the server reads out of the mapped file." })
public final class PutCommand implements Callable<Integer> {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int USUAL_MODE = 0644;

    @Parameters(index = "0", paramLabel = "FILE", description = "What to copy.")
    private Path from;

    @Parameters(index = "1", paramLabel = "nfs://HOST[:PORT]/PATH", description = "Where to; with a slash at its end it keeps the name.")
    private String url;

    @Option(names = "--replace", description = "A file of that name gives way, once the new one is whole.")
    private boolean replace;

    @Option(names = "--quiet", description = "No progress bar.")
    private boolean quiet;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Mixin
    private ServerOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        NfsUrl place = NfsUrl.parse(url);
        Path path = from.toAbsolutePath().normalize();
        String name = place.isFolder() ? path.getFileName().toString() : place.name();
        try (MappedFile source = MappedFile.source(path);
                Server server = options.connect(place);
                Bar bar = new Bar(name, quiet)) {
            bar.size(source.size());
            long before = server.placed(true);
            long start = System.nanoTime();
            server.run(client -> {
                put(client, client.lookup(place.folder()), name, path, source, bar);
                return null;
            });
            double seconds = (System.nanoTime() - start) / 1e9;
            new Transferred("nfs-put", "/" + place.folder() + name, path, source.size(), seconds, server.placed(true) - before)
                    .print(spec.commandLine().getOut(), server, json);
        }
        return 0;
    }

    /** A file that gives way does so at the end, in one step; one that takes a free name has it from the start. */
    private void put(NfsClient client, NfsFile folder, String name, Path path, MappedFile source, Bar bar) throws IOException {
        String first = replace ? ".pverbs-" + HexFormat.of().toHexDigits(RANDOM.nextLong()) + ".part" : name;
        OpenFile file = create(client, folder, first, path);
        boolean whole = false;
        try {
            write(client, file, path, source, bar);
            if (replace) {
                client.rename(folder, first, name);
            }
            whole = true;
        } finally {
            if (!whole) {
                removeQuietly(client, folder, first);
            }
        }
    }

    private static OpenFile create(NfsClient client, NfsFile folder, String name, Path path) throws IOException {
        try {
            return client.create(folder, name, mode(path));
        } catch (NfsException e) {
            if (e.status() == Status.EXIST) {
                throw new Failure(Failure.Kind.REFUSED, name + " is there already at the server; --replace replaces it", e);
            }
            throw e;
        }
    }

    private static int mode(Path path) {
        try {
            return (Integer) Files.getAttribute(path, "unix:mode") & 0777;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return USUAL_MODE;
        }
    }

    private static void write(NfsClient client, OpenFile file, Path path, MappedFile source, Bar bar) throws IOException {
        try {
            if (source.size() > 0) {
                client.write(file, 0, source.memory(), bar::at);
            }
        } catch (InternalError e) {
            // The JVM's name for a mapped page that is gone.
            throw new FileSystemException(path.toString(), null, "was cut short while it was read");
        }
        Attributes after = client.attributes(new NfsFile(file.path(), file.handle(), new Attributes()), NfsClient.USUAL);
        client.close(file);
        long size = after.require(Attribute.SIZE);
        if (size != source.size() || source.isCutShort()) {
            throw new Failure(file.path() + " has " + size + " bytes at the server, not the " + source.size()
                    + " of the file: did another program write to either? It is removed; try again");
        }
    }

    private static void removeQuietly(NfsClient client, NfsFile folder, String name) {
        try {
            client.remove(folder, name);
        } catch (IOException e) {
            // The first failure is reported; the server may be gone.
        }
    }
}
