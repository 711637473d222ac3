package org.panamaverbs.ddp;

import org.panamaverbs.testing.fuzz.FuzzRunCase;

/** Profile {@code fuzz}. */
class FuzzRun extends FuzzRunCase {
}
