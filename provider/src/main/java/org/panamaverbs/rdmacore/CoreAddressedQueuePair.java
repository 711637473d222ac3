package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.probe.PortTables;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.support.Rollback;

/** A queue pair that connects by the peer's address. It has no connection: it ends by itself, and notifies no peer. */
final class CoreAddressedQueuePair extends CoreQueuePair implements AddressedQueuePair {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SEQUENCE_NUMBERS = 1 << 24;
    private static final int USUAL_READS = 16;
    /** {@code max_rd_atomic} has 8 bits. */
    private static final int MOST_READS = 255;

    private final OwnQueuePair handle;
    private final QueuePairPort port;
    /** Random, so that late packets of an earlier queue pair, or forged ones, hardly fit. */
    private final int sequenceNumber = RANDOM.nextInt(SEQUENCE_NUMBERS);
    /** One thread connects at a time. */
    private final Object connecting = new Object();

    static CoreAddressedQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, QueuePairPort port,
            Set<Access> rights) {
        ObjectChecks.queuePair(domain.device(), domain, attributes);
        CoreDevice device = domain.device();
        device.checkPort(port.number());
        PortTables.check(device.context(), device.name(), port);
        int bits = PeerRights.of(device, rights);
        return device.lifetime().creating(() -> {
            QueuePairInitAttributes.checkOpen(domain, attributes);
            OwnQueuePair handle = OwnQueuePair.create(domain, attributes, "a queue pair", Rdma.IBV_QPT_RC());
            try (Rollback undo = new Rollback()) {
                undo.add(handle::destroy);
                initialise(device, handle, port, bits);
                undo.commit();
            }
            return new CoreAddressedQueuePair(domain, attributes, handle, port);
        });
    }

    private static void initialise(CoreDevice device, OwnQueuePair handle, QueuePairPort port, int rights) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_INIT());
            ibv_qp_attr.port_num(change, (byte) port.number());
            ibv_qp_attr.pkey_index(change, (short) port.partitionKeyIndex());
            ibv_qp_attr.qp_access_flags(change, rights);
            int error = handle.modify(change, Rdma.IBV_QP_PKEY_INDEX() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_ACCESS_FLAGS());
            if (error != 0) {
                throw refusal(
                        "initialise a queue pair of " + device.name() + " on port " + port.number() + " with partition key "
                                + port.partitionKeyIndex() + " (RESET to INIT)",
                        error, "check the partition keys of the port (Device.partitionKeys) and the rights");
            }
        }
    }

    private CoreAddressedQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, OwnQueuePair handle, QueuePairPort port) {
        super(domain, attributes, handle);
        this.handle = handle;
        this.port = port;
    }

    private static VerbsException refusal(String action, int error, String cure) {
        VerbsException refused = Calls.MODIFY_QP.failure(action, error);
        return refused instanceof SystemException ? new SystemException(refused.getMessage() + ": " + cure, error) : refused;
    }

    @Override
    public QueuePairPort port() {
        return port;
    }

    @Override
    public QueuePairAddress address() {
        if (state() == QueuePairState.CLOSED) {
            throw new ClosedException("the queue pair is closed");
        }
        return PortTables.address(device().context(), device().name(), port, number(), sequenceNumber, 0, usualInboundReads());
    }

    private int usualInboundReads() {
        return Math.min(USUAL_READS, device().attributes().maximumInboundReads());
    }

    @Override
    public void connectTo(QueuePairAddress remote, PathAttributes path) {
        synchronized (connecting) {
            checkUnconnected(remote);
            PathSteps steps = steps(remote, path);
            limitReads(steps.outboundReads());
            take(steps);
            becomeConnected();
            if (state() != QueuePairState.READY_TO_SEND) {
                throw closed(remote);
            }
        }
    }

    private ClosedException closed(QueuePairAddress remote) {
        return new ClosedException(this + " was closed, or its device failed, while it connected to " + remote);
    }

    private void checkUnconnected(QueuePairAddress remote) {
        switch (state()) {
            case INIT -> {
                // As it should be.
            }
            case READY_TO_SEND ->
                throw new IllegalStateException(this + " is connected already, and cannot connect to " + remote + ": create another");
            case ERROR -> throw new IllegalStateException(this + " has failed, and cannot connect to " + remote + ": create another");
            case CLOSED -> throw new ClosedException(this + " is closed, and cannot connect to " + remote);
        }
    }

    private PathSteps steps(QueuePairAddress remote, PathAttributes path) {
        QueuePairAddress own = address();
        if (remote.identifier().isEmpty() && own.localIdentifier() == 0) {
            throw new IllegalArgumentException(remote + " has no GID, and port " + port.number() + " of device " + device().name()
                    + " reaches no LID: it is an Ethernet port");
        }
        int longest = Math.min(own.mtu(), remote.mtu());
        int mtu = path.mtu() == PathAttributes.AS_PORT ? longest : path.mtu();
        if (mtu > longest) {
            throw new IllegalArgumentException("an MTU of " + mtu + " bytes is more than both ports have: port " + port.number()
                    + " of device " + device().name() + " has " + own.mtu() + ", that of " + remote + " " + remote.mtu());
        }
        DeviceAttributes limits = device().attributes();
        int inbound = reads("inboundReads", path.inboundReads(), usualInboundReads(), limits.maximumInboundReads());
        int outbound = reads("outboundReads", path.outboundReads(),
                Math.min(Math.min(USUAL_READS, limits.maximumOutboundReads()), remote.inboundReads()), limits.maximumOutboundReads());
        device().checkFlowLabel(path.flowLabel());
        AddressVector vector = AddressVector.to(port, remote).withServiceLevel(path.serviceLevel()).withHopLimit(path.hopLimit())
                .withTrafficClass(path.trafficClass()).withFlowLabel(path.flowLabel());
        boolean isGlobal = PortTables.needsRoutingHeader(device().context(), device().name(), vector);
        return new PathSteps(remote, vector, isGlobal, path, mtu, inbound, outbound);
    }

    private int reads(String name, int wanted, int usual, int most) {
        int reads = wanted == PathAttributes.AS_DEVICE ? usual : wanted;
        if (reads > Math.min(most, MOST_READS)) {
            throw new IllegalArgumentException(name + " is " + reads + "; the maximum of device " + device().name() + " is " + most);
        }
        return reads;
    }

    /** Both steps. If the first fails, the device leaves the queue pair as it is. */
    private void take(PathSteps steps) {
        int[] errors = new int[2];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
            boolean alive = handle.whileAlive(() -> {
                errors[0] = handle.modify(change, steps.toReceive(change));
                errors[1] = errors[0] == 0 ? handle.modify(change, steps.toSend(change, sequenceNumber)) : 0;
            });
            if (!alive) {
                throw closed(steps.remote());
            }
        }
        String action = "connect " + this + " to " + steps.remote() + " with " + steps;
        if (errors[0] != 0) {
            throw refusal(action + " (INIT to RTR)", errors[0],
                    "check that the source index names an address of the type that the peer has "
                            + "(Device.addresses) and from which the peer can be reached; the queue pair may connect again");
        }
        if (errors[1] != 0) {
            VerbsException refused = refusal(action + " (RTR to RTS)", errors[1],
                    "check Reads, retries and time-outs; close the queue pair and create another");
            fail(refused);
            throw refused;
        }
    }

    @Override
    public Optional<VerbsException> failure() {
        return connectionEnd().flatMap(ConnectionEnd::failure);
    }
}
