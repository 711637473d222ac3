package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.panamaverbs.nfs.client.NfsClient;
import org.panamaverbs.nfs.client.NfsFile;
import org.panamaverbs.nfs.client.OpenFile;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.tools.files.DiskSpace;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs get}: a file of the server, read into the mapping of a new file. */
@Command(name = "get", mixinStandardHelpOptions = true, description = {
        "Copies a file of the server to this machine; it takes its name only when it is whole.",
        "Over RDMA the server writes into the mapped file." })
public final class GetCommand implements Callable<Integer> {
    /** So much room on the disk is reserved at a time. */
    private static final long WINDOW = 64L << 20;

    @Parameters(index = "0", paramLabel = "nfs://HOST[:PORT]/PATH", description = "The file to copy.")
    private String url;

    @Parameters(index = "1", paramLabel = "FILE", defaultValue = ".", description = "The new file; a folder keeps the name. Default: the working folder.")
    private Path to;

    @Mixin
    private TransferOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        NfsUrl place = Argument.checked(spec, () -> NfsUrl.parse(url));
        if (place.isFolder()) {
            throw new ParameterException(spec.commandLine(), "\"" + url + "\" does not name a file");
        }
        Argument.checked(spec, () -> NfsUrl.exact(to.toString()));
        Path path = (Files.isDirectory(to) ? to.resolve(place.name()) : to).toAbsolutePath().normalize();
        if (!options.replace() && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        try (Server server = options.client().connect(place)) {
            long before = server.placed(false);
            long start = System.nanoTime();
            long bytes;
            try (Bar bar = new Bar(place.name(), options.quiet())) {
                bytes = server.run(client -> get(client, place, path, bar));
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            new Transferred("nfs-get", "/" + place.path(), path, bytes, seconds, server.placed(false) - before)
                    .print(spec.commandLine().getOut(), server, options.client().json());
        }
        return 0;
    }

    private long get(NfsClient client, NfsUrl place, Path path, Bar bar) throws IOException {
        NfsFile file = client.lookup(place.path());
        FileType type = file.attributes().require(Attribute.TYPE);
        if (type != FileType.REGULAR) {
            throw new Failure(Failure.Kind.REFUSED, file.path() + " at the server is " + type.text() + ", not a regular file");
        }
        OpenFile open = client.open(file);
        try {
            return read(client, file, open, path, bar);
        } catch (IOException | RuntimeException e) {
            closeQuietly(client, open);
            throw e;
        }
    }

    private static void closeQuietly(NfsClient client, OpenFile open) {
        try {
            client.close(open);
        } catch (IOException e) {
            // The first failure is reported; the server may be gone.
        }
    }

    private long read(NfsClient client, NfsFile file, OpenFile open, Path path, Bar bar) throws IOException {
        Attributes before = client.attributes(file, NfsClient.USUAL);
        long size = before.require(Attribute.SIZE);
        bar.size(size);
        try (MappedFile target = MappedFile.target(path, size)) {
            DiskSpace.check(path, size, 0);
            for (long at = 0; at < size; at += WINDOW) {
                long start = at;
                long length = Math.min(WINDOW, size - at);
                target.reserve(at, length, 0);
                long read = client.read(open, at, target.memory().asSlice(at, length), done -> bar.at(start + done));
                if (read < length) {
                    throw changed(file);
                }
            }
            Attributes after = client.attributes(file, NfsClient.USUAL);
            client.close(open);
            if (after.require(Attribute.SIZE) != size || !Objects.equals(before.get(Attribute.CHANGE), after.get(Attribute.CHANGE))) {
                throw changed(file);
            }
            target.finish(options.replace());
        }
        return size;
    }

    private static Failure changed(NfsFile file) {
        return new Failure(file.path() + " at the server changed while it was read: not kept; try again");
    }
}
