package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Rollback;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.SocketAddresses;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.spi.Waits;

/** The active side of a connection in the making. */
// Tested by ConnectionOptionsFaultsTest, LeakFaultsTest.
final class CoreConnector implements Connector, DeviceFailureListener {
    private final ConnectionScope scope;
    private final Route route;
    private final InetSocketAddress remote;
    private final CmIdentifier identifier;
    /** Written once, before any other thread has the connector, by {@link #resolve}. */
    private ConnectingDevice device;
    private ConnectedQueuePair queuePair;
    private boolean started;
    private boolean connected;
    private boolean closed;
    private final Closing closing = new Closing();

    private CoreConnector(ConnectionScope scope, Route route) {
        this.scope = scope;
        this.route = route;
        this.remote = route.remote();
        this.identifier = CmIdentifier.create(scope.reader());
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
        long deadline = CoreConnectionManager.deadline(timeout);
        int millis = Math.clamp(Waits.nanos(timeout) / 1_000_000, 1, Integer.MAX_VALUE);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = route.local().map(local -> SocketAddresses.encode(arena, local)).orElse(MemorySegment.NULL);
            MemorySegment destination = SocketAddresses.encode(arena, remote);
            whileOpen(() -> Calls.RESOLVE_ADDR.succeed(what, identifier.address(), source, destination, millis));
        }
        progress(Rdma.RDMA_CM_EVENT_ADDR_RESOLVED(), deadline, timeout, what);
        device = scope.require(identifier.context(), what, Libc.EHOSTUNREACH());
        whileOpen(() -> {
            // The path depends on it.
            identifier.typeOfService(route.typeOfService(), what);
            Calls.RESOLVE_ROUTE.succeed(what, identifier.address(), millis);
        });
        progress(Rdma.RDMA_CM_EVENT_ROUTE_RESOLVED(), deadline, timeout, what);
    }

    /** Closing the scope meanwhile closes this, too. */
    private void whileOpen(Runnable calls) {
        if (!identifier.whileAlive(calls)) {
            throw new ClosedException("the connector to " + remote + " is closed");
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
    public synchronized QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        checkOpen();
        if (queuePair != null) {
            throw new IllegalStateException("the connector has its queue pair already");
        }
        queuePair = device.createQueuePair(domain, attributes, identifier);
        return queuePair;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the connector to " + remote + " is closed");
        }
    }

    @Override
    public Connection connect(ConnectionParameters wished, Duration timeout) {
        ConnectionParameters parameters = wished.fitting(device);
        long deadline = CoreConnectionManager.deadline(timeout);
        synchronized (this) {
            checkOpen();
            if (queuePair == null) {
                throw new IllegalStateException("create the queue pair before connecting");
            }
            if (started) {
                throw new IllegalStateException("the connector has connected, or tried to, before");
            }
            started = true;
        }
        String what = "connect to " + remote;
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            undo.add(this::close);
            MemorySegment wanted = CoreConnectionManager.parameters(arena, parameters, parameters.inboundReads(),
                    parameters.outboundReads());
            queuePair.connect(() -> {
                parameters.acknowledgementTimeout().ifPresent(limit -> identifier.acknowledgementTimeout(limit, what));
                Calls.CONNECT.succeed(what, identifier.address(), wanted);
            });
            CmEvent event = progress(Rdma.RDMA_CM_EVENT_ESTABLISHED(), deadline, timeout, what);
            // librdmacm names the peer's values as of this side; drivers of iWARP cards and siw name them as of the peer's.
            int served = device.isIwarp() ? event.responderResources() : event.initiatorDepth();
            int wantedOfUs = device.isIwarp() ? event.initiatorDepth() : event.responderResources();
            CoreConnection connection = new CoreConnection(queuePair, identifier, event.privateData(),
                    Math.min(parameters.inboundReads(), wantedOfUs), Math.min(parameters.outboundReads(), served));
            becomeConnected();
            undo.commit();
            return connection;
        }
    }

    /** From now on this closes nothing any more, unless it was closed meanwhile, which closes all. */
    private synchronized void becomeConnected() {
        checkOpen();
        connected = true;
        device.children().remove(this);
    }

    private synchronized boolean isConnected() {
        return connected;
    }

    @Override
    public void onDeviceFailure(DeviceFailure failure) {
        identifier.fail(failure::exception);
    }

    @Override
    public void close() {
        if (isConnected()) {
            return;
        }
        if (closing.begin()) {
            try {
                closeOnce();
            } finally {
                closing.end();
            }
        }
    }

    private void closeOnce() {
        ConnectedQueuePair unused;
        synchronized (this) {
            if (connected) {
                return;
            }
            closed = true;
            unused = queuePair;
        }
        identifier.wake("closed while it was to connect to " + remote);
        if (unused != null) {
            unused.close();
        }
        identifier.destroy();
        scope.children().remove(this);
        if (device != null) {
            device.children().remove(this);
        }
    }
}
