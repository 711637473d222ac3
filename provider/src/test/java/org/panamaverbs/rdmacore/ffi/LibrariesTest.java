package org.panamaverbs.rdmacore.ffi;

import org.panamaverbs.testing.NativeAccessCase;

class LibrariesTest extends NativeAccessCase {
    LibrariesTest() {
        super("rdma-core", "org.panamaverbs.rdmacore");
    }
}
