package org.panamaverbs.cm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What counts as one peer where a limit is for each peer: an IPv4 address, or an IPv6 network of 64 bits, because a host has all addresses of
 * its network. A link-local IPv6 address counts whole, with its link, because all hosts of a link share the first 64 bits. Two objects are
 * equal if their peers are.
 */
public final class PeerNetwork {
    /** The peer whose address is not known any more, because its connection has ended. */
    public static final PeerNetwork UNKNOWN = new PeerNetwork(new byte[0], 0);

    private static final int PREFIX = 8;

    private final ByteBuffer bytes;
    private final int scope;

    private PeerNetwork(byte[] bytes, int scope) {
        this.bytes = ByteBuffer.wrap(bytes);
        this.scope = scope;
    }

    /**
     * The peer at an address.
     *
     * @param address may be {@code null}, or not resolved: then the peer is {@link #UNKNOWN}
     * @return the peer
     */
    public static PeerNetwork of(@Nullable InetSocketAddress address) {
        InetAddress host = address == null ? null : address.getAddress();
        if (host == null) {
            return UNKNOWN;
        }
        byte[] bytes = host.getAddress();
        if (!(host instanceof Inet6Address six)) {
            return new PeerNetwork(bytes, 0);
        }
        return six.isLinkLocalAddress() ? new PeerNetwork(bytes, six.getScopeId()) : new PeerNetwork(Arrays.copyOf(bytes, PREFIX), 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PeerNetwork peer && scope == peer.scope && bytes.equals(peer.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * bytes.hashCode() + scope;
    }

    @Override
    public String toString() {
        if (bytes.capacity() == 0) {
            return "an unknown address";
        }
        try {
            byte[] whole = Arrays.copyOf(bytes.array(), bytes.capacity() == PREFIX ? 2 * PREFIX : bytes.capacity());
            String text = InetAddress.getByAddress(whole).getHostAddress();
            return bytes.capacity() == PREFIX ? text + "/64" : text;
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
