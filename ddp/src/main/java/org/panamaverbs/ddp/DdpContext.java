package org.panamaverbs.ddp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ServiceLoader;
import org.panamaverbs.Configuration;
import org.panamaverbs.PeerException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.RejectedException;

/**
 * Opens DDP sockets, and owns the threads that receive and place. A program opens one and keeps it.
 *
 * <p>Event loops and TCP sockets have the settings of soft-iwarp ({@link Configuration}): {@code panamaverbs.softiwarp.transport},
 * {@code progress-threads}, {@code busy-poll}, {@code congestion-control}, {@code keepalive} and {@code user-timeout}. Over the transport
 * {@code memory} streams stay in the process, and there is no UDP. {@code panamaverbs.softiwarp.ddp.stag-quarantine} is the context's own.
 */
public interface DdpContext extends AutoCloseable {
    /**
     * Opens a context with the configuration of the system properties, the environment and the configuration file.
     *
     * @return to be closed
     * @throws UnsupportedVerbException if the transport that the configuration names does not work here
     */
    static DdpContext open() {
        return open(Configuration.load());
    }

    /**
     * Opens a context.
     *
     * @param configuration its settings
     * @return to be closed
     * @throws UnsupportedVerbException if the transport that the configuration names does not work here
     */
    static DdpContext open(Configuration configuration) {
        return provider().open(configuration);
    }

    private static Provider provider() {
        return ServiceLoader.load(Provider.class, DdpContext.class.getClassLoader()).findFirst()
                .orElseThrow(() -> new IllegalStateException("the jar of org.panamaverbs.ddp lacks META-INF/services"));
    }

    /** Opens contexts. {@link ServiceLoader} finds it, so the interface need not know what is behind it; programs use {@link #open()}. */
    interface Provider {
        /**
         * Opens a context.
         *
         * @param configuration its settings
         * @return to be closed
         */
        DdpContext open(Configuration configuration);
    }

    /**
     * Makes a group of sockets.
     *
     * @return to be closed
     */
    DdpGroup newGroup();

    /**
     * Connects a socket of a group of its own, which ends with the socket.
     *
     * @param transport any
     * @param remote    a resolved address; for {@link DdpTransport#UDP} the destination, which need not exist
     * @param options   of the socket
     * @param timeout   how long to wait at most
     * @return a {@link DdpStreamSocket} for MPA and SCTP, a {@link DdpDatagramSocket} for UDP. Nothing is received on it before its first
     *         registration, post or receive
     * @throws SystemException          if the system or the network refuses; the message says what to do
     * @throws ResourceException        if the process has no file descriptor left
     * @throws RejectedException        if the peer rejects the stream
     * @throws PeerException            if the peer does not speak the protocol
     * @throws VerbsTimeoutException    if the stream is not established in time
     * @throws UnsupportedVerbException if the transport does not work here
     */
    DdpSocket connect(DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout);

    /**
     * Connects a socket of a group.
     *
     * @param group     of this context
     * @param transport any
     * @param remote    as above
     * @param options   of the socket
     * @param timeout   how long to wait at most
     * @return as above
     */
    DdpSocket connect(DdpGroup group, DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout);

    /**
     * Listens for streams, with a group for all of them.
     *
     * @param group     of this context; the sockets of all peers belong to it
     * @param transport MPA, SCTP, TCP or MEMORY
     * @param local     a resolved address; port 0 picks a free one
     * @param options   of the listener and of the accepted sockets
     * @return to be closed
     * @throws SystemException          if the address is in use or does not belong to this machine
     * @throws UnsupportedVerbException if the transport does not work here
     * @throws IllegalArgumentException for UDP: {@link #bind} receives datagrams
     */
    DdpListener listen(DdpGroup group, DdpTransport transport, InetSocketAddress local, DdpOptions options);

    /**
     * Opens a datagram socket at a local address. If the address is a multicast group's, the socket joins it, and other sockets of this
     * machine may do the same; any other address must be free.
     *
     * @param group   of this context
     * @param local   a resolved address; port 0 picks a free one
     * @param options of the socket
     * @return a socket without a destination of its own
     * @throws SystemException if the address is in use or does not belong to this machine, or if the interface does not exist
     */
    DdpDatagramSocket bind(DdpGroup group, InetSocketAddress local, DdpOptions options);

    /** Closes everything that was opened with this context, and ends its threads. */
    @Override
    void close();
}
