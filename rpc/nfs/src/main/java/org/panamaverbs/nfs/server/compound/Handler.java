package org.panamaverbs.nfs.server.compound;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** Executes one operation. */
@FunctionalInterface
public interface Handler {
    /**
     * Decodes the arguments, executes, and encodes the result behind NFS4_OK.
     *
     * @throws IOException if it fails: {@link org.panamaverbs.nfs.server.state.Refused} has the status, and {@link Statuses} finds one for
     *                     all else
     */
    void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException;
}
