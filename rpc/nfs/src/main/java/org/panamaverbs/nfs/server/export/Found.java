package org.panamaverbs.nfs.server.export;

import org.panamaverbs.posix.Errno;

/**
 * A file that was walked to, held by a descriptor: from here on it is this file, whatever happens to its name.
 *
 * @param descriptor names the file; O_PATH
 * @param status     the file's attributes when it was found
 */
record Found(Descriptor descriptor, FileStatus status) implements AutoCloseable {
    void requireDirectory() throws FileException {
        if (status.kind() == Kind.LINK) {
            throw new FileException("openat", Errno.ELOOP);
        }
        if (status.kind() != Kind.DIRECTORY) {
            throw new FileException("openat", Errno.ENOTDIR);
        }
    }

    void requireRegular() throws FileException {
        switch (status.kind()) {
            case REGULAR -> {
            }
            case DIRECTORY -> throw new FileException("open", Errno.EISDIR);
            case LINK -> throw new FileException("open", Errno.ELOOP);
            // Never opened: that could wait for a stranger, or move a tape.
            default -> throw new FileException("open", Errno.ENXIO);
        }
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
