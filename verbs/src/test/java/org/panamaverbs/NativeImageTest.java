package org.panamaverbs;

import org.panamaverbs.testing.nativeimage.NativeImageTestCase;

class NativeImageTest extends NativeImageTestCase {
    NativeImageTest() {
        super("panama-verbs");
    }
}
