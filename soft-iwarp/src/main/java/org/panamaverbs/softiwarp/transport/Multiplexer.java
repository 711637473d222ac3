package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;
import org.panamaverbs.cm.Route;

/**
 * Makes channels, acceptors and datagram ports of one kind, and reports when they are ready. Only the leader of the event loop calls {@link #select},
 * {@link #remove}, {@link #watch} and {@link #unwatch}; any thread may call the other methods.
 *
 * <p>Events are edge-triggered, as with {@code EPOLLET}: a handler is notified once that a channel is readable, and again only after
 * {@link Channel#read} has returned fewer bytes than the vector had room for and more bytes have come. The same holds for writing. A
 * multiplexer over a level-triggered interface must behave in the same way. Events from before {@code add} are reported after it: no edge
 * is lost. Superfluous edges do no harm.
 */
// Tested by EpollMultiplexerTest, NioMultiplexerTest.
public interface Multiplexer extends AutoCloseable {
    /** Event: bytes, a new peer, the end of the stream or an error can be read. */
    int READABLE = 1;
    /** Event: the channel takes bytes, has connected, or is broken. */
    int WRITABLE = 1 << 1;

    /** Handles the events of a channel, acceptor or datagram port. */
    interface Handler {
        /**
         * Handles events; {@link #select} calls it on its own thread.
         *
         * @param events {@link #READABLE}, {@link #WRITABLE}, or both
         */
        void onReady(int events);
    }

    /**
     * Starts to connect. After an event, {@link Channel#finishConnect()} returns the result.
     *
     * @param route the addresses, and the type of service of the packets of this side
     * @return a channel that need not be connected yet
     * @throws org.panamaverbs.SystemException   if connecting fails at once, or the local address is in use or does not belong to this
     *                                           machine
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    Channel connect(Route route);

    /** As {@link #connect(Route)}, with all but the peer's address left to the system. */
    default Channel connect(InetSocketAddress remote) {
        return connect(Route.to(remote));
    }

    /** As {@link #listen(InetSocketAddress, int, int)}, with the usual type of service. */
    default Acceptor<Channel> listen(InetSocketAddress local, int backlog) {
        return listen(local, backlog, Route.USUAL_SERVICE);
    }

    /**
     * Listens.
     *
     * @param local         a resolved address; port 0 picks a free one
     * @param backlog       the most peers that wait in the system's queue, if the system allows so many; further ones wait at their own
     *                      side
     * @param typeOfService of the packets that this side sends to these peers: 0 to 255, or {@link Route#USUAL_SERVICE}
     * @return an acceptor
     * @throws org.panamaverbs.SystemException   if the address is in use or does not belong to this machine; the message names it
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService);

    /**
     * Opens a UDP port, and joins its group if its address is one.
     *
     * @param binding the local address and its options
     * @return a port that is not connected
     * @throws org.panamaverbs.SystemException   if the address is in use or does not belong to this machine, or there is no such network
     *                                           interface; the message names it
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    DatagramPort bind(DatagramBinding binding);

    /**
     * Reports the events of a port to a handler until the port is closed.
     *
     * @param port    made by {@link #bind} of this kind of multiplexer
     * @param handler called on the selecting thread
     */
    void add(DatagramPort port, Handler handler);

    /**
     * Reports the events of a channel to a handler until the channel is closed.
     *
     * @param channel made by {@link #connect(Route)} or {@link Acceptor#accept} of this kind of multiplexer
     * @param handler called on the selecting thread
     * @return the registration, which can direct further events to another handler
     */
    Registration add(Channel channel, Handler handler);

    /**
     * Reports no more events of a channel, which can then be added to another multiplexer of this kind. Only the selecting thread calls it.
     *
     * @param channel a channel that was added
     */
    void remove(Channel channel);

    /**
     * Reports new peers of an acceptor to a handler until the acceptor is closed.
     *
     * @param acceptor made by {@link #listen(InetSocketAddress, int, int)} of this kind of multiplexer
     * @param handler  called on the selecting thread
     */
    void add(Acceptor<Channel> acceptor, Handler handler);

    /**
     * Allows the multiplexer not to report the events of a channel until {@link #watch}: the caller reads and writes without events. Only
     * the selecting thread calls it.
     *
     * @param channel a channel that was added
     */
    default void unwatch(Channel channel) {
        // Superfluous events do no harm.
    }

    /**
     * Reports the events of a channel again after {@link #unwatch}, first those that came meanwhile; does nothing if it is watched already.
     * Only the selecting thread calls it.
     *
     * @param channel a channel that was added
     * @return {@code false} if the system has no room to watch the channel now; then the caller must try again
     */
    default boolean watch(Channel channel) {
        return true;
    }

    /**
     * Waits for events and calls their handlers.
     *
     * @param timeoutNanos the longest time to wait in nanoseconds; 0 not to wait, negative to wait without limit
     * @return the number of handlers called
     */
    int select(long timeoutNanos);

    /**
     * Whether a thread should busy-poll {@link #select} before it waits: the transport gains by that, and no {@link #wakeUp} is pending.
     */
    default boolean isBusyPolled() {
        return false;
    }

    /** Makes a waiting {@link #select} return at once, or else the next one. */
    void wakeUp();

    /** Releases the multiplexer's own descriptors. It does not close channels, acceptors and ports. */
    @Override
    void close();
}
