package org.panamaverbs.tools.cast;

import java.net.InetSocketAddress;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.tools.shared.HostPort;

/**
 * The place where a file is caught: {@code udp://ADDRESS:PORT} or {@code tcp://ADDRESS:PORT}, an IPv6 address in brackets.
 *
 * @param transport UDP or TCP
 * @param address   resolved; of a multicast group only over UDP
 */
record CastUrl(DdpTransport transport, InetSocketAddress address) {
    private static final String FORM = " is not a place such as udp://239.1.2.3:7176, tcp://127.0.0.1:7176 or udp://[ff02::7176]:7176";
    private static final String SCHEME_END = "://";
    private static final int NO_PORT = -1;

    /** @throws IllegalArgumentException if it is no such place */
    static CastUrl parse(String text) {
        int end = text.indexOf(SCHEME_END);
        String scheme = end < 0 ? "" : text.substring(0, end);
        DdpTransport transport = switch (scheme) {
            case "udp" -> DdpTransport.UDP;
            case "tcp" -> DdpTransport.TCP;
            default -> throw new IllegalArgumentException("\"" + text + "\"" + FORM);
        };
        HostPort place = HostPort.parse(text.substring(end + SCHEME_END.length()), NO_PORT);
        if (place.host().isEmpty() || place.port() == NO_PORT) {
            throw new IllegalArgumentException("\"" + text + "\"" + FORM);
        }
        InetSocketAddress address = place.resolve();
        if (transport == DdpTransport.TCP && address.getAddress().isMulticastAddress()) {
            throw new IllegalArgumentException("\"" + text + "\" names a multicast group, which TCP cannot reach: take udp://");
        }
        return new CastUrl(transport, address);
    }

    boolean isDatagrams() {
        return transport == DdpTransport.UDP;
    }

    boolean isGroup() {
        return address.getAddress().isMulticastAddress();
    }

    /** The same at the address that a socket has. */
    CastUrl at(InetSocketAddress actual) {
        return new CastUrl(transport, new InetSocketAddress(address.getAddress(), actual.getPort()));
    }

    @Override
    public String toString() {
        return (isDatagrams() ? "udp" : "tcp") + SCHEME_END + HostPort.text(address);
    }
}
