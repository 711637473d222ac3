package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.PeerException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.spi.support.Rollback;

/** The passive side of a connection in the making. */
// Tested by RejectFaultsTest, ConnectionOptionsFaultsTest, RejectContract, ListenContract.
final class CoreConnectionRequest extends CoreOpening implements ConnectionRequest {
    private final ConnectingDevice device;
    private final CmEvent request;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;

    CoreConnectionRequest(ConnectingDevice device, CmIdentifier identifier, CmEvent request) {
        super(identifier);
        this.device = device;
        this.request = request;
        this.local = identifier.source();
        this.remote = identifier.destination();
    }

    @Override
    public ConnectingDevice device() {
        return device;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return request.privateData().clone();
    }

    @Override
    public int remoteInboundReads() {
        return request.initiatorDepth();
    }

    @Override
    public int remoteOutboundReads() {
        return request.responderResources();
    }

    @Override
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        try {
            return makeQueuePair(domain, attributes);
        } catch (SystemException e) {
            // The kernel sends no event of a request before it is accepted: that its peer is gone shows in this error at first. Drivers
            // answer the same if they refuse the queue pair.
            if (!isOver() && (e.errorNumber() != Libc.EINVAL() || device.refuses(domain, attributes))) {
                throw e;
            }
            throw new PeerException(e.getMessage() + "; most likely " + Route.text(remote) + " has gone away", e);
        }
    }

    /** Whether the peer is gone already. */
    boolean isOver() {
        return identifier.hasEvents();
    }

    @Override
    public Connection accept(ConnectionParameters wished, Duration timeout) {
        ConnectionParameters parameters = wished.fitting(device);
        long deadline = deadline(timeout);
        ConnectedQueuePair queuePair = begin("accepting");
        // Reads that the peer cannot serve, or will not ask for, must not be promised. irdma never says how many Reads its peer asks for
        // (irdma_send_cm_event), and MPA revision 1 says neither (RFC 6581 does).
        boolean unsaid = device.isIwarp() && remoteOutboundReads() == 0;
        int inbound = unsaid ? parameters.inboundReads() : Math.min(parameters.inboundReads(), remoteOutboundReads());
        int outbound = unsaid && remoteInboundReads() == 0 ? parameters.outboundReads()
                : Math.min(parameters.outboundReads(), remoteInboundReads());
        String what = "accept " + Route.text(remote);
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            undo.add(this::close);
            MemorySegment agreed = parameters(arena, parameters, inbound, outbound);
            identifier.establishes(false, event -> new CoreConnection(queuePair, identifier, request.privateData(), inbound, outbound));
            queuePair.accept(() -> {
                parameters.acknowledgementTimeout().ifPresent(limit -> identifier.acknowledgementTimeout(limit, what));
                accept(what, agreed);
                queuePair.delayUnreceived(parameters.receiverNotReadyDelay());
            });
            CmEvent event = identifier.await(deadline, timeout, what);
            if (!event.isEstablished()) {
                throw CmFailures.of(event, remote, what);
            }
            becomeConnected();
            undo.commit();
            return Connection.of(queuePair).orElseThrow();
        }
    }

    private void accept(String what, MemorySegment agreed) {
        try {
            Calls.ACCEPT.succeed(what, identifier.address(), agreed);
        } catch (SystemException e) {
            // The kernel answers these if the peer is gone; others come from the device, whose queue pair the call moves as well.
            boolean isGone = isOver() || e.errorNumber() == Libc.EINVAL() || e.errorNumber() == Libc.ENOTCONN()
                    || e.errorNumber() == Libc.ECONNRESET();
            // erdma_accept answers EINVAL to depths that it refuses, and nothing tells that from a peer that has gone.
            String other = e.errorNumber() == Libc.EINVAL() ? ", or the device refuses the depths of Reads" : "";
            throw isGone ? new PeerException(e.getMessage() + "; most likely the peer has gone away" + other, e) : e;
        }
    }

    @Override
    public void reject(ConnectionParameters wished) {
        // rdma_reject takes no depths of Reads.
        byte[] privateData = wished.fitting(device).privateData();
        begin();
        device.counters().onRejected();
        refuse(identifier, privateData);
        close();
    }

    /** Refuses a request that no listener takes. Not by the event reader: it waits until the request's event is acknowledged. */
    static void refuse(CmIdentifier unwanted) {
        refuse(unwanted, new byte[0]);
        unwanted.destroy();
    }

    /** Closing the queue pair destroys the identifier: the kernel has refused its request then. */
    private static void refuse(CmIdentifier unwanted, byte[] privateData) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = privateData.length == 0 ? MemorySegment.NULL : arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData);
            // If the call fails, the peer has gone away, which is the purpose of rejecting.
            unwanted.whileAlive(() -> Calls.REJECT.attempt(unwanted.address(), data, (byte) privateData.length));
        }
    }

    @Override
    void refuse() {
        refuse(identifier, new byte[0]);
    }

    @Override
    void forget() {
        device.children().remove(this);
    }

    @Override
    public String toString() {
        return "the connection request of " + Route.text(remote);
    }
}
