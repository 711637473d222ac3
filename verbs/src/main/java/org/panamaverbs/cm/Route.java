package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The two ends of a connection, and how the network treats its packets; made by {@link #to}, {@link #from} and {@link #withTypeOfService}. */
public final class Route {
    /** For the type of service: the default of the system and the device. */
    public static final int USUAL_SERVICE = -1;

    private static final int MOST = 0xFF;

    private final Values values;

    private record Values(InetSocketAddress remote, Optional<InetSocketAddress> local, int typeOfService) {
        Values {
            checkResolved(remote);
            local.ifPresent(Route::checkResolved);
            if (local.isPresent() && local.get().getAddress().getClass() != remote.getAddress().getClass()) {
                throw new IllegalArgumentException("local address " + text(local.get()) + " and remote address " + text(remote)
                        + " are of different families: choose both of IPv4, or both of IPv6");
            }
            checkTypeOfService(typeOfService);
        }
    }

    private Route(Values values) {
        this.values = values;
    }

    /**
     * To a peer, from the address that the system chooses, with the usual type of service.
     *
     * @param remote the peer's address
     * @return the route
     * @throws IllegalArgumentException if the host of the address is not resolved
     */
    public static Route to(InetSocketAddress remote) {
        return new Route(new Values(remote, Optional.empty(), USUAL_SERVICE));
    }

    /**
     * The same from an address of this machine. It selects the device, and at the peer it is {@link Connection#remoteAddress()}.
     *
     * @param address the address to connect from; port 0 picks a free one
     * @return the route
     * @throws IllegalArgumentException if the host of the address is not resolved, or the address is of another family than the peer's
     */
    public Route from(InetSocketAddress address) {
        return new Route(new Values(values.remote, Optional.of(address), values.typeOfService));
    }

    /**
     * The same with a type of service: IPv4's byte of that name, IPv6's traffic class (RFC 2474). It is a wish, which networks and some
     * drivers ignore (siw does):
     * <ul>
     * <li>TCP: the packets of this end carry its upper six bits. The other two are the system's, for congestion (RFC 3168).
     * <li>RoCE: the packets of both ends carry it.
     * <li>InfiniBand: the subnet manager chooses the path by it.
     * </ul>
     *
     * @param service 0 to 255, or {@link #USUAL_SERVICE}
     * @return the route
     * @throws IllegalArgumentException for any other number
     */
    public Route withTypeOfService(int service) {
        return new Route(new Values(values.remote, values.local, service));
    }

    /**
     * Checks a type of service.
     *
     * @param service 0 to 255, or {@link #USUAL_SERVICE}
     * @throws IllegalArgumentException for any other number
     */
    public static void checkTypeOfService(int service) {
        if (service < USUAL_SERVICE || service > MOST) {
            throw new IllegalArgumentException("a type of service is 0 to " + MOST + ", or USUAL_SERVICE, not " + service);
        }
    }

    /**
     * Checks that the host of an address is resolved.
     *
     * @param address the address
     * @throws IllegalArgumentException if the host is not resolved
     */
    public static void checkResolved(InetSocketAddress address) {
        if (Objects.requireNonNull(address).isUnresolved()) {
            throw new IllegalArgumentException("unknown host \"" + address.getHostString() + "\": check its name, or use its address");
        }
    }

    /**
     * Names an address, for messages: without the host name and the slash that the JDK puts in front, and no name service is asked. Never
     * throws, since messages of failures need it.
     *
     * @param address resolved or not; {@code null} if it is not known, for instance before a connection is established
     * @return as "10.0.0.1:4791", "[fe80:0:0:0:0:0:0:1%eth0]:4791" or "an unknown address"
     */
    public static String text(@Nullable InetSocketAddress address) {
        if (address == null) {
            return "an unknown address";
        }
        String host = address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /**
     * Names the ends, for messages.
     *
     * @return as "10.0.0.1:4791", or "10.0.0.1:4791 from 10.0.0.2:0"
     */
    public String describe() {
        return text(values.remote) + values.local.map(address -> " from " + text(address)).orElse("");
    }

    /** {@return the peer's address} */
    public InetSocketAddress remote() {
        return values.remote;
    }

    /** {@return the address of this machine to connect from, of the family of {@code remote}; port 0 picks a free one. Empty: the system chooses one by its routes} */
    public Optional<InetSocketAddress> local() {
        return values.local;
    }

    /** {@return the byte of the IP header, 0 to 255, or {@link #USUAL_SERVICE}} */
    public int typeOfService() {
        return values.typeOfService;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Route that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "Route." + values;
    }
}
