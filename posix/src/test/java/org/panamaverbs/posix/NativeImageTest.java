package org.panamaverbs.posix;

import org.panamaverbs.testing.nativeimage.NativeImageTestCase;

class NativeImageTest extends NativeImageTestCase {
    NativeImageTest() {
        super("panama-verbs-posix");
    }
}
