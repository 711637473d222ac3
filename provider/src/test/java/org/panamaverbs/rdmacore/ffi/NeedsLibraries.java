package org.panamaverbs.rdmacore.ffi;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** Skips the tests of a class where libibverbs or librdmacm is missing: the bindings' layouts load them. */
public interface NeedsLibraries {
    @BeforeAll
    static void needsLibraries() {
        String missing = Libraries.missing();
        Assumptions.assumeTrue(missing == null, missing);
    }
}
