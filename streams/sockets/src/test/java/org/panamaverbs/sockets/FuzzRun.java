package org.panamaverbs.sockets;

import org.panamaverbs.testing.fuzz.FuzzRunCase;

/** Profile {@code fuzz}. */
class FuzzRun extends FuzzRunCase {
}
