package org.panamaverbs.softiwarp.transport.memory;

import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** A port of this process where in-memory streams arrive. All of a JVM share the ports; hosts are not told apart. */
final class MemoryAcceptor implements Acceptor {
    private static final ConcurrentMap<Integer, MemoryAcceptor> LISTENING = new ConcurrentHashMap<>();

    private final InetSocketAddress address;
    private final BlockingQueue<MemoryChannel> waiting;
    private final MemoryWatch watch = new MemoryWatch();

    MemoryAcceptor(InetSocketAddress address, int backlog) {
        this.address = address;
        waiting = new ArrayBlockingQueue<>(Math.max(1, backlog));
    }

    /** Who listens on a port, or {@code null}. */
    static MemoryAcceptor find(int port) {
        return LISTENING.get(port);
    }

    /** Takes the port; {@code false} where another has it. */
    boolean open() {
        return LISTENING.putIfAbsent(address.getPort(), this) == null;
    }

    /** Lets a peer wait to be accepted; {@code false} where too many do, or it listens no more. */
    boolean offer(MemoryChannel peer) {
        if (watch.isClosed() || !waiting.offer(peer)) {
            return false;
        }
        if (watch.isClosed()) {
            // Perhaps too late for close() to see it.
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
