package org.panamaverbs.softiwarp;

import org.panamaverbs.testing.NativeAccessCase;

class NativeAccessTest extends NativeAccessCase {
    NativeAccessTest() {
        super("soft-iwarp", "org.panamaverbs.softiwarp");
    }
}
