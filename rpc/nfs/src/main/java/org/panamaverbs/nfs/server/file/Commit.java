package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Node;

/** COMMIT (RFC 8881, 18.3): the whole file, whatever part the client names. */
final class Commit implements Handler {
    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        in.xdrDecodeLong();
        in.xdrDecodeInt();
        compound.checkWritable();
        Node node = compound.current();
        Channels.requireRegular(node);
        FileChannel writer = compound.core().opens().anyWriter(node);
        if (writer != null) {
            writer.force(true);
        } else {
            try (FileChannel own = compound.core().export().open(node, false)) {
                own.force(true);
            }
        }
        out.xdrEncodeLong(compound.core().writeVerifier());
    }
}
