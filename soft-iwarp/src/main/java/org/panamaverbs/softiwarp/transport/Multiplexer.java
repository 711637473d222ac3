package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;

/**
 * Makes channels and acceptors of one kind, and tells when they are ready. Only the thread that leads the event loop calls
 * {@link #select}; all else may be called by any thread.
 *
 * <p>Readiness is edge-triggered, as with {@code EPOLLET}: a handler hears of readability once, and again only after it has read until
 * {@link Channel#read} returned less than it could take and more bytes came; the same for writability and writing. A multiplexer that is
 * level-triggered underneath makes it look so. What happened before {@code add} is reported after it: no edge is lost. Too many edges
 * do no harm.
 */
public interface Multiplexer extends AutoCloseable {
    /** Event: bytes, a new peer, the end of the stream or an error can be read. */
    int READABLE = 1;
    /** Event: the channel takes bytes, or has connected, or is broken. */
    int WRITABLE = 1 << 1;

    /** Hears of events. */
    interface Handler {
        /**
         * Called by {@link #select} on the thread that called it.
         *
         * @param events {@link #READABLE}, {@link #WRITABLE}
         */
        void onReady(int events);
    }

    /**
     * Starts to connect; {@link Channel#finishConnect()} tells how it went, after an event.
     *
     * @param remote a resolved address
     * @return a channel that is not connected yet
     * @throws org.panamaverbs.SystemException   where it fails at once
     * @throws org.panamaverbs.ResourceException where the process has no file descriptor left
     */
    Channel connect(InetSocketAddress remote);

    /**
     * Listens.
     *
     * @param local   a resolved address; port 0 picks a free one
     * @param backlog how many peers may wait
     * @return an acceptor
     * @throws org.panamaverbs.SystemException   where the address is in use or not this machine's; the message names it
     * @throws org.panamaverbs.ResourceException where the process has no file descriptor left
     */
    Acceptor listen(InetSocketAddress local, int backlog);

    /**
     * Reports the channel's events to a handler from now on, until it is closed.
     *
     * @param channel of this kind of multiplexer, made by {@link #connect} or {@link Acceptor#accept}
     * @param handler called on the thread that selects
     */
    void add(Channel channel, Handler handler);

    /**
     * Reports that peers have connected.
     *
     * @param acceptor of this kind of multiplexer
     * @param handler  called on the thread that selects
     */
    void add(Acceptor acceptor, Handler handler);

    /**
     * Need not report a channel's events until {@link #watch}: whoever selects reads and writes without being told. By the thread that
     * selects.
     *
     * @param channel that was added
     */
    default void unwatch(Channel channel) {
        // To report too much does no harm.
    }

    /**
     * Reports a channel's events again after {@link #unwatch}, first those that came meanwhile; else does nothing. By the thread that
     * selects.
     *
     * @param channel that was added
     * @return {@code false} where the system has no room to watch it now; then it is to be tried again
     */
    default boolean watch(Channel channel) {
        return true;
    }

    /**
     * Waits for events and calls their handlers.
     *
     * @param timeoutNanos 0 to look only, negative to wait without limit
     * @return how many handlers were called
     */
    int select(long timeoutNanos);

    /**
     * Whether a thread that is about to wait may call {@link #select} with 0 again and again before: the transport gains by it, and no
     * {@link #wakeUp} is pending.
     */
    default boolean isBusyPolled() {
        return false;
    }

    /** Makes a {@link #select} that waits, or else the next one, return at once. */
    void wakeUp();

    /** Releases its own descriptors; channels are closed by their owners. */
    @Override
    void close();
}
