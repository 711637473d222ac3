package org.panamaverbs.rpcrdma.wire;

import java.util.List;

/** ERROR of version 2 (draft, 7.2.4): vectors of {@code version-2-errors.txt}. */
class Version2ErrorTest extends BaseHeaderTestCase {
    static List<Vector> vectors() {
        return Vector.of("version-2-errors.txt");
    }
}
