package org.panamaverbs.rpcrdma.wire;

import java.util.List;

/** CONNPROP, REQPROP, RESPROP and UPDPROP of version 2 (draft, 6.1.1 and 6.3): vectors of {@code version-2-properties.txt}. */
class Version2PropertyTest extends BaseHeaderTestCase {
    static List<Vector> vectors() {
        return Vector.of("version-2-properties.txt");
    }
}
