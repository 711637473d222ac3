package org.panamaverbs.nfs.server.session;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Session;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.SessionId;

/** SEQUENCE (RFC 8881, 18.46): the session and slot of a call. */
final class Sequence implements Handler {
    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        SessionId id = SessionId.decode(in);
        int sequence = in.xdrDecodeInt();
        int slot = in.xdrDecodeInt();
        in.xdrDecodeInt(); // sa_highest_slotid: the server never asks for slots back.
        boolean keep = Bounded.bool(in, "sa_cachethis");
        Session session = compound.core().clients().use(id);
        compound.enter(session, session.slot(slot), sequence, keep);
        id.encode(out);
        out.xdrEncodeInt(sequence);
        out.xdrEncodeInt(slot);
        out.xdrEncodeInt(session.slots() - 1);
        out.xdrEncodeInt(session.slots() - 1);
        out.xdrEncodeInt(0); // sr_status_flags: there is no back channel, and nothing was revoked.
    }
}
