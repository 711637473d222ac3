package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Core;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.FileStatus;
import org.panamaverbs.nfs.server.export.Listing;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Status;

/** READDIR (RFC 8881, 18.23), page by page. */
final class ReadDirectory implements Handler {
    /** Cookies never become invalid, so the verifier never changes. */
    private static final long VERIFIER = 0;
    /** The verifier, the end of the list, and eof. */
    private static final int FRAME = 16;
    /** The mark of a further entry, the cookie, and the name's length. */
    private static final int ENTRY = 16;

    static Node requireDirectory(Node node) throws Refused {
        return switch (node.kind()) {
            case DIRECTORY -> node;
            case LINK -> throw new Refused(Status.SYMLINK);
            default -> throw new Refused(Status.NOTDIR);
        };
    }

    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        long cookie = in.xdrDecodeLong();
        long verifier = in.xdrDecodeLong();
        long namesLimit = Integer.toUnsignedLong(in.xdrDecodeInt());
        long limit = Math.min(Integer.toUnsignedLong(in.xdrDecodeInt()), compound.room());
        Bitmap wanted = Bitmap.decode(in);
        Node directory = requireDirectory(compound.current());
        if (cookie < 0 || cookie == 1 || cookie == 2) {
            throw new Refused(Status.BAD_COOKIE);
        }
        if (cookie != 0 && verifier != VERIFIER) {
            throw new Refused(Status.NOT_SAME);
        }
        if (wanted.contains(Attribute.TIME_ACCESS_SET) || wanted.contains(Attribute.TIME_MODIFY_SET)) {
            throw new Refused(Status.INVAL);
        }
        Export export = compound.core().export();
        Listing listing = export.list(directory);
        out.xdrEncodeLong(VERIFIER);
        long length = FRAME;
        long names = 0;
        try (Export.Looks looks = export.look(directory)) {
            for (Listing.Entry entry : listing.after(cookie)) {
                byte[] attributes = attributes(compound.core(), looks, entry, wanted);
                if (attributes == null) {
                    continue;
                }
                int name = entry.name().bytes().length;
                int more = ENTRY + name + (-name & 3) + attributes.length;
                names += ENTRY + name;
                boolean first = length == FRAME;
                if (length + more > limit) {
                    end(out, first, false);
                    return;
                }
                if (!first && namesLimit != 0 && names > namesLimit) {
                    end(out, false, false);
                    return;
                }
                length += more;
                out.xdrEncodeBoolean(true);
                out.xdrEncodeLong(entry.cookie());
                out.xdrEncodeDynamicOpaque(entry.name().bytes());
                out.xdrEncodeOpaque(attributes, 0, attributes.length);
            }
        }
        if (length > limit) {
            throw new Refused(Status.TOOSMALL);
        }
        end(out, false, true);
    }

    private static void end(XdrEncodingStream out, boolean nothing, boolean eof) throws Refused {
        if (nothing) {
            throw new Refused(Status.TOOSMALL);
        }
        out.xdrEncodeBoolean(false);
        out.xdrEncodeBoolean(eof);
    }

    /** {@code null} if there is nothing of that name any more, or nothing that is inside. */
    private static byte[] attributes(Core core, Export.Looks looks, Listing.Entry entry, Bitmap wanted) throws IOException {
        FileStatus status = looks.status(entry.name());
        if (status == null) {
            return null;
        }
        try (Xdr xdr = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            xdr.beginEncoding();
            FileAttributes.of(core, wanted, status.handle(), status).encode(xdr);
            xdr.endEncoding();
            return xdr.getBytes();
        }
    }
}
