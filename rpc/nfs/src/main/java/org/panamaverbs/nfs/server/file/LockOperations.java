package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.ByteRange;
import org.panamaverbs.nfs.server.state.Locks;
import org.panamaverbs.nfs.server.state.OwnerName;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Operations on byte-range locks. A client that waits for a lock asks again: there is no back channel to call it by. */
final class LockOperations {
    private LockOperations() {
    }

    static Map<Operation, Handler> handlers() {
        return Map.of(Operation.LOCK, LockOperations::lock, Operation.LOCKT, LockOperations::test, Operation.LOCKU, LockOperations::unlock);
    }

    /** LOCK (18.10). */
    private static void lock(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        boolean write = decodeType(in);
        boolean reclaim = Bounded.bool(in, "reclaim");
        long offset = in.xdrDecodeLong();
        long length = in.xdrDecodeLong();
        boolean first = Bounded.bool(in, "new_lock_owner");
        if (first) {
            in.xdrDecodeInt(); // open_seqid: SEQUENCE does its work.
        }
        StateId named = StateId.decode(in);
        in.xdrDecodeInt(); // lock_seqid
        OwnerName owner = first ? decodeOwner(in) : null;
        Node node = file(compound);
        ByteRange range = ByteRange.of(offset, length);
        if (reclaim) {
            compound.core().grace().checkReclaim(compound.client());
        } else {
            compound.core().grace().checkNew(compound.client());
        }
        // RFC 8881, 8.4.3: a lock whose lease is over must not conflict.
        compound.core().clients().expire();
        Locks locks = compound.core().opens().locks();
        StateId state = compound.resolve(named);
        Locks.Answer answer = first ? locks.lock(state, node, new Locks.Wanted(compound.client(), owner, range, write))
                : locks.lock(state, compound.client(), node, range, write);
        if (answer.denier() != null && reclaim) {
            throw new Refused(Status.RECLAIM_CONFLICT);
        }
        if (answer.denier() != null) {
            throw denied(compound, answer.denier());
        }
        compound.currentState(answer.state());
        answer.state().encode(out);
    }

    /** LOCKT (18.11). */
    private static void test(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        boolean write = decodeType(in);
        long offset = in.xdrDecodeLong();
        long length = in.xdrDecodeLong();
        OwnerName owner = decodeOwner(in);
        Node node = file(compound);
        Locks.Wanted wanted = new Locks.Wanted(compound.client(), owner, ByteRange.of(offset, length), write);
        compound.core().grace().checkOver();
        compound.core().clients().expire();
        Locks.Wanted denier = compound.core().opens().locks().test(node, wanted).orElse(null);
        if (denier != null) {
            throw denied(compound, denier);
        }
    }

    /** LOCKU (18.12). */
    private static void unlock(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        decodeType(in);
        in.xdrDecodeInt(); // seqid
        StateId state = StateId.decode(in);
        long offset = in.xdrDecodeLong();
        long length = in.xdrDecodeLong();
        Node node = file(compound);
        StateId left = compound.core().opens().locks().unlock(compound.resolve(state), compound.client(), node,
                ByteRange.of(offset, length));
        compound.currentState(left);
        left.encode(out);
    }

    private static Node file(Compound compound) throws Refused {
        Node node = compound.current();
        Channels.requireRegular(node);
        return node;
    }

    /** Whether the lock is exclusive. */
    private static boolean decodeType(XdrDecodingStream in) throws IOException {
        int type = in.xdrDecodeInt();
        return switch (type) {
            case Nfs4.READ_LT, Nfs4.READW_LT -> false;
            case Nfs4.WRITE_LT, Nfs4.WRITEW_LT -> true;
            default -> throw new BadXdrException("lock type " + Integer.toUnsignedString(type) + " does not exist");
        };
    }

    private static OwnerName decodeOwner(XdrDecodingStream in) throws IOException {
        in.xdrDecodeLong(); // The owner's client is the session's.
        return new OwnerName(Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "the owner of a lock"));
    }

    /** LOCK4denied. */
    private static Refused denied(Compound compound, Locks.Wanted denier) throws Refused {
        try (Xdr xdr = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            xdr.beginEncoding();
            xdr.xdrEncodeLong(denier.range().first());
            xdr.xdrEncodeLong(denier.range().length());
            xdr.xdrEncodeInt(denier.write() ? Nfs4.WRITE_LT : Nfs4.READ_LT);
            xdr.xdrEncodeLong(denier.client().id());
            xdr.xdrEncodeDynamicOpaque(denier.owner().bytes());
            xdr.endEncoding();
            compound.besidesFailure(xdr.getBytes());
        }
        return new Refused(Status.DENIED);
    }
}
