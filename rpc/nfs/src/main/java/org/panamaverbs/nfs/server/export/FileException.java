package org.panamaverbs.nfs.server.export;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.panamaverbs.posix.Errno;

/** A call of the system failed, or this package refused one; the error number says why. */
public final class FileException extends IOException {
    private static final long serialVersionUID = 1;

    private final int errno;

    /**
     * Makes one.
     *
     * @param call  the system's call
     * @param errno of {@link Errno}
     */
    public FileException(String call, int errno) {
        super(call + " failed with error number " + errno);
        this.errno = errno;
    }

    /** The error's number. */
    public int errno() {
        return errno;
    }

    /** The number that an exception of the JDK stands for: it keeps the system's text only. */
    public static int errnoOf(IOException failure) {
        return switch (failure) {
            case FileException own -> own.errno;
            case NoSuchFileException e -> Errno.ENOENT;
            case AccessDeniedException e -> Errno.EACCES;
            case FileSystemException e -> errnoOfText(e.getReason());
            default -> errnoOfText(failure.getMessage());
        };
    }

    private static int errnoOfText(String text) {
        String lower = text == null ? "" : text.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left")) {
            return Errno.ENOSPC;
        } else if (lower.contains("disk quota")) {
            return Errno.EDQUOT;
        } else if (lower.contains("file too large")) {
            return Errno.EFBIG;
        } else if (lower.contains("too many open files")) {
            return Errno.EMFILE;
        } else if (lower.contains("read-only file system")) {
            return Errno.EROFS;
        } else if (lower.contains("is a directory")) {
            return Errno.EISDIR;
        }
        return Errno.EIO;
    }
}
