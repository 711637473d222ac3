package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.Kind;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChangeInfo;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;

/** Operations on the names in a directory. */
final class NameOperations {
    private static final int USUAL_MODE = 0755;
    private static final int LINK_LIMIT = 4096;

    private NameOperations() {
    }

    static Map<Operation, Handler> handlers() {
        return Map.of(Operation.CREATE, NameOperations::create, Operation.REMOVE, NameOperations::remove, Operation.RENAME,
                NameOperations::rename, Operation.READLINK, NameOperations::readLink);
    }

    /** CREATE (18.4): directories. Links and special files could lead users of the directory on this machine astray. */
    private static void create(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        int type = in.xdrDecodeInt();
        switch (type) {
            case 5 -> Bounded.opaque(in, LINK_LIMIT, "the text of a link");
            case 3, 4 -> in.xdrDecodeLong();
            default -> {
            }
        }
        Name name = compound.name(in);
        Attributes attributes = Attributes.decode(in);
        compound.checkWritable();
        if (type != FileType.DIRECTORY.number()) {
            throw new Refused(Status.BADTYPE);
        }
        Settings.check(attributes);
        if (attributes.get(Attribute.SIZE).isPresent()) {
            throw new Refused(Status.INVAL);
        }
        Node directory = ReadDirectory.requireDirectory(compound.current());
        Export export = compound.core().export();
        long before = export.status(directory).change();
        Node node = export.makeDirectory(directory, name, attributes.get(Attribute.MODE).orElse(USUAL_MODE));
        Settings.apply(export, node, attributes, null);
        compound.current(node);
        new ChangeInfo(false, before, export.status(directory).change()).encode(out);
        attributes.present().encode(out);
    }

    /** REMOVE (18.25). */
    private static void remove(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Name name = compound.name(in);
        compound.checkWritable();
        compound.core().grace().checkOver();
        Node directory = ReadDirectory.requireDirectory(compound.current());
        Export export = compound.core().export();
        long before = export.status(directory).change();
        export.remove(directory, name);
        new ChangeInfo(false, before, export.status(directory).change()).encode(out);
    }

    /** RENAME (18.26). */
    private static void rename(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Name oldName = compound.name(in);
        Name newName = compound.name(in);
        compound.checkWritable();
        compound.core().grace().checkOver();
        Node from = ReadDirectory.requireDirectory(compound.saved());
        Node to = ReadDirectory.requireDirectory(compound.current());
        Export export = compound.core().export();
        long sourceBefore = export.status(from).change();
        long targetBefore = export.status(to).change();
        export.rename(from, oldName, to, newName);
        new ChangeInfo(false, sourceBefore, export.status(from).change()).encode(out);
        new ChangeInfo(false, targetBefore, export.status(to).change()).encode(out);
    }

    /** READLINK (18.24): the client follows a link among its own files, as it likes. */
    private static void readLink(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Node link = compound.current();
        if (link.kind() != Kind.LINK) {
            throw new Refused(Status.WRONG_TYPE);
        }
        out.xdrEncodeDynamicOpaque(compound.core().export().readLink(link));
    }
}
