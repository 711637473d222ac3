package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.QueuePairStatistics;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr;
import org.panamaverbs.bindings.rdma.rdma_cm_id;

/**
 * A queue pair: checks what is posted, and keeps it until it is done.
 *
 * <p>Both queues are kept in rings of our own beside the device's, so that depths are what was asked for, requests with MORE go out as one
 * chain, what the device does not flush is flushed all the same, and requests that are not signalled give their places back: the device
 * reports every so many, and that report goes no further.
 *
 * <p>Locks are taken in this order: a queue's, the identifier's guard or the completion queue's; never the other way round.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreQueuePair implements QueuePair {
    private static final int NO_RIGHT = 0;

    private final CoreProtectionDomain domain;
    private final CoreDevice device;
    private final QueuePairAttributes attributes;
    private final CmIdentifier identifier;
    private final MemorySegment address;
    private final int number;
    private final long tag;
    private final CoreCompletionQueue sendCompletions;
    private final CoreCompletionQueue receiveCompletions;
    private final ReentrantLock sendLock = new ReentrantLock();
    private final ReentrantLock receiveLock = new ReentrantLock();
    private final SendChain sends;
    private final ReceiveChain receives;
    private final QueuePairEnd end = new QueuePairEnd();
    private volatile QueuePairState state = QueuePairState.INIT;
    private volatile int outboundReads = Integer.MAX_VALUE;
    private final Closing closing = new Closing();
    private boolean destroyed;
    private volatile boolean flushedSends;

    static CoreQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        check(domain.device(), attributes);
        CoreQueuePair queuePair = domain.device().creating(() -> {
            domain.queuePairs().check();
            ((CoreCompletionQueue) attributes.sendQueue()).checkParent();
            ((CoreCompletionQueue) attributes.receiveQueue()).checkParent();
            return new CoreQueuePair(domain, attributes, identifier);
        });
        identifier.connects(queuePair);
        return queuePair;
    }

    private CoreQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        this.domain = domain;
        this.device = domain.device();
        this.attributes = attributes;
        this.identifier = identifier;
        this.sendCompletions = (CoreCompletionQueue) attributes.sendQueue();
        this.receiveCompletions = (CoreCompletionQueue) attributes.receiveQueue();
        if (!identifier.whileAlive(this::createNative)) {
            throw new IllegalStateException("what the queue pair was to connect is closed");
        }
        this.address = rdma_cm_id.qp(identifier.address()).reinterpret(ibv_qp.sizeof());
        this.number = ibv_qp.qp_num(address);
        this.tag = device.queuePairs().add(this);
        this.sends = new SendChain(address, device, attributes, tag);
        this.receives = new ReceiveChain(address, device, attributes, tag);
        LiveObjects.add(address, this);
        try {
            domain.queuePairs().add(this);
            sendCompletions.attach(this);
            receiveCompletions.attach(this);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        sendCompletions.attachSender(this);
    }

    private void createNative() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wanted = ibv_qp_init_attr.allocate(arena).fill((byte) 0);
            ibv_qp_init_attr.send_cq(wanted, sendCompletions.address());
            ibv_qp_init_attr.recv_cq(wanted, receiveCompletions.address());
            ibv_qp_init_attr.qp_type(wanted, Rdma.IBV_QPT_RC());
            MemorySegment limits = ibv_qp_init_attr.cap(wanted);
            ibv_qp_cap.max_send_wr(limits, attributes.sendDepth());
            ibv_qp_cap.max_recv_wr(limits, attributes.receiveDepth());
            ibv_qp_cap.max_send_sge(limits, attributes.sendElements());
            ibv_qp_cap.max_recv_sge(limits, attributes.receiveElements());
            ibv_qp_cap.max_inline_data(limits, attributes.inlineLength());
            Calls.CREATE_CONNECTED_QP.succeed("create a queue pair on " + device.name(), identifier.address(), domain.address(), wanted);
        }
    }

    private static void check(CoreDevice device, QueuePairAttributes attributes) {
        if (!isOf(device, attributes.sendQueue()) || !isOf(device, attributes.receiveQueue())) {
            throw new IllegalArgumentException("a completion queue of the queue pair is not one of device " + device.name());
        }
        atMost("sendDepth", attributes.sendDepth(), device.attributes().maximumWorkRequests());
        atMost("receiveDepth", attributes.receiveDepth(), device.attributes().maximumWorkRequests());
        atMost("sendElements", attributes.sendElements(), device.attributes().maximumScatterGather());
        atMost("receiveElements", attributes.receiveElements(), device.attributes().maximumScatterGather());
        atMost("inlineLength", attributes.inlineLength(), device.attributes().maximumInline());
    }

    private static boolean isOf(CoreDevice device, org.panamaverbs.CompletionQueue queue) {
        return queue instanceof CoreCompletionQueue own && own.device() == device;
    }

    private static void atMost(String name, int value, int most) {
        if (value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; the device's maximum is " + most);
        }
    }

    long tag() {
        return tag;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairAttributes attributes() {
        return attributes;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    public boolean postReceive(long id, MemoryRegion region, long offset, long length) {
        CoreMemoryRegion memory = memory(region, offset, length, Access.LOCAL_WRITE.bit());
        receiveLock.lock();
        try {
            checkOpen();
            if (!receives.ring().hasRoom()) {
                return false;
            }
            int sequence = receives.begin(id);
            receives.element(memory, offset, length);
            return postReceive(sequence);
        } finally {
            receiveLock.unlock();
        }
    }

    @Override
    public boolean postReceive(long id, ScatterGatherList list) {
        checkList(list, attributes.receiveElements(), Access.LOCAL_WRITE.bit());
        receiveLock.lock();
        try {
            checkOpen();
            if (!receives.ring().hasRoom()) {
                return false;
            }
            int sequence = receives.begin(id);
            for (int i = 0; i < list.size(); i++) {
                receives.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i));
            }
            return postReceive(sequence);
        } finally {
            receiveLock.unlock();
        }
    }

    private boolean postReceive(int sequence) {
        receives.publish(sequence);
        if (state == QueuePairState.ERROR) {
            flushIfFinished(receives.ring(), receiveCompletions);
            return true;
        }
        int error = receives.hand(sequence);
        if (error == 0) {
            return true;
        }
        receives.ring().abandon();
        if (error != Libc.ENOMEM()) {
            throw new SystemException("cannot post a receive: ibv_post_recv: " + Errno.describe(error), error);
        }
        return false;
    }

    /** What is posted after the end is flushed at once; what is posted during it, together with all else. */
    private void flushIfFinished(WorkRing ring, CoreCompletionQueue completions) {
        if (end.isFinished()) {
            completions.flush(ring, number);
        }
    }

    @Override
    public boolean postSend(long id, MemoryRegion region, long offset, long length, int flags) {
        return post(Rdma.IBV_WR_SEND(), id, region, offset, length, 0, 0, flags, NO_RIGHT);
    }

    @Override
    public boolean postSend(long id, ScatterGatherList list, int flags) {
        return post(Rdma.IBV_WR_SEND(), id, list, 0, 0, flags);
    }

    @Override
    public boolean postSendInvalidate(long id, ScatterGatherList list, int remoteKey, int flags) {
        if (!device.supports(Capability.SEND_WITH_INVALIDATE)) {
            throw new UnsupportedVerbException("device " + device.name() + " has no Send with Invalidate for regions");
        }
        return post(Rdma.IBV_WR_SEND_WITH_INV(), id, list, 0, remoteKey, flags);
    }

    @Override
    public boolean postWrite(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags) {
        return post(Rdma.IBV_WR_RDMA_WRITE(), id, region, offset, length, remoteAddress, remoteKey, flags, NO_RIGHT);
    }

    @Override
    public boolean postWrite(long id, ScatterGatherList list, long remoteAddress, int remoteKey, int flags) {
        return post(Rdma.IBV_WR_RDMA_WRITE(), id, list, remoteAddress, remoteKey, flags);
    }

    @Override
    public boolean postRead(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags) {
        if (outboundReads == 0) {
            throw new IllegalStateException("the connection was agreed with an ORD of 0: it has no Reads");
        }
        if ((flags & INLINE) != 0) {
            throw new IllegalArgumentException("a Read cannot be INLINE");
        }
        // An iWARP peer answers with what is a Write in all but name (RFC 5040, 5.2.1 and 8.1.3).
        int right = device.isIwarp() ? Access.LOCAL_WRITE.bit() | Access.REMOTE_WRITE.bit() : Access.LOCAL_WRITE.bit();
        return post(Rdma.IBV_WR_RDMA_READ(), id, region, offset, length, remoteAddress, remoteKey, flags, right);
    }

    private boolean post(int opcode, long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags,
            int right) {
        CoreMemoryRegion memory = memory(region, offset, length, right);
        sendLock.lock();
        try {
            checkSend(length, flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            sends.element(memory, offset, length, flags);
            return postSend(sequence, flags);
        } finally {
            sendLock.unlock();
        }
    }

    private boolean post(int opcode, long id, ScatterGatherList list, long remoteAddress, int remoteKey, int flags) {
        checkList(list, attributes.sendElements(), NO_RIGHT);
        sendLock.lock();
        try {
            checkSend(list.totalLength(), flags);
            if (!makeRoom()) {
                return false;
            }
            int sequence = sends.begin(opcode, id, remoteAddress, remoteKey, flags);
            for (int i = 0; i < list.size(); i++) {
                sends.element((CoreMemoryRegion) list.region(i), list.offset(i), list.length(i), flags);
            }
            return postSend(sequence, flags);
        } finally {
            sendLock.unlock();
        }
    }

    /** Whether there is room. Where there is none, requests that are kept start; without such, those are seen that are done unseen. */
    private boolean makeRoom() {
        WorkRing ring = sends.ring();
        if (ring.hasRoom()) {
            return true;
        }
        if (ring.handed() != ring.posted()) {
            hand();
            return false;
        }
        sendCompletions.drainForRoom();
        return ring.hasRoom();
    }

    private boolean postSend(int sequence, int flags) {
        sends.publish(sequence);
        if ((flags & MORE) == 0) {
            hand();
        }
        return true;
    }

    /** Hands what is kept to the device. Under the lock of sends. */
    private void hand() {
        if (state == QueuePairState.READY_TO_SEND) {
            int error = sends.hand();
            if (error != 0) {
                fail(new SystemException("the device refuses requests: ibv_post_send: " + Errno.describe(error), error));
            }
        } else {
            flushIfFinished(sends.ring(), sendCompletions);
        }
    }

    /** What the device had no room for may find some now. */
    void handStalled() {
        if (sends.isStalled()) {
            sendLock.lock();
            try {
                hand();
            } finally {
                sendLock.unlock();
            }
        }
    }

    @Override
    public void ring() {
        sendLock.lock();
        try {
            checkOpen();
            hand();
        } finally {
            sendLock.unlock();
        }
    }

    private CoreMemoryRegion memory(MemoryRegion region, long offset, long length, int right) {
        Objects.requireNonNull(region);
        if (!(region instanceof CoreMemoryRegion own) || own.domain() != domain) {
            throw new IllegalArgumentException("the region is not registered in the queue pair's protection domain");
        }
        Objects.checkFromIndexSize(offset, length, own.length());
        if (!own.isValid()) {
            throw new IllegalStateException("the region, or its arena, is closed, or a peer invalidated it");
        }
        if ((own.access() & right) != right) {
            throw new IllegalArgumentException((right & Access.REMOTE_WRITE.bit()) == 0
                    ? "the region was registered without LOCAL_WRITE, which a receive or Read needs"
                    : "the region was registered without LOCAL_WRITE and REMOTE_WRITE, which a Read on an iWARP device needs");
        }
        return own;
    }

    private void checkList(ScatterGatherList list, int most, int right) {
        if (list.size() > most) {
            throw new IllegalArgumentException("the list has " + list.size() + " elements; the queue pair was made for " + most);
        }
        for (int i = 0; i < list.size(); i++) {
            memory(list.region(i), list.offset(i), list.length(i), right);
        }
    }

    private void checkOpen() {
        if (state == QueuePairState.CLOSED) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    private void checkSend(long length, int flags) {
        checkOpen();
        if (state == QueuePairState.INIT) {
            throw new IllegalStateException("the queue pair is not connected: only receives can be posted yet");
        }
        if (length > device.attributes().maximumMessageSize()) {
            throw new IllegalArgumentException(
                    "a message has at most " + device.attributes().maximumMessageSize() + " bytes, not " + length);
        }
        if ((flags & INLINE) != 0 && length > attributes.inlineLength()) {
            throw new IllegalArgumentException("a request with INLINE has at most " + attributes.inlineLength() + " bytes, not " + length
                    + ": see QueuePairAttributes.withInline");
        }
    }

    /** A completion of one of its requests, which becomes what the program expects; {@code false} where it expects none. */
    boolean onCompletion(long request, MemorySegment memory, long at) {
        boolean isSend = (request & QueuePairs.SEND) != 0;
        WorkRing ring = isSend ? sends.ring() : receives.ring();
        int sequence = (int) request;
        if (!ring.isOutstanding(sequence)) {
            return false;
        }
        int status = memory.get(ValueLayout.JAVA_INT, at + Completions.STATUS);
        boolean wanted = status != 0 || ring.isVisible(sequence);
        if (isLocalError(status) && !ring.hasLiveRegions(sequence, device.regions())) {
            // Drivers have several names for it.
            status = CompletionStatus.LOCAL_PROTECTION_ERROR.value();
            memory.set(ValueLayout.JAVA_INT, at + Completions.STATUS, status);
        }
        memory.set(ValueLayout.JAVA_LONG, at + Completions.ID, ring.id(sequence));
        if (status != 0) {
            onFailure(isSend, status);
        } else if (!isSend && (memory.get(ValueLayout.JAVA_INT, at + Completions.FLAGS) & Completions.WITH_INVALIDATE) != 0) {
            device.regions().onInvalidated(memory.get(ValueLayout.JAVA_INT, at + Completions.IMMEDIATE));
        }
        if (!ring.isDoneInOrder(sequence)) {
            // siw reports what was sent at once, and a Read before it when its answer has come.
            ring.hold(sequence, wanted ? CoreCompletionQueue.copy(memory, at) : null);
            return false;
        }
        ring.retireThrough(sequence);
        if (ring.holds()) {
            release(ring, isSend ? sendCompletions : receiveCompletions);
        }
        return wanted;
    }

    private static void release(WorkRing ring, CoreCompletionQueue completions) {
        int sequence;
        while ((sequence = ring.nextReleasable()) != ring.posted()) {
            completions.addLate(ring.release(sequence));
            ring.retireThrough(sequence);
        }
    }

    private static boolean isLocalError(int status) {
        return status == CompletionStatus.LOCAL_QP_OPERATION_ERROR.value() || status == CompletionStatus.LOCAL_ACCESS_ERROR.value()
                || status == CompletionStatus.GENERAL_ERROR.value();
    }

    private void onFailure(boolean isSend, int status) {
        if (status == CompletionStatus.FLUSHED.value()) {
            flushedSends |= isSend;
        } else if (!end.isOurs()) {
            end.fail(new PeerException("a " + (isSend ? "request" : "receive") + " failed: "
                    + CompletionStatus.of(status).text()
                    + (isLocalError(status) ? ", or the remote end refused its key, address or right" : "")));
            // The completion queue's lock is held: the event reader does the rest.
            device.reader().settleLater(this);
        }
    }

    /** Connects or accepts. */
    void start(Runnable call) {
        checkOpen();
        if (!identifier.whileAlive(call)) {
            throw new IllegalStateException("the queue pair is closed");
        }
    }

    /** The connection is there; by the event reader. */
    void onEstablished() {
        sendLock.lock();
        try {
            if (state == QueuePairState.INIT) {
                state = QueuePairState.READY_TO_SEND;
            }
        } finally {
            sendLock.unlock();
        }
    }

    /** How many Reads of ours the peer serves. */
    void agreedOn(int reads) {
        outboundReads = reads;
    }

    /** Something happened to it; by an event reader, which has not acknowledged yet: destroying waits for this to return. */
    void onAsynchronous(int type) {
        if (type == Rdma.IBV_EVENT_COMM_EST()) {
            identifier.whileAliveAndIdle(() -> Calls.NOTIFY.attempt(identifier.address(), type));
            return;
        }
        if (!end.isOurs()) {
            end.fail(AsynchronousErrors.failure(type));
        }
        device.reader().settleLater(this);
    }

    /** Disconnects because of a failure. */
    void fail(VerbsException reason) {
        end.fail(reason);
        endConnection(false);
    }

    void disconnect() {
        endConnection(true);
    }

    private void endConnection(boolean ours) {
        if (state == QueuePairState.READY_TO_SEND && end.begin(ours)) {
            becomeError();
            identifier.whileAlive(() -> Calls.DISCONNECT.attempt(identifier.address()));
            device.reader().settleLater(this);
        }
    }

    private void becomeError() {
        sendLock.lock();
        receiveLock.lock();
        try {
            if (state != QueuePairState.CLOSED) {
                state = QueuePairState.ERROR;
            }
        } finally {
            receiveLock.unlock();
            sendLock.unlock();
        }
    }

    /** The connection is over; by the event reader. */
    void onDisconnected(int status) {
        if (status < 0 && !end.isOurs()) {
            end.fail(new PeerException("the connection ended: " + Errno.describe(-status)));
        }
        end.begin(false);
        becomeError();
        stopDevice();
        device.reader().settleLater(this);
    }

    /** The device flushes what it has. */
    private void stopDevice() {
        identifier.whileAlive(() -> {
            if (!destroyed) {
                if (!device.isIwarp()) {
                    Calls.DISCONNECT.attempt(identifier.address());
                }
                // On iWARP this alone: disconnecting is closing in good order there, and from that siw does not flush all.
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment change = ibv_qp_attr.allocate(arena).fill((byte) 0);
                    ibv_qp_attr.qp_state(change, Rdma.IBV_QPS_ERR());
                    Calls.MODIFY_QP.attempt(address, change, Rdma.IBV_QP_STATE());
                }
            }
        });
        end.see();
    }

    /** Looks how far the end has come; {@code true} once nothing is outstanding any more. By the event reader, or who closes. */
    boolean settle() {
        if (end.isFinished()) {
            return true;
        }
        if (!end.hasBegun()) {
            endConnection(false);
        }
        if (end.isOverdue()) {
            stopDevice();
        }
        if (!end.isSeen()) {
            return false;
        }
        sendCompletions.drain();
        receiveCompletions.drain();
        boolean isEmpty = sends.ring().isEmpty() && receives.ring().isEmpty();
        if (!end.isSilent(sends.ring().awaitsReport() || !receives.ring().isEmpty(), isEmpty)) {
            return false;
        }
        finish();
        return true;
    }

    private void finish() {
        sendLock.lock();
        receiveLock.lock();
        try {
            if (!end.isOurs() && (flushedSends || sends.ring().awaitsReport())) {
                end.fail(new PeerException("the peer ended the connection with requests of ours unfinished: it refused one (a wrong key, "
                        + "address or right, no receive, one too short), or went away"));
            }
            sendCompletions.flush(sends.ring(), number);
            receiveCompletions.flush(receives.ring(), number);
            end.finish();
        } finally {
            receiveLock.unlock();
            sendLock.unlock();
        }
    }

    boolean isConnected() {
        return !end.isFinished();
    }

    boolean awaitDisconnected(Duration timeout) {
        return end.await(timeout);
    }

    Optional<VerbsException> failure() {
        return end.failure();
    }

    @Override
    public QueuePairStatistics statistics() {
        throw new UnsupportedVerbException("device " + device.name() + " does not count what its queue pairs place");
    }

    @Override
    public void close() {
        if (closing.begin()) {
            try {
                closeOnce();
            } finally {
                closing.end();
            }
        }
    }

    private void closeOnce() {
        identifier.wake("the queue pair was closed");
        end.begin(true);
        sendLock.lock();
        receiveLock.lock();
        try {
            state = QueuePairState.CLOSED;
        } finally {
            receiveLock.unlock();
            sendLock.unlock();
        }
        stopDevice();
        while (!settle()) {
            LockSupport.parkNanos(500_000);
        }
        identifier.whileAlive(() -> {
            destroyed = true;
            Calls.DESTROY_CONNECTED_QP.run(identifier.address());
        });
        LiveObjects.remove(address, this);
        device.queuePairs().remove(this);
        domain.queuePairs().remove(this);
        sendCompletions.detach(this);
        receiveCompletions.detach(this);
        identifier.destroy();
    }
}
