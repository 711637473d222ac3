package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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

/** {@code pverbs nfs put}: a file of this machine, written to the server out of its mapping. */
// Tested by ServeCommandTest.
@Command(name = "put", mixinStandardHelpOptions = true, description = {
        "Copies a file of this machine to the server, which has it on its disk when the command ends.",
        "Over RDMA the server reads out of this program's memory." })
public final class PutCommand implements Callable<Integer> {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int USUAL_MODE = 0644;
    private static final long WINDOW = 32L << 20;
    private static final long PAGE = 4096;

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
        try (FileChannel source = FileChannel.open(path, StandardOpenOption.READ);
                Server server = options.server().connect(place)) {
            long size = source.size();
            long before = server.placed(true);
            long start = System.nanoTime();
            try (Bar bar = new Bar(name.toString(), options.quiet())) {
                bar.size(size);
                server.run(client -> {
                    put(client, client.lookup(place.folder()), name, path, new Source(path, source, size), bar);
                    return null;
                });
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            new Transferred("nfs-put", "/" + place.folder() + name, path, size, seconds, server.placed(true) - before)
                    .print(spec.commandLine().getOut(), server, options.server().json());
        }
        return 0;
    }

    /** A file of this machine, and the size that it had at the start. */
    private record Source(Path path, FileChannel channel, long size) {
        void read(long at, MemorySegment into) throws IOException {
            ByteBuffer room = into.asByteBuffer();
            while (room.hasRemaining()) {
                if (channel.read(room, at + room.position()) < 0) {
                    throw new FileSystemException(path.toString(), null, "was cut short while it was read");
                }
            }
        }
    }

    /** With --replace, the upload replaces the old file at the end, by one rename; a new file has its final name from the start. */
    private void put(NfsClient client, NfsFile folder, FileName name, Path path, Source source, Bar bar) throws IOException {
        FileName first = options.replace() ? FileName.of(".pverbs-" + HexFormat.of().toHexDigits(RANDOM.nextLong()) + ".part") : name;
        OpenFile file = create(client, folder, first, path);
        boolean whole = false;
        try {
            write(client, file, source, bar);
            client.close(file);
            if (options.replace()) {
                client.rename(folder, first, name);
            }
            whole = true;
        } finally {
            if (!whole) {
                removeQuietly(client, folder, first, file);
            }
        }
    }

    private static OpenFile create(NfsClient client, NfsFile folder, FileName name, Path path) throws IOException {
        try {
            return client.create(folder, name, mode(path));
        } catch (NfsException e) {
            if (e.status() == Status.EXIST) {
                throw new Failure(Failure.Kind.REFUSED, name + " is there already at the server: take another name, or --replace", e);
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

    /** Window by window: a mapping would save a copy, but Linux's devices cannot pin files that are mapped read-only. */
    private static void write(NfsClient client, OpenFile file, Source source, Bar bar) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment window = arena.allocate(Math.min(WINDOW, source.size()), PAGE);
            for (long at = 0; at < source.size(); at += WINDOW) {
                long start = at;
                MemorySegment part = window.asSlice(0, Math.min(WINDOW, source.size() - at));
                source.read(at, part);
                client.write(file, at, part, done -> bar.at(start + done));
            }
        }
        Attributes after = client.attributes(new NfsFile(file.path(), file.handle(), new Attributes()), NfsClient.USUAL);
        long size = after.require(Attribute.SIZE);
        if (size != source.size() || source.channel().size() != size) {
            throw new Failure(file.path() + " has " + size + " bytes at the server, not the " + source.channel().size()
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
