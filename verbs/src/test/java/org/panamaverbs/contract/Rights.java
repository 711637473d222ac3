package org.panamaverbs.contract;

import java.util.EnumSet;
import java.util.Set;
import org.panamaverbs.Access;

/** Rights that every device has. */
final class Rights {
    private Rights() {
    }

    /** All of them: the peer may read and write, and so may the device. */
    static Set<Access> usual() {
        return EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }
}
