package org.panamaverbs.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;

/**
 * The environment in which the comparison runs.
 *
 * @param root      of the clone
 * @param pverbs    the command that starts pverbs
 * @param java      the command that starts a JVM with our class path
 * @param temporary a folder that is removed at the end
 * @param network   that everything runs over
 */
record Site(Path root, List<String> pverbs, List<String> java, Path temporary, Network network) {
}
