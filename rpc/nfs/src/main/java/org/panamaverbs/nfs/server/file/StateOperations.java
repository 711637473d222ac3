package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.util.Map;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Opens;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Operations on opens, and on states of any kind. */
final class StateOperations {
    private static final int MOST_TESTED = 1024;

    private StateOperations() {
    }

    static Map<Operation, Handler> handlers() {
        return Map.of(Operation.CLOSE, StateOperations::close, Operation.OPEN_DOWNGRADE, StateOperations::downgrade, Operation.TEST_STATEID,
                StateOperations::test, Operation.FREE_STATEID, StateOperations::free);
    }

    /** CLOSE (18.2). */
    private static void close(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        in.xdrDecodeInt(); // seqid: SEQUENCE does its work.
        StateId state = compound.resolveExactly(StateId.decode(in));
        compound.core().opens().close(state, compound.client(), compound.current());
        compound.currentState(null);
        StateId.INVALID.encode(out);
    }

    /** OPEN_DOWNGRADE (18.18). */
    private static void downgrade(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        StateId state = compound.resolveExactly(StateId.decode(in));
        in.xdrDecodeInt(); // seqid
        int access = Opens.checkAccess(in.xdrDecodeInt());
        int deny = Opens.checkDeny(in.xdrDecodeInt());
        Node node = compound.current();
        StateId left = compound.core().opens().downgrade(state, compound.client(), node, access, deny);
        compound.currentState(left);
        left.encode(out);
    }

    /** TEST_STATEID (18.48). */
    private static void test(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        int count = Bounded.count(in, MOST_TESTED, "ts_stateids");
        int[] codes = new int[count];
        for (int i = 0; i < count; i++) {
            codes[i] = test(compound, StateId.decode(in)).code();
        }
        out.xdrEncodeIntVector(codes);
    }

    private static Status test(Compound compound, StateId state) {
        try {
            compound.core().opens().find(state, compound.client());
            return Status.OK;
        } catch (Refused e) {
            return e.status();
        }
    }

    /** FREE_STATEID (18.38): of locks; opens are not freed but closed. */
    private static void free(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        compound.core().opens().locks().free(compound.resolve(StateId.decode(in)), compound.client());
    }
}
