package org.panamaverbs.tools;

import org.panamaverbs.testing.fuzz.FuzzRunCase;

/** Profile {@code fuzz}. */
class FuzzRun extends FuzzRunCase {
}
