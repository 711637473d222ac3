package org.panamaverbs.softiwarp;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.qp.Counters;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.AbstractQueuePair;
import org.panamaverbs.spi.AsynchronousEventHub;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.spi.SendWorkRequest.Part;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Workers;
import org.panamaverbs.statistics.QueuePairStatistics;

/** A queue pair: writes requests, which are checked, into the rings, and kicks the driver. */
// Tested by PostingContract, SendReceiveContract, EndsTest.
final class SoftQueuePair extends AbstractQueuePair {
    private static final Counters NOTHING = new Counters();

    private final SoftProtectionDomain domain;
    private final EventLoop loop;
    private final int number;
    private final SendQueue sends;
    /** Of the stream and of inline requests: goes back when the connection is over, or with a queue pair that has none. */
    private final OwnedMemory memory = new OwnedMemory();
    private final Receives receives;
    /** The shared receive queue, or {@code null} if the queue pair has its own. */
    private final SoftSharedReceiveQueue shared;
    private final SoftReceivePosting posting;
    private final SoftCompletionQueue sendCompletions;
    private final OwnedWindows windows = new OwnedWindows();
    private final SoftCompletionQueue receiveCompletions;

    /** Set when the queue pair is connected; the driver is written last. */
    private Stream stream;
    private int outboundReads;
    private SoftConnection connection;
    private volatile StreamDriver driver;
    private volatile boolean closed;
    /** The opening of the connection that a thread waits for, or {@code null}. */
    private volatile Opening<SoftConnection> opening;
    /** {@code null} until a recording wants slow requests. */
    private volatile RequestTimes times;

    SoftQueuePair(SoftProtectionDomain domain, QueuePairAttributes attributes) {
        super(domain, check(domain, attributes));
        this.domain = domain;
        this.number = domain.device().nextQueuePairNumber();
        this.sendCompletions = (SoftCompletionQueue) attributes.sendQueue();
        this.receiveCompletions = (SoftCompletionQueue) attributes.receiveQueue();
        this.loop = domain.device().loopOf(receiveCompletions, sendCompletions);
        Origin origin = new Origin(number, attributes.attachment());
        try (Rollback undo = new Rollback()) {
            AbstractCompletionQueue.admit(attributes);
            undo.add(() -> AbstractCompletionQueue.release(attributes));
            // Allocates only when a request is posted inline.
            this.sends = new SendQueue(attributes.sendDepth(), attributes.sendElements(), attributes.inlineLength(), memory,
                    attributes.signalAll(), sendCompletions.ring(), origin);
            this.shared = (SoftSharedReceiveQueue) attributes.sharedReceiveQueue();
            if (shared == null) {
                ReceiveRing own = new ReceiveRing(attributes.receiveDepth(), attributes.receiveElements(), receiveCompletions.ring(),
                        origin);
                this.receives = own;
                this.posting = new SoftReceivePosting(own);
            } else {
                this.receives = shared.attach(this, receiveCompletions.ring(), origin);
                this.posting = null;
            }
            domain.queuePairs().add(this);
            undo.add(() -> domain.queuePairs().remove(this));
            sendCompletions.attach(this);
            receiveCompletions.attach(this);
            undo.commit();
        }
    }

    private static QueuePairAttributes check(SoftProtectionDomain domain, QueuePairAttributes attributes) {
        ObjectChecks.queuePair(domain.device(), domain, attributes);
        return attributes;
    }

    /** Waits until an opening has connected the queue pair; {@link #close} aborts it. */
    SoftConnection await(Opening<SoftConnection> begun, Duration timeout) {
        begin(begun);
        try {
            return begun.await(timeout);
        } finally {
            opening = null;
        }
    }

    private void begin(Opening<SoftConnection> begun) {
        opening = begun;
        if (closed) {
            begun.abort();
        }
    }

    /**
     * The asynchronous twin of {@link #await}: no thread waits. When the opening is over, or its time is up, a worker completes the stage.
     *
     * @param onConnected called before the stage has the connection
     * @param onFailed    called before the stage has the failure
     */
    void whenOver(Opening<SoftConnection> begun, Duration timeout, CompletableFuture<Connection> stage, Runnable onConnected,
            Runnable onFailed) {
        begun.whenOver(new Workers.Task(() -> {
            SoftConnection connection;
            try {
                connection = conclude(begun, timeout);
                onConnected.run();
            } catch (RuntimeException | Error e) {
                onFailed.run();
                stage.completeExceptionally(e);
                return;
            }
            stage.complete(connection);
        }), loop, timeout);
        begin(begun);
    }

    /** As {@link #await}, once the opening is over or its time is up. */
    private SoftConnection conclude(Opening<SoftConnection> begun, Duration timeout) {
        try {
            return begun.conclude(timeout);
        } finally {
            opening = null;
        }
    }

    /** The loop that drives the connection. */
    EventLoop loop() {
        return loop;
    }

