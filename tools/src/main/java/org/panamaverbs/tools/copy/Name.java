package org.panamaverbs.tools.copy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.panamaverbs.tools.shared.Failure;

/** The name of a file at the server: one step below its folder, never out of it. */
final class Name {
    private static final int LONGEST = 255;

    private Name() {
    }

    /** @throws Failure where it is no such name */
    static Path within(Path folder, String name) {
        boolean odd = name.isEmpty() || name.equals(".") || name.equals("..")
                || name.chars().anyMatch(each -> each == '/' || each == '\\' || each < ' ' || each == 0x7f)
                || name.getBytes(StandardCharsets.UTF_8).length > LONGEST;
        if (odd || name.startsWith(MappedFile.PART_PREFIX) && name.endsWith(MappedFile.PART_SUFFIX)) {
            throw new Failure("\"" + printable(name) + "\" is not the name of a file here: one name of at most " + LONGEST
                    + " bytes, without a path");
        }
        Path path = folder.resolve(name);
        if (!folder.equals(path.getParent())) {
            throw new Failure("\"" + printable(name) + "\" leads out of the folder");
        }
        return path;
    }

    /** A peer's text without what would steer a terminal. */
    static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
