package org.panamaverbs.compare;

import java.nio.file.Path;
import java.util.List;

/**
 * The environment in which the comparison runs.
 *
 * @param root      of the clone
 * @param pverbs    the command that starts pverbs
 * @param instead   the revision that pverbs is of; {@code null} if it is this tree's
 * @param java      the command that starts a JVM with the class path of this tree
 * @param temporary a folder that is removed at the end
 * @param network   that everything runs over
 */
record Site(Path root, List<String> pverbs, Revision instead, List<String> java, Path temporary, Network network) {
    /** Runs this tree's pverbs. */
    static Site ofThisTree(Path root, List<String> pverbs, List<String> java, Path temporary, Network network) {
        return new Site(root, pverbs, null, java, temporary, network);
    }

    /** The same with the pverbs of another revision. */
    Site with(Revision revision) {
        return new Site(root, revision.pverbs(), revision, java, temporary, network);
    }
}
