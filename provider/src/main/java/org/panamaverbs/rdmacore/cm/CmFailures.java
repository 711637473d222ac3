package org.panamaverbs.rdmacore.cm;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.spi.support.Waits;

/** The meanings of events that end the establishment of a connection. */
final class CmFailures {
    /** CM's reasons of rejection: no program listens at that port; the program refused. */
    private static final int INVALID_SERVICE = 8;
    private static final int CONSUMER = 28;

    private CmFailures() {
    }

    /** @param what completes "cannot ...", with the address */
    static VerbsException of(CmEvent event, InetSocketAddress remote, String what) {
        String prefix = "cannot " + what;
        if (event.isRejected()) {
            return rejected(event, remote, prefix);
        }
        // Statuses of events are negative error numbers, if they are not reasons of CM.
        int error = Math.max(0, -event.status());
        String text = error == 0 ? "status " + event.status() : Errno.describe(error);
        if (event.isRemoval()) {
            return new SystemException(prefix + ": " + explain(event), Libc.ENODEV());
        }
        if (event.isEnd() || error == Libc.ECONNRESET() || error == Libc.EPROTO()) {
            return new PeerException(prefix + ": the peer ended the connection, or does not speak the protocol: " + text);
        }
        if (event.type() == Rdma.RDMA_CM_EVENT_CONNECT_ERROR()) {
            return new PeerException(prefix + ": connecting failed: " + text);
        }
        return new SystemException(prefix + ": " + explain(event) + ": " + text, error);
    }

    /** The local address has moved. */
    static VerbsException moved(CmEvent event, InetSocketAddress local) {
        return new SystemException("the address " + Route.text(local) + " has moved to another port or card (" + event.name() + "), as "
                + "when " + networkInterface(local) + " fails over: a connection cannot follow, so connect again", Libc.ENETDOWN());
    }

    private static String networkInterface(InetSocketAddress local) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(local.getAddress());
            return found == null ? "a bond" : "the bond " + found.getName();
        } catch (SocketException e) {
            return "a bond";
        }
    }

    private static VerbsException rejected(CmEvent event, InetSocketAddress remote, String prefix) {
        if (event.status() == INVALID_SERVICE) {
            return Waits.refused(remote, null);
        }
        if (event.status() > 0 && event.status() != CONSUMER) {
            return new PeerException(prefix + ": the peer's connection manager refused, reason " + event.status());
        }
        return new RejectedException(Route.text(remote) + " rejected the connection", event.privateData());
    }

    /** The meaning of the event, or else that it was not expected. */
    private static String explain(CmEvent event) {
        if (event.type() == Rdma.RDMA_CM_EVENT_ADDR_ERROR()) {
            return "its address could not be resolved (" + event.name() + "); is a device on the route to it?";
        } else if (event.type() == Rdma.RDMA_CM_EVENT_ROUTE_ERROR()) {
            return "no route was found (" + event.name() + ")";
        } else if (event.type() == Rdma.RDMA_CM_EVENT_UNREACHABLE()) {
            return "the peer does not answer (" + event.name() + ")";
        } else if (event.isRemoval()) {
            return "the device was removed (" + event.name() + "): close everything on it";
        }
        return "an event came that does not belong there, " + event.name() + ": this is a defect of the driver or of this library";
    }
}
