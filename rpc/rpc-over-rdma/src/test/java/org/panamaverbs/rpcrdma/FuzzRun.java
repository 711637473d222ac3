package org.panamaverbs.rpcrdma;

import org.panamaverbs.testing.fuzz.FuzzRunCase;

/** Profile {@code fuzz}. */
class FuzzRun extends FuzzRunCase {
}
