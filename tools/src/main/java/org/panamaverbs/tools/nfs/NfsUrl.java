package org.panamaverbs.tools.nfs;

import org.panamaverbs.tools.shared.HostPort;

/**
 * nfs://HOST[:PORT]/PATH. The path is taken as it is written: nothing in it is decoded.
 *
 * @param server the host, with a port if the text has one
 * @param path   from the server's root, without the slash in front; may be empty
 */
record NfsUrl(String server, String path) {
    private static final String SCHEME = "nfs://";
    private static final char REPLACEMENT = '\ufffd';

    /**
     * An argument as it is, if Java could decode it. Java replaces bytes that it cannot decode, which would name another file.
     *
     * @throws IllegalArgumentException if there are such bytes
     */
    static String exact(String argument) {
        if (argument.indexOf(REPLACEMENT) >= 0) {
            throw new IllegalArgumentException(
                    "\"" + argument + "\" has bytes that are not of the character set " + System.getProperty("sun.jnu.encoding")
                            + ", so this command cannot name that file: rename it, set LC_ALL, or mount the " + "server's folder");
        }
        return argument;
    }

    /** @throws IllegalArgumentException if it is no such URL, or not exact */
    static NfsUrl parse(String text) {
        exact(text);
        int slash = text.startsWith(SCHEME) ? text.indexOf('/', SCHEME.length()) : -1;
        if (slash <= SCHEME.length()) {
            throw new IllegalArgumentException("\"" + text + "\" is not the URL of a file at a server, such as nfs://host/folder/file");
        }
        return new NfsUrl(text.substring(SCHEME.length(), slash), text.substring(slash + 1));
    }

    HostPort address(int defaultPort) {
        return HostPort.parse(server, defaultPort);
    }

    /** Whether the URL names the content of a directory. */
    boolean isFolder() {
        return path.isEmpty() || path.endsWith("/");
    }

    /** The last name of the path. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The path without its last name. */
    String folder() {
        return path.substring(0, path.lastIndexOf('/') + 1);
    }
}
