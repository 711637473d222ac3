package org.panamaverbs.contract;

import org.panamaverbs.Access;

/** Rights that every device has. */
final class Rights {
    private Rights() {
    }

    /** All of them: the peer may read and write, and so may the device. */
    static Access[] usual() {
        return new Access[] { Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ };
    }
}
