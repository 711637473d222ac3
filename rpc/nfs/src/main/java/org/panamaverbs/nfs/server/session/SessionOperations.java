package org.panamaverbs.nfs.server.session;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.Status;

/** The handlers of this package; the short ones are here. */
public final class SessionOperations {
    private static final int AUTH_SYS = 1;
    private static final int FORE = 1;

    private SessionOperations() {
    }

    /** All of them. */
    public static Map<Operation, Handler> handlers() {
        return Map.of(Operation.EXCHANGE_ID, new ExchangeId(), Operation.CREATE_SESSION, new CreateSession(), Operation.SEQUENCE,
                new Sequence(), Operation.DESTROY_SESSION, SessionOperations::destroySession, Operation.DESTROY_CLIENTID,
                SessionOperations::destroyClient, Operation.BIND_CONN_TO_SESSION, SessionOperations::bind, Operation.RECLAIM_COMPLETE,
                SessionOperations::reclaimComplete, Operation.SECINFO_NO_NAME, SessionOperations::securityWithoutName, Operation.SECINFO,
                SessionOperations::security);
    }

    /** DESTROY_SESSION (18.37). */
    private static void destroySession(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.core().clients().destroySession(SessionId.decode(in));
    }

    /** DESTROY_CLIENTID (18.50). */
    private static void destroyClient(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.core().clients().destroyClient(in.xdrDecodeLong());
    }

    /** BIND_CONN_TO_SESSION (18.34): any connection carries any session's fore channel; no connection a back channel. */
    private static void bind(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        SessionId id = SessionId.decode(in);
        int direction = in.xdrDecodeInt();
        Bounded.bool(in, "bctsa_use_conn_in_rdma_mode");
        compound.core().clients().use(id);
        if (direction != 1 && direction != 2 && direction != 3 && direction != 7) {
            throw new Refused(Status.BADXDR);
        }
        if (direction == 2) {
            throw new Refused(Status.INVAL);
        }
        id.encode(out);
        out.xdrEncodeInt(FORE);
        out.xdrEncodeBoolean(false);
    }

    /** RECLAIM_COMPLETE (18.51). */
    private static void reclaimComplete(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        boolean oneFileSystem = Bounded.bool(in, "rca_one_fs");
        if (oneFileSystem) {
            compound.current();
        } else {
            compound.core().grace().complete(compound.client());
        }
    }

    /** SECINFO_NO_NAME (18.45). */
    private static void securityWithoutName(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        int style = in.xdrDecodeInt();
        if (style != 0 && style != 1) {
            throw new Refused(Status.BADXDR);
        }
        if (style == 1 && compound.core().export().parent(compound.current()) == null) {
            throw new Refused(Status.NOENT);
        }
        answer(compound, out);
    }

    /** SECINFO (18.29). */
    private static void security(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.core().export().lookup(compound.current(), compound.name(in));
        answer(compound, out);
    }

    private static void answer(Compound compound, XdrEncodingStream out) throws IOException {
        compound.current();
        out.xdrEncodeInt(1);
        out.xdrEncodeInt(AUTH_SYS);
        // RFC 8881, 2.6.3.1.1.8: the operation consumes the current file handle.
        compound.current(null);
    }
}
