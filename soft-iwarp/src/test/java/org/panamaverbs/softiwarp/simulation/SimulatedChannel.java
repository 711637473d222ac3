package org.panamaverbs.softiwarp.simulation;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** One end of a simulated connection. Its edges wait until the world delivers them. */
class SimulatedChannel implements Channel {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final World world;
    private final int index;
    private SimulatedPipe incoming;
    private SimulatedPipe outgoing;
    private Multiplexer.Handler handler;
    private int edges;
    private boolean closed;

    SimulatedChannel(World world, int index) {
        this.world = world;
        this.index = index;
    }

    void connect(SimulatedPipe in, SimulatedPipe out) {
        incoming = in;
        outgoing = out;
    }

    void handler(Multiplexer.Handler added) {
        handler = added;
    }

    void edge(int events) {
        if (!closed) {
            edges |= events;
        }
    }

    boolean hasEdges() {
        return edges != 0;
    }

    void deliver() {
        int events = edges;
        edges = 0;
        handler.onReady(events);
    }

    SimulatedPipe incoming() {
        return incoming;
    }

    SimulatedPipe outgoing() {
        return outgoing;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public int finishConnect() {
        return 1;
    }

    @Override
    public long read(IoVector into) {
        return closed ? BROKEN : incoming.read(into);
    }

    @Override
    public long write(IoVector from) {
        if (closed) {
            return BROKEN;
        }
        long count = outgoing.write(from);
        // Another thread may do something before this one goes on.
        world.meanwhile(index);
        return count;
    }

    @Override
    public long recall() {
        return outgoing.recall();
    }

    @Override
    public VerbsException failure() {
        return new SystemException("simulated: the connection broke", 104);
    }

    @Override
    public InetSocketAddress localAddress() {
        return ADDRESS;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return ADDRESS;
    }

    @Override
    public int segmentSize() {
        return 1460;
    }

    @Override
    public void shutdownOutput() {
        outgoing.end();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        edges = 0;
        if (incoming.leave()) {
            incoming.reset();
            outgoing.reset();
        } else {
            outgoing.end();
        }
    }
}
