package org.panamaverbs.nfs.server.state;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.panamaverbs.cm.PeerNetwork;

/** Senders of calls. */
final class Callers {
    private Callers() {
    }

    /** User 0 at an address. */
    static Caller at(String address) {
        return new Caller(PeerNetwork.of(new InetSocketAddress(InetAddress.ofLiteral(address), 0)), 1, 0);
    }
}
