package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.BufferPool;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** READ (RFC 8881, 18.22): the system reads from the file into a buffer, out of which the reply is sent. */
final class Read implements Handler {
    /** eof, the length, and padding. */
    private static final int BESIDES = 12;

    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        StateId state = StateId.decode(in);
        long offset = in.xdrDecodeLong();
        int wanted = in.xdrDecodeInt();
        try (Channels channel = Channels.of(compound, state, false)) {
            int most = Math.min(compound.core().limits().transfer(), compound.room() - BESIDES);
            if (most < 0) {
                throw new Refused(Status.REP_TOO_BIG);
            }
            int length = Integer.compareUnsigned(wanted, most) < 0 ? wanted : most;
            // An offset beyond 2^63 - 1 is behind the end of any file.
            long size = channel.channel().size();
            if (offset < 0 || offset >= size || length == 0) {
                out.xdrEncodeBoolean(offset < 0 || offset >= size);
                out.xdrEncodeInt(0);
                return;
            }
            read(compound, channel, offset, (int) Math.min(length, size - offset), out);
        }
    }

    private static void read(Compound compound, Channels channel, long offset, int length, XdrEncodingStream out) throws IOException {
        BufferPool.Buffer buffer = compound.core().buffers().take(compound.caller().peer(), length);
        if (buffer == null) {
            throw new Refused(Status.DELAY);
        }
        MemorySegment memory = buffer.segment().asSlice(0, length);
        compound.data(buffer, memory);
        ByteBuffer bytes = memory.asByteBuffer();
        boolean end = false;
        while (bytes.hasRemaining() && !end) {
            end = channel.channel().read(bytes, offset + bytes.position()) <= 0;
        }
        // The file may have become shorter.
        compound.data(buffer, memory.asSlice(0, bytes.position()));
        out.xdrEncodeBoolean(end || offset + bytes.position() >= channel.channel().size());
    }
}
