package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.Handle;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;

/** Operations on the current and the saved file handle. */
final class HandleOperations {
    private HandleOperations() {
    }

    static Map<Operation, Handler> handlers() {
        return Map.of(Operation.PUTROOTFH, HandleOperations::putRoot, Operation.PUTPUBFH, HandleOperations::putRoot, Operation.PUTFH,
                HandleOperations::put, Operation.GETFH, HandleOperations::get, Operation.SAVEFH, (compound, in, out) -> compound.save(),
                Operation.RESTOREFH, (compound, in, out) -> compound.restore(), Operation.LOOKUP, HandleOperations::lookup,
                Operation.LOOKUPP, HandleOperations::lookupParent);
    }

    /** PUTROOTFH (18.21), and PUTPUBFH (18.20): the same. */
    private static void putRoot(Compound compound, XdrDecodingStream in, XdrEncodingStream out) {
        compound.current(compound.core().export().root());
    }

    /** PUTFH (18.19). */
    private static void put(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Handle handle = Handle.of(FileHandle.decode(in).bytes());
        if (handle == null) {
            throw new Refused(Status.BADHANDLE);
        }
        Export export = compound.core().export();
        Node node = export.find(handle);
        if (node == null) {
            throw new Refused(export.keepsHandles() ? Status.STALE : Status.FHEXPIRED);
        }
        compound.current(node);
    }

    /** GETFH (18.8). */
    private static void get(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        FileHandle.of(compound.current().handle().bytes()).encode(out);
    }

    /** LOOKUP (18.13). A link is found and not followed: its next component meets NFS4ERR_SYMLINK. */
    private static void lookup(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.current(compound.core().export().lookup(compound.current(), compound.name(in)));
    }

    /** LOOKUPP (18.14): never above the exported directory. */
    private static void lookupParent(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        Node parent = compound.core().export().parent(ReadDirectory.requireDirectory(compound.current()));
        if (parent == null) {
            throw new Refused(Status.NOENT);
        }
        compound.current(parent);
    }
}
