package org.panamaverbs.nfs.server.session;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Core;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.server.state.Session;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Status;

/** CREATE_SESSION (RFC 8881, 18.36), without back channel: the server calls no client. */
final class CreateSession implements Handler {
    /** SEQUENCE alone, without tag and credential, as a call and as a reply: a session that takes less is of no use (18.36.3). */
    private static final int LEAST_REQUEST = 88;
    private static final int LEAST_RESPONSE = 80;
    /** The longest reply that is kept for a retry. */
    private static final int MOST_CACHED = 8 << 10;
    private static final int MOST_CREDENTIALS = 8;
    private static final int MOST_GIDS = 16;

    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        long client = in.xdrDecodeLong();
        int sequence = in.xdrDecodeInt();
        int flags = in.xdrDecodeInt();
        ChannelAttributes fore = ChannelAttributes.decode(in);
        ChannelAttributes back = ChannelAttributes.decode(in);
        in.xdrDecodeInt(); // csa_cb_program
        skipCredentials(in);
        if ((flags & ~(Nfs4.CREATE_SESSION4_FLAG_PERSIST | Nfs4.CREATE_SESSION4_FLAG_CONN_BACK_CHAN
                | Nfs4.CREATE_SESSION4_FLAG_CONN_RDMA)) != 0) {
            throw new Refused(Status.INVAL);
        }
        ChannelAttributes granted = grant(fore, compound.core().limits());
        byte[] answer = compound.core().clients().createSession(client, sequence, compound.caller(), granted,
                session -> encode(session, sequence, back));
        out.xdrEncodeOpaque(answer, 0, answer.length);
    }

    private static ChannelAttributes grant(ChannelAttributes wanted, Core.Limits limits) throws Refused {
        int request = least(wanted.maxRequest(), limits.message());
        int response = least(wanted.maxResponse(), limits.message());
        if (request < LEAST_REQUEST || response < LEAST_RESPONSE) {
            throw new Refused(Status.TOOSMALL);
        }
        int operations = Math.max(least(wanted.maxOperations(), Nfs4.OPERATIONS_LIMIT), 1);
        int requests = Math.max(least(wanted.maxRequests(), limits.slots()), 1);
        return new ChannelAttributes(0, request, response, Math.min(least(wanted.maxCached(), MOST_CACHED), response), operations,
                requests);
    }

    private static int least(int wanted, int limit) {
        return Integer.compareUnsigned(wanted, limit) < 0 ? wanted : limit;
    }

    private static byte[] encode(Session session, int sequence, ChannelAttributes back) {
        try (Xdr xdr = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            xdr.beginEncoding();
            session.id().encode(xdr);
            xdr.xdrEncodeInt(sequence);
            xdr.xdrEncodeInt(0); // csr_flags: neither persistent nor a back channel nor a step up to RDMA.
            session.channel().encode(xdr);
            new ChannelAttributes(0, back.maxRequest(), back.maxResponse(), back.maxCached(), back.maxOperations(), back.maxRequests())
                    .encode(xdr);
            xdr.endEncoding();
            return xdr.getBytes();
        }
    }

    /** For calls that never come. */
    private static void skipCredentials(XdrDecodingStream in) throws IOException {
        int count = Bounded.count(in, MOST_CREDENTIALS, "csa_sec_parms");
        for (int i = 0; i < count; i++) {
            int flavor = in.xdrDecodeInt();
            switch (flavor) {
                case 0 -> {
                }
                case 1 -> skipSystemCredential(in);
                case 6 -> {
                    in.xdrDecodeInt();
                    Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "gcbp_handle_from_server");
                    Bounded.opaque(in, Nfs4.OPAQUE_LIMIT, "gcbp_handle_from_client");
                }
                default -> throw new Refused(Status.BADXDR);
            }
        }
    }

    private static void skipSystemCredential(XdrDecodingStream in) throws IOException {
        in.xdrDecodeInt();
        Bounded.opaque(in, 255, "machinename");
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        int gids = Bounded.count(in, MOST_GIDS, "gids");
        for (int i = 0; i < gids; i++) {
            in.xdrDecodeInt();
        }
    }
}
