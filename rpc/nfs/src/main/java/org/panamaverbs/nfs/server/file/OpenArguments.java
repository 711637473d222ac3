package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.state.Opens;
import org.panamaverbs.nfs.server.state.OwnerName;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Status;

/**
 * OPEN4args (RFC 8881, 18.16.1).
 *
 * @param access     OPEN4_SHARE_ACCESS_
 * @param deny       OPEN4_SHARE_DENY_
 * @param owner      the open's owner
 * @param creates    whether a file may be made
 * @param mode       UNCHECKED4 and so on
 * @param verifier   of an exclusive creation
 * @param attributes of a new file
 * @param claim      CLAIM_NULL, CLAIM_FH or CLAIM_PREVIOUS
 * @param name       in the current directory; {@code null} if the current file itself is opened
 */
record OpenArguments(int access, int deny, OwnerName owner, boolean creates, int mode, long verifier, Attributes attributes, int claim,
        Name name) {
    static OpenArguments decode(Compound compound, XdrDecodingStream in) throws IOException {
        in.xdrDecodeInt(); // seqid: SEQUENCE does its work.
        int access = in.xdrDecodeInt();
        int deny = in.xdrDecodeInt();
        in.xdrDecodeLong(); // The owner's client is the session's.
        OwnerName owner = new OwnerName(Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "the owner of an open"));
        int how = in.xdrDecodeInt();
        int mode = Nfs4.UNCHECKED4;
        long verifier = 0;
        Attributes attributes = new Attributes();
        if (how == Nfs4.OPEN4_CREATE) {
            mode = in.xdrDecodeInt();
            if (mode == Nfs4.EXCLUSIVE4 || mode == Nfs4.EXCLUSIVE4_1) {
                verifier = in.xdrDecodeLong();
            }
            if (mode != Nfs4.EXCLUSIVE4) {
                attributes = Attributes.decode(in);
            }
            if (mode < Nfs4.UNCHECKED4 || mode > Nfs4.EXCLUSIVE4_1) {
                throw new Refused(Status.BADXDR);
            }
        } else if (how != Nfs4.OPEN4_NOCREATE) {
            throw new Refused(Status.BADXDR);
        }
        int claim = in.xdrDecodeInt();
        Name name = name(compound, in, claim);
        if (name == null && how == Nfs4.OPEN4_CREATE) {
            throw new Refused(Status.INVAL);
        }
        return new OpenArguments(Opens.checkAccess(access), Opens.checkDeny(deny), owner, how == Nfs4.OPEN4_CREATE, mode, verifier,
                attributes, claim, name);
    }

    private static Name name(Compound compound, XdrDecodingStream in, int claim) throws IOException {
        return switch (claim) {
            case Nfs4.CLAIM_NULL -> compound.name(in);
            case Nfs4.CLAIM_FH -> null;
            case Nfs4.CLAIM_PREVIOUS -> {
                checkDelegation(in.xdrDecodeInt());
                yield null;
            }
            // Of delegations.
            case 2, 3, 5, 6 -> throw new Refused(Status.NOTSUPP);
            default -> throw new Refused(Status.BADXDR);
        };
    }

    /** No server of this kind granted a delegation, so none can be reclaimed. */
    private static void checkDelegation(int type) throws Refused {
        if (type < Nfs4.OPEN_DELEGATE_NONE || type > Nfs4.OPEN_DELEGATE_NONE_EXT) {
            throw new Refused(Status.BADXDR);
        }
        if (type == Nfs4.OPEN_DELEGATE_READ || type == Nfs4.OPEN_DELEGATE_WRITE) {
            throw new Refused(Status.RECLAIM_BAD);
        }
    }

    boolean reclaims() {
        return claim == Nfs4.CLAIM_PREVIOUS;
    }

    /** Whether a file that is there already becomes empty (18.16.3). */
    boolean cuts() {
        return mode == Nfs4.UNCHECKED4 && attributes.get(Attribute.SIZE).orElse(-1L) == 0;
    }

    boolean isExclusive() {
        return creates && (mode == Nfs4.EXCLUSIVE4 || mode == Nfs4.EXCLUSIVE4_1);
    }
}
