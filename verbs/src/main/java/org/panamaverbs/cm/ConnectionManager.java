package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Device;
import org.panamaverbs.UnsupportedVerbException;

/** Makes the connections of one device. */
public interface ConnectionManager {
    /**
     * The connection manager of a device.
     *
     * @param device an open device
     * @return always the same for the same device
     */
    static ConnectionManager of(Device device) {
        return device.extension(ConnectionManager.class)
                .orElseThrow(() -> new UnsupportedVerbException("device " + device.name() + " has no connection manager"));
    }

    /**
     * Listens for connection requests.
     *
     * @param local   the address to listen on; port 0 picks a free one, which {@link Listener#address()} tells
     * @param backlog how many requests may wait to be taken, 1 or more
     * @return closed by the caller, or with the device
     * @throws org.panamaverbs.SystemException where the address is in use, or not one of this machine's or device's
     * @throws IllegalArgumentException        where the host of the address is not resolved
     */
    Listener listen(InetSocketAddress local, int backlog);

    /**
     * Prepares to connect: finds the way to the peer.
     *
     * @param remote  the peer's address
     * @param timeout how long at most
     * @return closed by the caller, or with the device
     * @throws org.panamaverbs.SystemException where there is no way to the peer from this device
     * @throws IllegalArgumentException        where the host of the address is not resolved
     */
    Connector connector(InetSocketAddress remote, Duration timeout);
}
