package org.panamaverbs.rpcrdma.link;

import org.panamaverbs.MemoryRegion;
import org.panamaverbs.rpcrdma.endpoint.Link;

/** Memory of a link: a part of a region. */
interface RegisteredMemory extends Link.Memory {
    MemoryRegion region();

    /** Where it begins in its region. */
    long offset();
}
