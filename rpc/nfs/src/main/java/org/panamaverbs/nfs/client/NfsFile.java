package org.panamaverbs.nfs.client;

import java.util.Objects;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.FileHandle;

/**
 * A file of the server, which exists or existed.
 *
 * @param path       its path, for messages
 * @param handle     its name for the server
 * @param attributes as they were when it was looked up
 */
public record NfsFile(String path, FileHandle handle, Attributes attributes) {
    /** Checks. */
    public NfsFile {
        Objects.requireNonNull(path);
        Objects.requireNonNull(handle);
        Objects.requireNonNull(attributes);
    }
}
