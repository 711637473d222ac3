package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Device;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;

/**
 * Makes connections: over all devices of a session, of which the address selects one, or over one device alone.
 */
public interface ConnectionManager {
    /**
     * The connection manager of all devices of a session. The address that a program connects to, or that a peer connects to, selects the
     * device: {@link Connector#device()} and {@link ConnectionRequest#device()} name it.
     *
     * @param verbs open verbs
     * @return always the same for the same verbs
     * @throws UnsupportedVerbException if the provider has no connection manager
     */
    static ConnectionManager of(Verbs verbs) {
        return verbs.extension(ConnectionManager.class)
                .orElseThrow(() -> new UnsupportedVerbException("provider " + verbs.provider() + " has no connection manager"));
    }

    /**
     * The connection manager of one device: it refuses addresses that lead over other devices.
     *
     * @param device an open device
     * @return always the same for the same device; it throws an {@link UnsupportedVerbException} when it is asked to connect or to listen, if
     *         the device lacks {@link org.panamaverbs.Capability#RELIABLE_CONNECTION}
     * @throws UnsupportedVerbException if the device has no connection manager
     */
    static ConnectionManager of(Device device) {
        return device.extension(ConnectionManager.class)
                .orElseThrow(() -> new UnsupportedVerbException("device " + device.name() + " has no connection manager"));
    }

    /**
     * Listens for connection requests. A listener on all addresses, {@code 0.0.0.0} or {@code ::}, has those of IPv4 and of IPv6 if the
     * machine has both (not with {@code -Djava.net.preferIPv4Stack=true}), as a listener of the JDK has.
     *
     * @param local   the address to listen on; port 0 picks a free one, which {@link Listener#address()} tells
     * @param backlog how many requests may wait to be taken, 1 or more; further peers wait in the system's queue, or at their own side
     * @return closed by the caller, or with the device or session
     * @throws org.panamaverbs.SystemException if the address is in use, or is not one of this machine's or device's
     * @throws IllegalArgumentException        if the host of the address is not resolved, or for a backlog below 1
     */
    default Listener listen(InetSocketAddress local, int backlog) {
        return listen(local, backlog, Route.USUAL_SERVICE);
    }

    /**
     * Listens for connection requests, with a type of service for the packets of this end of the connections. It is a wish: see
     * {@link Route#withTypeOfService}. On InfiniBand and RoCE the end that connects decides for both.
     *
     * @param local         the address to listen on; port 0 picks a free one, which {@link Listener#address()} tells
     * @param backlog       as above
     * @param typeOfService 0 to 255, or {@link Route#USUAL_SERVICE}
     * @return closed by the caller, or with the device or session
     * @throws org.panamaverbs.SystemException if the address is in use, or is not one of this machine's or device's
     * @throws IllegalArgumentException        if the host of the address is not resolved, for a backlog below 1, or for any other type of
     *                                         service
     */
    Listener listen(InetSocketAddress local, int backlog, int typeOfService);

    /**
     * Prepares to connect: finds the route to the peer, and with it the device.
     *
     * @param remote  the peer's address
     * @param timeout how long at most
     * @return closed by the caller, or with its device
     * @throws org.panamaverbs.SystemException if no device has a route to the peer
     * @throws IllegalArgumentException        if the host of the address is not resolved
     */
    default Connector connector(InetSocketAddress remote, Duration timeout) {
        return connector(Route.to(remote), timeout);
    }

    /**
     * Prepares to connect, perhaps from an address of the program's choice: finds the route to the peer, and with it the device.
     *
     * @param route   the peer's address, and how to get there
     * @param timeout how long at most
     * @return closed by the caller, or with its device
     * @throws org.panamaverbs.SystemException if no device has that route; here or at {@link Connector#connect}, if the local address is in
     *                                         use, or is not one of this machine's or device's
     */
    Connector connector(Route route, Duration timeout);
}
