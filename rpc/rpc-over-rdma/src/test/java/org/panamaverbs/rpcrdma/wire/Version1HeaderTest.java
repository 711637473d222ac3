package org.panamaverbs.rpcrdma.wire;

import java.util.List;

/** Version 1 (RFC 8166, 4.2 to 4.7): vectors of {@code version-1.txt}. */
class Version1HeaderTest extends BaseHeaderTestCase {
    static List<Vector> vectors() {
        return Vector.of("version-1.txt");
    }
}
