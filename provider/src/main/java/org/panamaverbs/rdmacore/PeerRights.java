package org.panamaverbs.rdmacore;

import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.Device;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Registrable;

/** The rights of a queue pair, which are those of its peer. */
final class PeerRights {
    private static final int ALL = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

    private PeerRights() {
    }

    /** Their bits, as {@code qp_access_flags}; throws for other rights, and for those that the device does not have. */
    static int of(Device device, Set<Access> rights) {
        Registrable.checkRights(device, rights);
        int bits = AccessFlags.of(rights);
        if ((bits & ~ALL) != 0) {
            throw new IllegalArgumentException("the rights of a queue pair are those of its peer: REMOTE_WRITE, REMOTE_READ and "
                    + "REMOTE_ATOMIC, without any other");
        }
        return bits;
    }
}
