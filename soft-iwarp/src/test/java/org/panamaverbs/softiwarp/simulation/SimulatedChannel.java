package org.panamaverbs.softiwarp.simulation;

import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** One end of a simulated connection. Its edges wait until the world delivers them. */
class SimulatedChannel extends QuietChannel {
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
