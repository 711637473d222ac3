package org.panamaverbs.spi;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;

/**
 * The rule of listeners on all addresses, which is that of the JDK: {@code 0.0.0.0} and {@code ::} both stand for the addresses of IPv4 and
 * of IPv6, and the listener's own address is then {@code ::}. If the program has turned IPv6 off ({@code java.net.preferIPv4Stack}), or the
 * machine has none, {@code 0.0.0.0} stands for those of IPv4.
 */
public final class AllAddresses {
    private static final boolean HAS_IPV6 = hasIpv6();

    private AllAddresses() {
    }

    /** The JDK decides it once, too. */
    private static boolean hasIpv6() {
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET6)) {
            return channel.isOpen();
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Finds the address to bind.
     *
     * @param local the address that the program asked for
     * @return {@code ::} if the listener is to have all addresses of both families, else {@code local}
     */
    public static InetSocketAddress covering(InetSocketAddress local) {
        return HAS_IPV6 && local.getAddress().isAnyLocalAddress() ? new InetSocketAddress(any(16), local.getPort()) : local;
    }

    /**
     * Whether a listener has all addresses of both families.
     *
     * @param bound its address
     * @return {@code true} for {@code ::}
     */
    public static boolean hasBothFamilies(InetSocketAddress bound) {
        return bound.getAddress() instanceof Inet6Address && bound.getAddress().isAnyLocalAddress();
    }

    /**
     * The address that stands for all of its family.
     *
     * @param bytes the length of an address, 4 or 16
     * @return {@code 0.0.0.0} or {@code ::}
     */
    public static InetAddress any(int bytes) {
        try {
            return InetAddress.getByAddress(new byte[bytes]);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes, e);
        }
    }
}
