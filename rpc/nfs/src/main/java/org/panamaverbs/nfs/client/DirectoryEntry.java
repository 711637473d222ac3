package org.panamaverbs.nfs.client;

import org.panamaverbs.nfs.xdr.Attributes;

/**
 * An entry of a directory.
 *
 * @param name       the name
 * @param attributes of the file; those that the server could not read are missing
 */
public record DirectoryEntry(FileName name, Attributes attributes) {
}
