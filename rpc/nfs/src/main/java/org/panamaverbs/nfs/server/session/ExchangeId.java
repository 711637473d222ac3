package org.panamaverbs.nfs.server.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Clients;
import org.panamaverbs.nfs.server.state.OwnerName;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Status;

/** EXCHANGE_ID (RFC 8881, 18.35): a client introduces itself. */
final class ExchangeId implements Handler {
    private static final int FLAG_UPDATE = 0x40000000;
    /** All flags of a request; 0x80000000 is for replies only. */
    private static final int FLAGS = FLAG_UPDATE | 0x1 | 0x2 | 0x100 | 0x70000;

    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        long verifier = in.xdrDecodeLong();
        OwnerName owner = new OwnerName(Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "the owner of a client"));
        int flags = in.xdrDecodeInt();
        int protection = in.xdrDecodeInt();
        if (protection != Nfs4.SP4_NONE) {
            // Needs RPCSEC_GSS.
            throw new Refused(Status.INVAL);
        }
        skipImplementation(in);
        if ((flags & ~FLAGS) != 0) {
            throw new Refused(Status.INVAL);
        }
        Clients clients = compound.core().clients();
        Clients.Exchanged exchanged = (flags & FLAG_UPDATE) != 0 ? clients.update(owner, verifier, compound.caller())
                : clients.exchange(owner, verifier, compound.caller());
        out.xdrEncodeLong(exchanged.client());
        out.xdrEncodeInt(exchanged.sequence());
        out.xdrEncodeInt(Nfs4.EXCHGID4_FLAG_USE_NON_PNFS | (exchanged.confirmed() ? Nfs4.EXCHGID4_FLAG_CONFIRMED_R : 0));
        out.xdrEncodeInt(Nfs4.SP4_NONE);
        byte[] name = ("pverbs-" + compound.core().grace().server()).getBytes(StandardCharsets.US_ASCII);
        out.xdrEncodeLong(0);
        out.xdrEncodeDynamicOpaque(name);
        out.xdrEncodeDynamicOpaque(name);
        out.xdrEncodeInt(0);
    }

    private static void skipImplementation(XdrDecodingStream in) throws IOException {
        if (Bounded.count(in, 1, "eia_client_impl_id") == 1) {
            Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "nii_domain");
            Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "nii_name");
            NfsTime.decode(in);
        }
    }
}
