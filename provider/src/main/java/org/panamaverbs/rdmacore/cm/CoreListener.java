package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.spi.AllAddresses;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener: the connection requests that wait to be taken. */
// Tested by ConcurrentCloseFaultsTest, ConnectionOptionsFaultsTest, ListenContract.
final class CoreListener implements Listener, DeviceFailureListener {
    private static final Logger LOG = LoggerFactory.getLogger(CoreListener.class);

    /**
     * A port that rdma_bind_addr found free is so for RDMA; iWARP devices then take TCP's port of that number, which may be in use. Of all
     * ports some thousands at most are, so that this many in a row mean something else.
     */
    private static final int FREE_PORT_ATTEMPTS = 20;
    /**
     * So many requests wait at least, in the kernel and then here: rdma_cm cannot let a peer wait, and rejects it. The kernel has no longer
     * queue (net.rdma_ucm.max_backlog).
     */
    private static final int LEAST_QUEUE = 1024;
    private static final int IPV4_BYTES = 4;

    private final ConnectionScope scope;
    private final int most;
    /** Two, if the listener has all addresses of both families. */
    private final List<CmIdentifier> identifiers;
    private final InetSocketAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    /** Under the lock, and unchanged once this is closed. */
    private final ArrayDeque<CoreConnectionRequest> waiting = new ArrayDeque<>();
    private Supplier<VerbsException> broken;
    private boolean closed;
    private final Closing closing = new Closing();

    CoreListener(ConnectionScope scope, InetSocketAddress local, int backlog, int typeOfService) {
        this.scope = scope;
        this.most = Math.max(backlog, LEAST_QUEUE);
        this.identifiers = listen(AllAddresses.covering(local), typeOfService);
        this.address = identifiers.getFirst().source();
    }

    private List<CmIdentifier> listen(InetSocketAddress local, int typeOfService) {
        for (int attempt = 1;; attempt++) {
            try (Rollback undo = new Rollback()) {
                CmIdentifier first = listenAt(local, typeOfService);
                undo.add(first::destroy);
                // On iWARP, an identifier of IPv6 gets the addresses of IPv4 peers in a form for which rdma_cm finds no device.
                List<CmIdentifier> all = !AllAddresses.hasBothFamilies(local) ? List.of(first) : List.of(first,
                        listenAt(new InetSocketAddress(AllAddresses.any(IPV4_BYTES), first.source().getPort()), typeOfService));
                undo.commit();
                return all;
            } catch (SystemException e) {
                if (local.getPort() != 0 || e.errorNumber() != Libc.EADDRINUSE() || attempt == FREE_PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private CmIdentifier listenAt(InetSocketAddress local, int typeOfService) {
        CmIdentifier identifier = CmIdentifier.create(scope.reader());
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            undo.add(identifier::destroy);
            if (AllAddresses.hasBothFamilies(local)) {
                identifier.onlyItsFamily("listen at " + Route.text(local));
            }
            Calls.BIND_ADDR.succeed("listen at " + Route.text(local), identifier.address(), SocketAddresses.encode(arena, local));
            checkDevice(identifier, local);
            identifier.typeOfService(typeOfService, "listen at " + Route.text(local));
            identifier.onRequests(this::onRequest, this::onOther);
            Calls.LISTEN.succeed("listen at " + Route.text(local), identifier.address(), most);
            undo.commit();
            return identifier;
        }
    }

    private void checkDevice(CmIdentifier identifier, InetSocketAddress local) {
        if (identifier.context() != 0) {
            scope.require(identifier.context(), "listen at " + Route.text(local), Libc.EADDRNOTAVAIL());
        }
    }

    /** By the event reader. */
    private void onRequest(CmEvent event) {
        CmIdentifier identifier = CmIdentifier.of(scope.reader(), event);
        ConnectingDevice device = scope.find(identifier.context());
        if (device == null) {
            LOG.info("a connection request of {} at {} was dropped: it came over another device than {}",
                    Route.text(identifier.destination()), Route.text(address), scope.describe());
            new Workers.Task(() -> CoreConnectionRequest.refuse(identifier)).submit();
            return;
        }
        CoreConnectionRequest request = new CoreConnectionRequest(device, identifier, event);
        boolean taken = false;
        lock.lock();
        try {
            if (!closed && waiting.size() < most) {
                waiting.add(request);
                arrived.signal();
                taken = true;
            }
        } finally {
            lock.unlock();
        }
        if (!taken) {
            device.counters().onRefused();
            LOG.info("a connection request of {} at {} was dropped: the listener is closed, or {} requests wait",
                    Route.text(request.remoteAddress()), Route.text(address), most);
            // Elsewhere: its event is acknowledged only after this returns, and destroying waits for that.
            new Workers.Task(request::close).submit();
        }
    }

    /** A listener gets nothing but requests; by the event reader. */
    private void onOther(CmEvent event) {
        fail(() -> CmFailures.of(event, address, "listen at " + Route.text(address)));
    }

    @Override
    public void onDeviceFailure(DeviceFailure failure) {
        fail(failure::exception);
    }

    private void fail(Supplier<VerbsException> reason) {
        lock.lock();
        try {
            // The first failure is the cause.
            broken = broken == null ? reason : broken;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public ConnectionRequest awaitRequest(Duration timeout) {
        long left = Waits.nanos(timeout);
        while (true) {
            CoreConnectionRequest request;
            lock.lock();
            try {
                while (waiting.isEmpty() && !closed && broken == null && left > 0) {
                    left = Waits.await(arrived, left);
                }
                if (closed) {
                    throw new ClosedException("the listener at " + Route.text(address) + " is closed");
                }
                if (broken != null) {
                    throw broken.get();
                }
                request = waiting.poll();
            } finally {
                lock.unlock();
            }
            if (request == null) {
                throw new VerbsTimeoutException(
                        "no connection request came to " + Route.text(address) + " within " + Waits.describe(timeout));
            }
            if (!request.isOver()) {
                return request.device().children().adopt(request);
            }
            // Its peer gave up while it waited here.
            request.close();
        }
    }

    @Override
    public void close() {
        closing.once(this::refuseMore, this::destroy);
    }

    /** No thread takes a request from now on, and none waits any more for one. */
    private void refuseMore() {
        lock.lock();
        try {
            closed = true;
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void destroy() {
        identifiers.forEach(CmIdentifier::destroy);
        waiting.forEach(CoreConnectionRequest::close);
        scope.children().remove(this);
    }
}
