package org.panamaverbs.nfs.server.state;

import org.panamaverbs.cm.PeerNetwork;

/**
 * The sender of a call.
 *
 * @param peer   its machine
 * @param flavor of its credential (RFC 5531, 8.2)
 * @param user   of AUTH_SYS; 0 for other flavors
 */
public record Caller(PeerNetwork peer, int flavor, int user) {
    boolean isSameUserAs(Caller other) {
        return flavor == other.flavor && user == other.user;
    }

    boolean isSamePeerAs(Caller other) {
        return peer.equals(other.peer);
    }
}
