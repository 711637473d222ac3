package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.panamaverbs.nfs.client.FileName;
import org.panamaverbs.nfs.client.NfsClient;
import org.panamaverbs.nfs.client.NfsException;
import org.panamaverbs.nfs.client.NfsFile;
import org.panamaverbs.nfs.client.OpenFile;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs put}: a file of this machine, written to the server out of memory. */
// Tested by PutCommandTest, NfsServeCommandTest.
@Command(name = "put", mixinStandardHelpOptions = true, description = {
        "Copies a file of this machine to the server, which has it on its disk when the command ends.",
        "Over RDMA the server reads out of this program's memory." })
public final class PutCommand implements Callable<Integer> {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int USUAL_MODE = 0644;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file to copy.")
    private Path from;

    @Parameters(index = "1", paramLabel = "nfs://HOST[:PORT]/PATH", description = "The new file; with a slash at its end it keeps the name.")
    private String url;

    @Mixin
    private TransferOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        NfsUrl place = Argument.checked(spec, () -> NfsUrl.parse(url));
        Argument.checked(spec, () -> NfsUrl.exact(from.toString()));
        Path path = from.toAbsolutePath().normalize();
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new FileSystemException(path.toString(), null, "is not a regular file");
        }
        FileName name = Argument.checked(spec, () -> FileName.of(place.isFolder() ? path.getFileName().toString() : place.name()));
        try (FileChannel source = FileChannel.open(path, StandardOpenOption.READ); Server server = options.client().connect(place)) {
            long size = source.size();
            long before = server.placed(true);
            long start = System.nanoTime();
            try (Bar bar = new Bar(name.toString(), options.quiet())) {
                bar.size(size);
                server.run(client -> {
                    put(client, client.lookup(place.folder()), name, path, source, size, bar);
                    return null;
                });
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            new Transferred("nfs-put", "/" + place.folder() + name, path, size, seconds, server.placed(true) - before)
                    .print(spec.commandLine().getOut(), server, options.client().json());
        }
        return 0;
    }

    /** The file has a name of its own until it is whole, so that an upload that ends early leaves no half under the name that it wanted. */
    private void put(NfsClient client, NfsFile folder, FileName name, Path path, FileChannel source, long size, Bar bar)
            throws IOException {
        refuseExisting(client, folder, name);
        FileName part = FileName.of(".pverbs-" + HexFormat.of().toHexDigits(RANDOM.nextLong()) + ".part");
        OpenFile file = client.create(folder, part, mode(path));
        boolean whole = false;
        try {
            new Upload(client, file, path, source, size, bar).run();
            check(client, file, source, size);
            client.close(file);
            // NFS renames over a file: one that another program makes between these two calls gives way.
            refuseExisting(client, folder, name);
            client.rename(folder, part, name);
            whole = true;
        } finally {
            if (!whole) {
                removeQuietly(client, folder, part, file);
            }
        }
    }

    private void refuseExisting(NfsClient client, NfsFile folder, FileName name) throws IOException {
        if (options.replace()) {
            return;
        }
        try {
            client.lookup(folder, name);
        } catch (NfsException e) {
            if (e.status() == Status.NOENT) {
                return;
            }
            throw e;
        }
        throw new Failure(Failure.Kind.REFUSED, name + " is there already at the server: take another name, or --replace");
    }

    private static int mode(Path path) {
        try {
            return (Integer) Files.getAttribute(path, "unix:mode") & 0777;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return USUAL_MODE;
        }
    }

    private static void check(NfsClient client, OpenFile file, FileChannel source, long size) throws IOException {
        Attributes after = client.attributes(new NfsFile(file.path(), file.handle(), new Attributes()), NfsClient.USUAL);
        long written = after.require(Attribute.SIZE);
        if (written != size || source.size() != size) {
            throw new Failure(file.path() + " has " + written + " bytes at the server, not the " + source.size()
                    + " of the file: did another program write to either? It is removed; try again");
        }
    }

    private static void removeQuietly(NfsClient client, NfsFile folder, FileName name, OpenFile file) {
        try {
            client.remove(folder, name);
            client.close(file);
        } catch (IOException e) {
            // The first failure is reported; the server may be gone.
        }
    }
}
