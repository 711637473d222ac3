package org.panamaverbs.softiwarp;

import org.panamaverbs.testing.fuzz.FuzzRunCase;

/** Profile {@code fuzz}. */
class FuzzRun extends FuzzRunCase {
}
