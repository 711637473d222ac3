package org.panamaverbs.nfs.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.nfs.xdr.Nfs4;

/** Paths as names of files, one behind the other. */
final class PathNames {
    private PathNames() {
    }

    /** Whether a text is one name: not empty, not a step to the same or the upper directory, no path. */
    static boolean isName(String name) {
        return !name.isEmpty() && !name.equals(".") && !name.equals("..") && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
    }

    /**
     * The names of a path. Slashes at the start and the end, and double ones, count for nothing.
     *
     * @throws IllegalArgumentException if a part of it is no name
     */
    static List<String> of(String path) {
        List<String> names = new ArrayList<>();
        for (String name : path.split("/")) {
            if (!name.isEmpty()) {
                names.add(check(name));
            }
        }
        return names;
    }

    static String check(String name) {
        if (!isName(name) || name.getBytes(StandardCharsets.UTF_8).length > Nfs4.NAME_LIMIT) {
            throw new IllegalArgumentException("\"" + name + "\" is not the name of a file at a server: a name is not empty, not . or .., "
                    + "has no / and at most " + Nfs4.NAME_LIMIT + " bytes");
        }
        return name;
    }
}
