package org.panamaverbs.rpcrdma.wire;

import java.util.List;

/** MSG, NOMSG, OPTIONAL and unknown procedures of version 2 (draft, 7.2): vectors of {@code version-2-messages.txt}. */
class Version2MessageTest extends BaseHeaderTestCase {
    static List<Vector> vectors() {
        return Vector.of("version-2-messages.txt");
    }
}
