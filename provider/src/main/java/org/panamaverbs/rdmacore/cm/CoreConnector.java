package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/** The active side of a connection in the making. */
// Tested by ConnectionOptionsFaultsTest, LeakFaultsTest.
final class CoreConnector extends CoreOpening implements Connector {
    private final ConnectionScope scope;
    private final Route route;
    private final InetSocketAddress remote;
    /** Written once, before any other thread has the connector, by {@link #resolve}. */
    private ConnectingDevice device;

    private CoreConnector(ConnectionScope scope, Route route) {
        super(CmIdentifier.create(scope.reader()));
        this.scope = scope;
        this.route = route;
        this.remote = route.remote();
    }

    /**
     * Finds the route, and with it the device. The connector is a child of the scope until then, so that closing the scope ends the search;
     * of the device from then on.
     */
    static CoreConnector resolve(ConnectionScope scope, Route route, Duration timeout) {
        CoreConnector connector = scope.children().adopt(new CoreConnector(scope, route));
        try (Rollback undo = new Rollback()) {
            undo.add(connector::close);
            connector.resolve(timeout);
            if (connector.device.children() != scope.children()) {
                connector.device.children().adopt(connector);
                scope.children().remove(connector);
            }
            undo.commit();
            return connector;
        }
    }

    private void resolve(Duration timeout) {
        String what = "find the route to " + route.describe();
        long deadline = deadline(timeout);
        int millis = Math.clamp(Waits.nanos(timeout) / 1_000_000, 1, Integer.MAX_VALUE);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = route.local().map(local -> SocketAddresses.encode(arena, local)).orElse(MemorySegment.NULL);
            MemorySegment destination = SocketAddresses.encode(arena, remote);
            whileOpen(() -> Calls.RESOLVE_ADDR.succeed(what, identifier.address(), source, destination, millis));
        }
        progress(Rdma.RDMA_CM_EVENT_ADDR_RESOLVED(), deadline, timeout, what);
        whileOpen(() -> {
            device = scope.require(identifier.context(), what, Libc.EHOSTUNREACH());
            // The path depends on it.
            identifier.typeOfService(route.typeOfService(), what);
            Calls.RESOLVE_ROUTE.succeed(what, identifier.address(), millis);
        });
        progress(Rdma.RDMA_CM_EVENT_ROUTE_RESOLVED(), deadline, timeout, what);
    }

    /** Closing the scope meanwhile closes this, too. */
    private void whileOpen(Runnable calls) {
        if (!identifier.whileAlive(calls)) {
            throw new ClosedException(this + " is closed");
        }
    }

    private CmEvent progress(int expected, long deadline, Duration timeout, String what) {
        CmEvent event = identifier.await(deadline, timeout, what);
        if (event.type() != expected) {
            throw CmFailures.of(event, remote, what);
        }
        return event;
    }

    @Override
    public ConnectingDevice device() {
        return device;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        return makeQueuePair(domain, attributes);
    }

    @Override
    public Connection connect(ConnectionParameters wished, Duration timeout) {
        ConnectionParameters parameters = wished.fitting(device);
        long deadline = deadline(timeout);
        ConnectedQueuePair queuePair = begin("connecting");
        String what = "connect to " + Route.text(remote);
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            undo.add(this::close);
            MemorySegment wanted = parameters(arena, parameters, parameters.inboundReads(), parameters.outboundReads());
            identifier.establishes(true, event -> connection(queuePair, parameters, event));
            queuePair.connect(() -> {
                parameters.acknowledgementTimeout().ifPresent(limit -> identifier.acknowledgementTimeout(limit, what));
                connect(what, wanted);
            });
            progress(Rdma.RDMA_CM_EVENT_ESTABLISHED(), deadline, timeout, what);
            queuePair.delayUnreceived(parameters.receiverNotReadyDelay());
            becomeConnected();
            undo.commit();
            return Connection.of(queuePair).orElseThrow();
        }
    }

    private Connection connection(ConnectedQueuePair queuePair, ConnectionParameters parameters, CmEvent event) {
        if (device.hidesReads() && event.initiatorDepth() == 0 && event.responderResources() == 0) {
            return new CoreConnection(queuePair, identifier, event.privateData(), parameters.inboundReads(), parameters.outboundReads());
        }
        int served = device.namesOwnReads() ? event.initiatorDepth() : event.responderResources();
        int wantedOfUs = device.namesOwnReads() ? event.responderResources() : event.initiatorDepth();
        return new CoreConnection(queuePair, identifier, event.privateData(), Math.min(parameters.inboundReads(), wantedOfUs),
                Math.min(parameters.outboundReads(), served));
    }

    /** Some drivers find out in the call that no program listens, others raise an event. */
    private void connect(String what, MemorySegment wanted) {
        try {
            Calls.CONNECT.succeed(what, identifier.address(), wanted);
        } catch (SystemException e) {
            throw e.errorNumber() == Libc.ECONNREFUSED() ? Waits.refused(remote, e) : e;
        }
    }

    @Override
    void refuse() {
        // The peer knows nothing of it yet.
    }

    @Override
    void forget() {
        scope.children().remove(this);
        if (device != null) {
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "the connector to " + Route.text(remote);
    }
}
