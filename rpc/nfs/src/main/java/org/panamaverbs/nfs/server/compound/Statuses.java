package org.panamaverbs.nfs.server.compound;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.panamaverbs.nfs.server.export.FileException;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.nfs.xdr.UnknownAttributeException;
import org.panamaverbs.posix.Errno;

/** The status that a failure has for the client (RFC 8881, 15). */
public final class Statuses {
    private Statuses() {
    }

    /** Of an operation that failed. */
    public static Status of(IOException failure) {
        return switch (failure) {
            case Refused refused -> refused.status();
            case UnknownAttributeException e -> Status.ATTRNOTSUPP;
            case OncRpcException e -> Status.BADXDR;
            // The call ends before its arguments do.
            case BadXdrOncRpcException e -> Status.BADXDR;
            // Another call closed the file meanwhile.
            case ClosedChannelException e -> Status.BAD_STATEID;
            default -> of(FileException.errnoOf(failure));
        };
    }

    private static Status of(int errno) {
        return switch (errno) {
            case Errno.EPERM -> Status.PERM;
            case Errno.ENOENT -> Status.NOENT;
            case Errno.ENXIO -> Status.WRONG_TYPE;
            case Errno.EACCES -> Status.ACCESS;
            case Errno.EEXIST -> Status.EXIST;
            case Errno.EXDEV -> Status.XDEV;
            case Errno.ENOTDIR -> Status.NOTDIR;
            case Errno.EISDIR -> Status.ISDIR;
            case Errno.EINVAL -> Status.INVAL;
            case Errno.EFBIG -> Status.FBIG;
            case Errno.ENOSPC -> Status.NOSPC;
            case Errno.EROFS -> Status.ROFS;
            case Errno.EMLINK -> Status.MLINK;
            case Errno.ENAMETOOLONG -> Status.NAMETOOLONG;
            case Errno.ENOTEMPTY -> Status.NOTEMPTY;
            case Errno.ELOOP -> Status.SYMLINK;
            case Errno.EDQUOT -> Status.DQUOT;
            case Errno.ESTALE -> Status.STALE;
            case Errno.EAGAIN, Errno.EBUSY, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM -> Status.DELAY;
            case Errno.ENOSYS, Errno.EOPNOTSUPP -> Status.NOTSUPP;
            default -> Status.IO;
        };
    }

    /** Of a text that is no name. */
    public static Status of(Name.Fault fault) {
        return switch (fault) {
            case EMPTY -> Status.INVAL;
            case TOO_LONG -> Status.NAMETOOLONG;
            case BAD_CHARACTER -> Status.BADCHAR;
            case BAD_NAME -> Status.BADNAME;
        };
    }
}
