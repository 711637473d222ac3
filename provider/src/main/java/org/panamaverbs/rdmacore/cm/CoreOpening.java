package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.rdma_conn_param;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.spi.support.Waits;

/**
 * One side of a connection in the making: an identifier of librdmacm, and the queue pair that is made for it. Once connected, it owns
 * neither. {@code toString} names it in messages.
 */
// Tested by ConnectionOptionsFaultsTest, LeakFaultsTest, RejectContract, ListenContract.
abstract class CoreOpening implements DeviceFailureListener, AutoCloseable {
    private enum State {
        OPEN, CONNECTED, CLOSED
    }

    final CmIdentifier identifier;
    private ConnectedQueuePair queuePair;
    private State state = State.OPEN;
    /** Whether this side has connected, accepted or rejected, or tried to. */
    private boolean begun;
    private final Closing closing = new Closing();

    CoreOpening(CmIdentifier identifier) {
        this.identifier = identifier;
    }

    /** The device; {@code null} until the route to the peer is resolved. */
    abstract ConnectingDevice device();

    /** It closes without having begun: rejects the peer, if one waits. */
    abstract void refuse();

    /** The last step of closing: no object closes it any more. */
    abstract void forget();

    final synchronized ConnectedQueuePair makeQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        checkNew();
        if (queuePair != null) {
            throw new IllegalStateException(this + " has its queue pair already");
        }
        queuePair = device().createQueuePair(domain, attributes, identifier);
        return queuePair;
    }

    private void checkNew() {
        if (begun) {
            throw new IllegalStateException(this + " was used before: it serves one attempt");
        }
        checkOpen();
    }

    private void checkOpen() {
        if (state == State.CLOSED) {
            throw new ClosedException(this + " is closed");
        }
    }

    /** Begins without a queue pair. */
    final synchronized void begin() {
        checkNew();
        begun = true;
    }

    /**
     * Begins to connect or accept.
     *
     * @param doing what the queue pair is needed for, to end the message
     * @return the queue pair
     */
    final synchronized ConnectedQueuePair begin(String doing) {
        checkNew();
        if (queuePair == null) {
            throw new IllegalStateException("create the queue pair before " + doing);
        }
        begun = true;
        return queuePair;
    }

    /** From now on this closes nothing any more, unless it was closed meanwhile, which closes all. */
    final synchronized void becomeConnected() {
        checkOpen();
        state = State.CONNECTED;
        device().children().remove(this);
    }

    private synchronized boolean isConnected() {
        return state == State.CONNECTED;
    }

    @Override
    public final void onDeviceFailure(DeviceFailure failure) {
        identifier.fail(failure::exception);
    }

    @Override
    public final void close() {
        if (isConnected()) {
            return;
        }
        closing.once(this::closeQueuePair, this::closeIdentifier);
    }

    private void closeQueuePair() {
        ConnectedQueuePair unused;
        boolean waits;
        synchronized (this) {
            if (state == State.CONNECTED) {
                return;
            }
            state = State.CLOSED;
            unused = queuePair;
            waits = !begun;
        }
        identifier.wake(this + " was closed before it was connected");
        if (waits) {
            refuse();
        }
        if (unused != null) {
            unused.close();
        }
    }

    private void closeIdentifier() {
        if (!isConnected()) {
            identifier.destroy();
            forget();
        }
    }

    /** {@code struct rdma_conn_param}, with the depths of Reads that both sides agree on. */
    static MemorySegment parameters(Arena arena, ConnectionParameters wanted, int inboundReads, int outboundReads) {
        byte[] privateData = wanted.privateData();
        MemorySegment struct = rdma_conn_param.allocate(arena).fill((byte) 0);
        if (privateData.length > 0) {
            rdma_conn_param.private_data(struct, arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData));
        }
        rdma_conn_param.private_data_len(struct, (byte) privateData.length);
        rdma_conn_param.responder_resources(struct, (byte) inboundReads);
        rdma_conn_param.initiator_depth(struct, (byte) outboundReads);
        rdma_conn_param.retry_count(struct, (byte) wanted.retries());
        rdma_conn_param.rnr_retry_count(struct, (byte) wanted.receiverNotReadyRetries());
        return struct;
    }

    /** When a time limit that starts now is over. */
    static long deadline(Duration timeout) {
        // Half of a long's range, since deadlines are compared by difference.
        return System.nanoTime() + Math.min(Waits.nanos(timeout), Long.MAX_VALUE / 2);
    }
}
