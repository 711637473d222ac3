package org.panamaverbs.nfs.xdr;

/** An attribute that this package cannot decode; a server answers it by NFS4ERR_ATTRNOTSUPP. */
public final class UnknownAttributeException extends BadXdrException {
    private static final long serialVersionUID = 1L;

    public UnknownAttributeException(int number) {
        super("the attribute " + number + " is not known");
    }
}
