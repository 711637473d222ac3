package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.Kind;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Operations on attributes and rights. */
final class AttributeOperations {
    private static final Bitmap ONLY_SET = Bitmap.of(Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET);
    private static final int ALL = 0x3f;
    private static final int CHANGES = Nfs4.ACCESS4_MODIFY | Nfs4.ACCESS4_EXTEND | Nfs4.ACCESS4_DELETE;

    private AttributeOperations() {
    }

    static Map<Operation, Handler> handlers() {
        return Map.of(Operation.GETATTR, AttributeOperations::get, Operation.SETATTR, AttributeOperations::set, Operation.ACCESS,
                AttributeOperations::access, Operation.VERIFY, (compound, in, out) -> verify(compound, in, true), Operation.NVERIFY,
                (compound, in, out) -> verify(compound, in, false));
    }

    /** GETATTR (18.7). */
    private static void get(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Bitmap wanted = Bitmap.decode(in);
        if (!wanted.and(ONLY_SET).isEmpty()) {
            throw new Refused(Status.INVAL);
        }
        of(compound, wanted).encode(out);
    }

    private static Attributes of(Compound compound, Bitmap wanted) throws IOException {
        Node node = compound.current();
        return FileAttributes.of(compound.core(), wanted, node.handle(), compound.core().export().status(node));
    }

    /** SETATTR (18.30). The size goes first: it is the attribute that can fail. */
    private static void set(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.besidesFailure(encoded(Bitmap.EMPTY));
        StateId state = StateId.decode(in);
        Attributes attributes = Attributes.decode(in);
        compound.checkWritable();
        Settings.check(attributes);
        Node node = compound.current();
        if (attributes.get(Attribute.SIZE).isPresent()) {
            try (Channels channel = Channels.of(compound, state, true)) {
                Settings.resize(channel.channel(), attributes.require(Attribute.SIZE));
            }
            compound.besidesFailure(encoded(Bitmap.of(Attribute.SIZE)));
        }
        Settings.apply(compound.core().export(), node, attributes, attributes.get(Attribute.MODE).orElse(null));
        attributes.present().encode(out);
    }

    private static byte[] encoded(Bitmap bitmap) {
        try (Xdr xdr = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            xdr.beginEncoding();
            bitmap.encode(xdr);
            xdr.endEncoding();
            return xdr.getBytes();
        }
    }

    /** ACCESS (18.1): the rights of the server's own user, whoever calls. */
    private static void access(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        int wanted = in.xdrDecodeInt() & ALL;
        Node node = compound.current();
        boolean directory = node.kind() == Kind.DIRECTORY;
        int supported = wanted & (directory ? ALL & ~Nfs4.ACCESS4_EXECUTE : ALL & ~Nfs4.ACCESS4_LOOKUP & ~Nfs4.ACCESS4_DELETE);
        int has = compound.core().export().permits(node, Export.READ | Export.WRITE | Export.EXECUTE);
        int granted = 0;
        if ((has & Export.READ) != 0) {
            granted |= Nfs4.ACCESS4_READ;
        }
        if ((has & Export.WRITE) != 0 && compound.core().limits().writable()) {
            granted |= CHANGES;
        }
        if ((has & Export.EXECUTE) != 0) {
            granted |= Nfs4.ACCESS4_LOOKUP | Nfs4.ACCESS4_EXECUTE;
        }
        out.xdrEncodeInt(supported);
        out.xdrEncodeInt(supported & granted);
    }

    /** VERIFY (18.31) and NVERIFY (18.15). */
    private static void verify(Compound compound, XdrDecodingStream in, boolean same) throws IOException {
        Attributes expected = Attributes.decode(in);
        Bitmap compared = expected.present();
        if (!compared.without(FileAttributes.SUPPORTED).isEmpty()) {
            throw new Refused(Status.ATTRNOTSUPP);
        }
        if (!compared.and(ONLY_SET).isEmpty() || compared.contains(Attribute.RDATTR_ERROR)) {
            throw new Refused(Status.INVAL);
        }
        if (of(compound, compared).equals(expected) != same) {
            throw new Refused(same ? Status.NOT_SAME : Status.SAME);
        }
    }
}
