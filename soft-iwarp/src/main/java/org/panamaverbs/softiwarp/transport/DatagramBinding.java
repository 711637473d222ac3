package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;
import java.util.Objects;
import org.panamaverbs.cm.Route;

/**
 * The local end of a {@link DatagramPort}. Immutable; the methods {@code with…} and {@code on} return changed copies.
 *
 * <p>A port that is bound to a group joins it. It receives the datagrams to that group and port alone, and none of other groups. Several
 * ports, also of several programs, can be bound to the same group and port: each receives every datagram. A unicast address and port belong
 * to one port.
 *
 * @param local         a resolved address; port 0 picks a free one
 * @param receiveBuffer bytes that the system shall keep for datagrams not received yet; 0 leaves it to the system, which also may limit it
 * @param interfaceName the network interface for groups: the port joins there, and sends to groups from there; an empty name leaves it to
 *                      the system's routes
 * @param timeToLive    of datagrams to groups, 0 to 255: 0 keeps them on this machine, 1 on the local network
 */
public record DatagramBinding(InetSocketAddress local, int receiveBuffer, String interfaceName, int timeToLive) {
    /** Checks the values. */
    public DatagramBinding {
        Failures.requireResolved(local);
        Objects.requireNonNull(interfaceName, "interfaceName");
        if (receiveBuffer < 0) {
            throw new IllegalArgumentException("the receive buffer cannot have " + receiveBuffer + " bytes");
        }
        if (timeToLive < 0 || timeToLive > 255) {
            throw new IllegalArgumentException("the time to live is 0 to 255, not " + timeToLive);
        }
    }

    /** Binds to an address, with the system's receive buffer and interface, and a time to live of 1. */
    public static DatagramBinding to(InetSocketAddress local) {
        return new DatagramBinding(local, 0, "", 1);
    }

    /** A copy with another receive buffer. */
    public DatagramBinding withReceiveBuffer(int bytes) {
        return new DatagramBinding(local, bytes, interfaceName, timeToLive);
    }

    /** A copy with another network interface. */
    public DatagramBinding on(String name) {
        return new DatagramBinding(local, receiveBuffer, name, timeToLive);
    }

    /** A copy with another time to live. */
    public DatagramBinding withTimeToLive(int hops) {
        return new DatagramBinding(local, receiveBuffer, interfaceName, hops);
    }

    /** Whether the address is a multicast group. */
    public boolean isGroup() {
        return local.getAddress().isMulticastAddress();
    }

    /** The attempt to bind, for messages. */
    public String describe() {
        return "bind to " + Route.text(local) + (interfaceName.isEmpty() ? "" : " on " + interfaceName);
    }
}
