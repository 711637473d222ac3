package org.panamaverbs.rdmacore;

import org.panamaverbs.testing.nativeimage.NativeImageTestCase;

class NativeImageTest extends NativeImageTestCase {
    NativeImageTest() {
        super("panama-verbs-rdma-core");
    }
}
