package org.panamaverbs.nfs.client;

import org.panamaverbs.nfs.xdr.Attributes;

/**
 * An entry of a directory.
 *
 * @param name       the name; bytes that are not UTF-8 are shown as U+FFFD
 * @param attributes of the file; those that the server could not read are missing
 */
public record DirectoryEntry(String name, Attributes attributes) {
}
