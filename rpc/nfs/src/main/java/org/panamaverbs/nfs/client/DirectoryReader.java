package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.rpcrdma.Placement;

/** Lists a directory page by page (READDIR; RFC 8881, 18.23). */
final class DirectoryReader {
    /** The most entries that are taken; a server could go on for ever. */
    static final int MOST_ENTRIES = 4_000_000;
    private static final int PAGE = 64 * 1024;
    /** The shortest entry on the wire: cookie, name of a byte, empty bitmap and values, and the mark of the next. */
    private static final int LEAST_ENTRY = 28;
    /** The bytes of a reply around the page. */
    private static final int AROUND = 512;

    private final ClientSession session;
    private final NfsFile directory;
    private final Bitmap wanted;
    private final int page;
    private long cookie;
    private long verifier;

    private record Page(List<DirectoryEntry> entries, long verifier, long lastCookie, boolean last) {
    }

    DirectoryReader(ClientSession session, NfsFile directory, Bitmap wanted) {
        this.session = session;
        this.directory = directory;
        this.wanted = wanted;
        page = (int) Math.min(PAGE, Integer.toUnsignedLong(session.channel().maxResponse()) - AROUND);
    }

    void forEach(Consumer<DirectoryEntry> consumer) throws IOException {
        long taken = 0;
        while (true) {
            Page next = next();
            next.entries.forEach(consumer);
            taken += next.entries.size();
            if (next.last) {
                return;
            }
            if (next.entries.isEmpty() || next.lastCookie == cookie) {
                throw new BadXdrException(directory.path() + ": the server's list does not go on, and does not end");
            }
            if (taken > MOST_ENTRIES) {
                throw new BadXdrException(directory.path() + ": the server lists more than " + MOST_ENTRIES + " entries");
            }
            cookie = next.lastCookie;
            verifier = next.verifier;
        }
    }

    private Page next() throws IOException {
        Operations.Box<Page> box = new Operations.Box<>();
        Placement placement = Placement.none().replyAtMost(page + AROUND);
        session.call(() -> Operations.at(directory.handle()).add(Operation.READDIR, xdr -> {
            xdr.xdrEncodeLong(cookie);
            xdr.xdrEncodeLong(verifier);
            xdr.xdrEncodeInt(page / 2);
            xdr.xdrEncodeInt(page);
            wanted.encode(xdr);
        }, xdr -> box.set(decode(xdr))), placement, directory.path());
        return box.get();
    }

    private Page decode(XdrDecodingStream xdr) throws IOException {
        long verf = xdr.xdrDecodeLong();
        List<DirectoryEntry> entries = new ArrayList<>();
        long last = cookie;
        while (Bounded.bool(xdr, "nextentry")) {
            last = xdr.xdrDecodeLong();
            byte[] name = Bounded.opaque(xdr, Nfs4.NAME_LIMIT, "a name");
            if (!FileName.isName(name)) {
                throw new BadXdrException(directory.path() + ": the server lists \"" + new String(name, StandardCharsets.UTF_8)
                        + "\", which is not the name of a file");
            }
            if (entries.size() == page / LEAST_ENTRY) {
                // Over TCP a reply may have any length.
                throw new BadXdrException(directory.path() + ": the server lists more entries than fit into a page of " + page + " bytes");
            }
            entries.add(new DirectoryEntry(FileName.of(name), Attributes.decode(xdr)));
        }
        return new Page(entries, verf, last, Bounded.bool(xdr, "eof"));
    }
}
