package org.panamaverbs.softiwarp.transport.memory;

import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * A port on which in-memory streams arrive. All multiplexers of a JVM share the ports; the host of an address does not matter. All peers
 * wait that come: they are threads of this program.
 */
final class MemoryAcceptor implements Acceptor<Channel> {
    private static final ConcurrentMap<Integer, MemoryAcceptor> LISTENING = new ConcurrentHashMap<>();

    private final InetSocketAddress address;
    private final Queue<MemoryChannel> waiting = new ConcurrentLinkedQueue<>();
    private final MemoryWatch watch = new MemoryWatch();

    MemoryAcceptor(InetSocketAddress address) {
        this.address = address;
    }

    /** The acceptor that listens on a port, or {@code null}. */
    static MemoryAcceptor find(int port) {
        return LISTENING.get(port);
    }

    /** Takes the port; {@code false} if another acceptor has it. */
    boolean open() {
        return LISTENING.putIfAbsent(address.getPort(), this) == null;
    }

    /** Queues a peer to be accepted; {@code false} if the acceptor is closed. */
    boolean offer(MemoryChannel peer) {
        if (watch.isClosed()) {
            return false;
        }
        waiting.add(peer);
        if (watch.isClosed()) {
            // close() may have emptied the queue before the offer.
            closeWaiting();
        }
        watch.report(Multiplexer.READABLE);
        return true;
    }

    MemoryWatch watch() {
        return watch;
    }

    @Override
    public Channel accept() {
        return waiting.poll();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        watch.close();
        LISTENING.remove(address.getPort(), this);
        closeWaiting();
    }

    private void closeWaiting() {
        for (MemoryChannel peer = waiting.poll(); peer != null; peer = waiting.poll()) {
            peer.close();
        }
    }
}
