package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.rpcrdma.OpaqueSegment;

/** WRITE (RFC 8881, 18.32): the system writes to the file out of the call. */
final class Write implements Handler {
    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        StateId state = StateId.decode(in);
        long offset = in.xdrDecodeLong();
        int stable = in.xdrDecodeInt();
        MemorySegment data = data(in);
        if (stable < Nfs4.UNSTABLE4 || stable > Nfs4.FILE_SYNC4) {
            throw new Refused(Status.BADXDR);
        }
        compound.checkWritable();
        if (offset < 0 || offset > Long.MAX_VALUE - data.byteSize()) {
            throw new Refused(Status.FBIG);
        }
        if (data.byteSize() > compound.core().limits().transfer()) {
            throw new Refused(Status.INVAL);
        }
        try (Channels channel = Channels.of(compound, state, true)) {
            ByteBuffer bytes = data.asByteBuffer();
            while (bytes.hasRemaining()) {
                channel.channel().write(bytes, offset + bytes.position());
            }
            if (stable != Nfs4.UNSTABLE4) {
                channel.channel().force(stable == Nfs4.FILE_SYNC4);
            }
        }
        out.xdrEncodeInt((int) data.byteSize());
        out.xdrEncodeInt(stable);
        out.xdrEncodeLong(compound.core().writeVerifier());
    }

    private static MemorySegment data(XdrDecodingStream in) throws IOException {
        try {
            return OpaqueSegment.view(in);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // oncrpc4j adds the padding to the length before it compares.
            throw new Refused(Status.BADXDR);
        }
    }
}
