package org.panamaverbs.tools.copy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Printable;

/** The name of a file at the server: one step below its folder, never out of it. */
final class Name {
    private static final int LONGEST = 255;

    private Name() {
    }

    /** @throws Failure if it is no such name; hidden files, too, are nobody else's business */
    static Path within(Path folder, String name) {
        boolean odd = name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0 || name.indexOf('\\') >= 0 || !Printable.is(name)
                || name.getBytes(StandardCharsets.UTF_8).length > LONGEST;
        if (odd) {
            throw new Failure(Failure.Kind.REFUSED,
                    "\"" + Printable.of(name) + "\" is not the name of a file here: take one name of at most " + LONGEST
                            + " bytes, without a path, a dot at its start or characters that are not shown");
        }
        Path path = folder.resolve(name);
        if (!folder.equals(path.getParent())) {
            throw new Failure(Failure.Kind.REFUSED, "\"" + Printable.of(name) + "\" leads out of the folder");
        }
        return path;
    }
}
