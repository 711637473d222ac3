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

    /** @throws Failure where it is no such name */
    static Path within(Path folder, String name) {
        boolean odd = name.isEmpty() || name.equals(".") || name.equals("..")
                || name.indexOf('/') >= 0 || name.indexOf('\\') >= 0 || !Printable.is(name)
                || name.getBytes(StandardCharsets.UTF_8).length > LONGEST;
        if (odd || name.startsWith(MappedFile.PART_PREFIX) && name.endsWith(MappedFile.PART_SUFFIX)) {
            throw new Failure("\"" + Printable.of(name) + "\" is not the name of a file here: one name of at most " + LONGEST
                    + " bytes, without a path or characters that are not shown");
        }
        Path path = folder.resolve(name);
        if (!folder.equals(path.getParent())) {
            throw new Failure("\"" + Printable.of(name) + "\" leads out of the folder");
        }
        return path;
    }
}