    /** Connects the queue pair, whose loop has opened the connection. Only the loop's leader calls it. */
    void attach(Opening<?> opened, Agreement agreement, SoftConnection established) {
        Settings settings = domain.device().settings();
        boolean markers = agreement.markers();
        StreamOptions options = new StreamOptions(agreement.crc(), markers, settings.mulpdu(opened.channel().segmentSize(), markers),
                settings.verifyBeforePlace(), attributes().sendElements(), settings.extensions());
        StreamResources resources = new StreamResources(domain.device().table(), domain, this, sends, receives,
                new InboundReads(agreement.ird()), new OutboundReads(agreement.ord()));
        StreamDriver connected;
        // Either close() finds the driver, or this finds the queue pair closed.
        synchronized (this) {
            checkOpen();
            outboundReads = agreement.ord();
            stream = new Stream(resources, options, memory, domain.device().buffers());
            connected = new StreamDriver(loop, opened.channel(), stream, established);
            connected.whenClosed(opened.whenClosed());
            connected.whenUnused(() -> sends.end(memory::close));
            if (settings.followsSegments(markers)) {
                connected.followSegments(size -> settings.mulpdu(size, markers));
            }
            stream.connect(!opened.isInitiator(), agreement.ready());
            opened.directTo(connected);
            established.isDrivenBy(connected);
            connection = established;
            driver = connected;
        }
        domain.device().counters().onEstablished(established, opened.isInitiator(), agreement.crc());
        connected.start();
    }

