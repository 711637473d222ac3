package org.panamaverbs.nfs.xdr;

import org.dcache.oncrpc4j.rpc.OncRpcException;

/** A stream that departs from the XDR of RFC 8881, or is beyond a limit; a server answers it by NFS4ERR_BADXDR. */
public class BadXdrException extends OncRpcException {
    private static final long serialVersionUID = 1L;

    public BadXdrException(String message) {
        super(message);
    }
}
