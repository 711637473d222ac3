package org.panamaverbs.bindings;

import org.panamaverbs.testing.nativeimage.NativeImageTestCase;

class NativeImageTest extends NativeImageTestCase {
    NativeImageTest() {
        super("panama-verbs-bindings");
    }
}