    @Override
    public SoftProtectionDomain domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        if (closed) {
            return QueuePairState.CLOSED;
        }
        if (driver == null) {
            return QueuePairState.INIT;
        }
        return stream.state() == StreamState.RTS ? QueuePairState.READY_TO_SEND : QueuePairState.ERROR;
    }

    @Override
    public QueriedAttributes query() {
        checkOpen();
        if (driver == null) {
            return SoftQueriedAttributes.of(QueuePairState.INIT, attributes(), OptionalInt.empty(), OptionalInt.empty());
        }
        return SoftQueriedAttributes.of(state(), attributes(), OptionalInt.of(connection.inboundReads()),
                OptionalInt.of(connection.outboundReads()));
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return driver != null && type.isInstance(connection) ? Optional.of(type.cast(connection)) : Optional.empty();
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    private void checkConnected() {
        checkOpen();
        if (driver == null) {
            throw new IllegalStateException("the queue pair is not connected: only receives can be posted yet");
        }
    }

    @Override
    protected boolean submitReceive(ReceiveWorkRequest request) {
        checkOpen();
        return posting.post(request) && receivePosted();
    }

    private boolean receivePosted() {
        // The stream flushes receives after its state has changed; we check the state after posting. So one of the two sees the other.
        VarHandle.fullFence();
        if (driver != null && stream.state() != StreamState.RTS) {
            driver.flushLate();
        }
        return true;
    }

    @Override
    protected int outboundReads() {
        return driver == null ? -1 : outboundReads;
    }

    @Override
    protected boolean submit(SendWorkRequest request) {
        checkConnected();
        if (request.operation() == SendOperation.BIND) {
            checkWindow((SoftMemoryWindow) request.window());
        }
        long sequence = claim(request.id());
        if (sequence < 0) {
            return false;
        }
        describe(sequence, request);
        return sendPosted(sequence, request.flags());
    }

    private void checkWindow(SoftMemoryWindow bound) {
        if (bound.isClosed()) {
            throw new ClosedException("the memory window is closed");
        }
        if (bound.window().isOfOneStream()) {
            windows.own(bound.window());
        }
    }

    /** Claims a slot of the send queue; a negative number if it is full, and then the requests start that wait for a doorbell. */
    private long claim(long id) {
        if (times == null && Recorder.get().isTimingOperations()) {
            // Before the slot is claimed: if memory runs out here, nothing is posted, and no lock is held.
            times = new RequestTimes(sends.slotCount(), number, driver.remoteAddress());
        }
        long sequence = sends.claim(id);
        if (sequence < 0) {
            ringDoorbell();
        }
        return sequence;
    }

    private void describe(long sequence, SendWorkRequest request) {
        switch (request.operation()) {
            case SEND -> message(sequence, Operation.SEND, request, 0);
            case SEND_WITH_IMMEDIATE -> throw new AssertionError("the device lacks the capability, so the request was refused before");
            case SEND_WITH_INVALIDATE -> message(sequence, Operation.SEND, request, SendQueue.INVALIDATE);
            case WRITE -> message(sequence, Operation.WRITE, request, 0);
            case WRITE_WITH_IMMEDIATE -> {
                message(sequence, Operation.WRITE_IMMEDIATE, request, 0);
                // 32 bits come first, and zeros fill the 8 bytes (RFC 7306 does not say; the driver of Chelsio's adapters does the same).
                sends.immediate(sequence, (long) request.immediate() << Integer.SIZE);
            }
            case READ -> message(sequence, Operation.READ, request, 0);
            case IMMEDIATE_MESSAGE -> {
                message(sequence, Operation.IMMEDIATE, request, 0);
                sends.immediate(sequence, request.value(Part.DATA));
            }
            case COMPARE_AND_SWAP -> {
                message(sequence, Operation.COMPARE_AND_SWAP, request, 0);
                sends.operands(sequence, request.value(Part.SWAP), request.valueOr(Part.SWAP_MASK, AtomicRequest.ALL),
                        request.value(Part.COMPARE), request.valueOr(Part.COMPARE_MASK, AtomicRequest.ALL));
            }
            case FETCH_AND_ADD -> {
                message(sequence, Operation.FETCH_AND_ADD, request, 0);
                sends.operands(sequence, request.value(Part.ADD), request.valueOr(Part.BOUNDARIES, 0), AtomicRequest.NO_DATA,
                        AtomicRequest.ALL);
            }
            case BIND -> sends.bind(sequence, ((SoftMemoryWindow) request.window()).window(), memory(request, 0), request.offset(0),
                    request.length(0), (int) request.valueOr(Part.ACCESS, 0), request.flags());
            case LOCAL_INVALIDATE -> message(sequence, Operation.LOCAL_INVALIDATE, request, 0);
        }
    }

    private void message(long sequence, Operation operation, SendWorkRequest request, int more) {
        int flags = request.flags() | more;
        sends.describe(sequence, operation, request.totalLength(), request.remoteAddress(), request.remoteKey(), flags);
        if ((flags & SendWorkRequest.INLINE) != 0) {
            copyInline(sequence, request);
            return;
        }
        int elements = request.elements();
        for (int i = 0; i < elements; i++) {
            sends.element(sequence, memory(request, i), request.offset(i), request.length(i));
        }
    }

    private static RegisteredMemory memory(SendWorkRequest request, int index) {
        return ((SoftMemoryRegion) request.region(index)).memory();
    }

    private void copyInline(long sequence, SendWorkRequest request) {
        long at = 0;
        for (int i = 0; i < request.elements(); i++) {
            if (!copyInline(sequence, memory(request, i), request.offset(i), at, request.length(i))) {
                throw gone();
            }
            at += request.length(i);
        }
    }

    private boolean copyInline(long sequence, RegisteredMemory memory, long offset, long at, long length) {
        if (!memory.enter()) {
            return false;
        }
        try {
            sends.copyInline(sequence, memory.segment(), offset, at, length);
            memory.endCopy();
            return true;
        } catch (IllegalStateException | InternalError e) {
            return false;
        } finally {
            memory.exit();
        }
    }

    /** A region was closed while a request was posted on it: gives the claimed slot back. */
    private IllegalStateException gone() {
        sends.abandon();
        return new IllegalStateException("the region, or its arena, was closed while a request was posted on it");
    }

    private boolean sendPosted(long sequence, int flags) {
        RequestTimes listener = times;
        if (listener != null && Recorder.get().isTimingOperations()) {
            sends.listen(listener);
            listener.onPosted(sequence);
        }
        sends.publish(sequence);
        if ((flags & SendWorkRequest.MORE) == 0) {
            driver.kick();
        }
        return true;
    }

    @Override
    public int sendRoom() {
        return sends.room();
    }

    @Override
    public void ringDoorbell() {
        checkOpen();
        sends.ringDoorbell();
        StreamDriver connected = driver;
        if (connected != null) {
            connected.kick();
        }
    }

    /** The counters of the connection, if there is one. */
    Counters counters() {
        return driver == null ? NOTHING : stream.counters();
    }

    /** The connection has ended. Any thread may call it. */
    void onEnded(EndReason reason) {
        AsynchronousEventHub events = domain.device().events();
        EndTable.event(reason).ifPresent(type -> events.publish(new AsynchronousEvent(type, this, 0)));
        if (shared != null) {
            events.publish(new AsynchronousEvent(AsynchronousEvent.Type.LAST_RECEIVE_REACHED, this, 0));
        }
    }

    @Override
    public String toString() {
        return "queue pair " + number + " of " + domain.device().name();
    }

    @Override
    public QueuePairStatistics statistics() {
        return SoftStatistics.of(sends, receives, driver == null ? null : stream);
    }

    /** Each step changes nothing if it was taken before: so a close can be tried again if it failed. */
    @Override
    public void close() {
        StreamDriver connected;
        synchronized (this) {
            closed = true;
            connected = driver;
        }
        Opening<SoftConnection> begun = opening;
        if (begun != null) {
            begun.abort();
        }
        if (connected != null) {
            connected.close();
        } else {
            loop.call(receives::flush);
            memory.close();
        }
        windows.release(this);
        if (shared != null) {
            shared.detach(this);
        }
        sendCompletions.detach(this);
        receiveCompletions.detach(this);
        if (domain.queuePairs().remove(this)) {
            AbstractCompletionQueue.release(attributes());
        }
    }
}
