package org.panamaverbs.nfs.client;

import java.util.Objects;
import java.util.Optional;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.StateId;

/**
 * A file that is open at the server.
 *
 * @param path       its path, for messages
 * @param handle     its name for the server
 * @param state      the stateid of OPEN
 * @param delegation one that the server gave although none was wanted; closing returns it
 */
public record OpenFile(String path, FileHandle handle, StateId state, Optional<StateId> delegation) {
    /** Checks. */
    public OpenFile {
        Objects.requireNonNull(path);
        Objects.requireNonNull(handle);
        Objects.requireNonNull(state);
    }
}
