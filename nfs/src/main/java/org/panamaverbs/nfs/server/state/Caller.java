package org.panamaverbs.nfs.server.state;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The sender of a call.
 *
 * @param peer   its machine, or {@code null} if that is not known any more
 * @param flavor of its credential (RFC 5531, 8.2)
 * @param user   of AUTH_SYS; 0 for other flavors
 */
public record Caller(Object peer, int flavor, int user) {
    private static final int NETWORK = 8;

    /** Makes one: machines are told apart by an IPv4 address, or an IPv6 network of 64 bits, since a machine has all addresses of that. */
    public static Caller of(InetAddress address, int flavor, int user) {
        boolean network = address instanceof Inet6Address && !address.isLinkLocalAddress();
        return new Caller(network ? ByteBuffer.wrap(address.getAddress(), 0, NETWORK) : address, flavor, user);
    }

    boolean isSameUserAs(Caller other) {
        return flavor == other.flavor && user == other.user;
    }

    boolean isSamePeerAs(Caller other) {
        return Objects.equals(peer, other.peer);
    }
}
