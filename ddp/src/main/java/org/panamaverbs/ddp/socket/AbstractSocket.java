package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.ddp.PlacementListener;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.ddp.buffers.Buffer;
import org.panamaverbs.ddp.buffers.Buffers;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.buffers.Indications;
import org.panamaverbs.ddp.buffers.PostedReceives;
import org.panamaverbs.ddp.buffers.SinkMemory;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.spi.support.Waits;

/** The half of a socket that all transports share: registrations, posted receives, and indications with the waits for them. */
// Tested by TcpSocketTest, DatagramSocketTest.
abstract class AbstractSocket implements DdpSocket, SendTurn.Sender {
    private final SoftDdpContext context;
    /** All native memory of the socket. */
    private final Arena memory;
    private final SoftDdpGroup group;
    private final DdpTransport transport;
    private final DdpOptions options;
    private final EventLoop loop;
    private final EventLoop[] loops;
    private final Buffers buffers;
    private final PostedReceives[] receives;
    private final Indications indications;
    private final Client client;
    private final WaitPoint arrivals = new WaitPoint();
    private final BooleanSupplier arrived = this::hasArrived;
    /** How many indications waiting threads were told of; only the loop's leader uses it. */
    private long announced;
    private volatile boolean started;
    /** Whether receiving stopped because too many indications wait. */
    private volatile boolean paused;
    private volatile boolean closed;
    /** Whether the group is the socket's own, and ends with it. */
    private boolean endsGroup;

    /** @param memory ends with the socket ({@link #releaseMemory}) */
    AbstractSocket(SoftDdpGroup group, DdpTransport transport, DdpOptions options, EventLoop loop, Client.Protocol protocol, Arena memory) {
        this.context = group.context();
        this.memory = memory;
        this.group = group;
        this.transport = transport;
        this.options = options;
        this.loop = loop;
        this.loops = new EventLoop[] { loop };
        this.buffers = context.newBuffers();
        this.receives = new PostedReceives[transport.isStream() ? options.queues() : 1];
        for (int i = 0; i < receives.length; i++) {
            receives[i] = new PostedReceives(options.receives());
        }
        this.indications = new Indications(options.indications());
        this.client = new Client(protocol, buffers, group.buffers(), receives, group.receives(), indications,
                new SinkMemory(size -> memory.allocate(size, 64)));
    }

    final SoftDdpContext context() {
        return context;
    }

    final SoftDdpGroup group() {
        return group;
    }

    final DdpOptions options() {
        return options;
    }

    final EventLoop loop() {
        return loop;
    }

    @Override
    public final EventLoop[] loops() {
        return loops;
    }

    final Client client() {
        return client;
    }

    final Indications indications() {
        return indications;
    }

    /** Starts to receive. Called once, by any thread. */
    abstract void onStart();

    /** Receiving may go on after {@link #pauses} has said that it must stop. Only the loop's leader calls it. */
    abstract void onResume();

    /** Releases what the transport has. Called once, by any thread. */
    abstract void onClose();

    // Receiving.

    /** Whether the program has used the socket for receiving. */
    final boolean isStarted() {
        return started;
    }

    /** Begins to receive at the first use for receiving: before that a program may still register what a peer knows already. */
    final void start() {
        if (!started) {
            synchronized (this) {
                if (started) {
                    return;
                }
                started = true;
            }
            onStart();
        }
    }

    /** Whether receiving must stop because too many indications wait; then {@link #onResume} follows. Only the loop's leader calls it. */
    final boolean pauses() {
        if (!indications.isFull()) {
            return false;
        }
        paused = true;
        // A program that took some in between has not seen the flag.
        if (indications.isFull()) {
            return true;
        }
        paused = false;
        return false;
    }

    /** Wakes threads that wait, if there are new indications or the stream has ended. Only the loop's leader calls it. */
    final void announce() {
        long count = indications.announced();
        if (count != announced) {
            announced = count;
            arrivals.signal();
        }
    }

    /** Wakes all threads that wait. */
    final void wakeReceivers() {
        arrivals.signal();
    }

    private boolean hasArrived() {
        return closed || indications.isReady();
    }

    @Override
    public final Indication newIndication() {
        return new ReceivedIndication();
    }

    private static ReceivedIndication own(Indication into) {
        if (Objects.requireNonNull(into) instanceof ReceivedIndication own) {
            return own;
        }
        throw new IllegalArgumentException("the indication is of another kind: make it by newIndication()");
    }

    @Override
    public final boolean receive(Indication into, Duration timeout) {
        ReceivedIndication own = own(into);
        long nanos = Waits.nanos(timeout);
        long begin = System.nanoTime();
        start();
        while (true) {
            if (take(own)) {
                return true;
            }
            long left = nanos - (System.nanoTime() - begin);
            if (left <= 0 && nanos > 0 || !arrivals.await(loops, arrived, Math.max(0, left))) {
                return take(own);
            }
        }
    }

    @Override
    public final boolean poll(Indication into) {
        ReceivedIndication own = own(into);
        start();
        if (take(own)) {
            return true;
        }
        loop.drive();
        return take(own);
    }

    private boolean take(ReceivedIndication into) {
        checkOpen();
        if (!indications.take(into)) {
            if (indications.isOver()) {
                throw new ClosedException(describe() + " has ended, and its last indication was taken: nothing follows");
            }
            return false;
        }
        if (paused && !indications.isFull()) {
            paused = false;
            loop.execute(this::onResume);
        }
        return true;
    }

    // Buffers and posted receives.

    @Override
    public final RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes) {
        return register(memory, attributes, null);
    }

    @Override
    public final RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener) {
        checkOpen();
        Buffer buffer = Registrations.register(buffers, memory, attributes, listener);
        start();
        return buffer;
    }

    @Override
    public final RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes) {
        checkOpen();
        Buffer registered = buffers.register(Objects.requireNonNull(buffer), Objects.requireNonNull(attributes));
        start();
        return registered;
    }

    @Override
    public final boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length) {
        return tryPostReceive(buffer, offset, length, 0);
    }

    /** As {@link DdpSocket#tryPostReceive}, for a queue of a stream. */
    public final boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length, int queue) {
        checkOpen();
        Objects.checkIndex(queue, receives.length);
        boolean posted = receives[queue].post(Registrations.forReceive(buffer, offset, length, buffers, group.buffers()), offset, length);
        start();
        return posted;
    }

    @Override
    public final void postReceive(RegisteredBuffer buffer) {
        if (!tryPostReceive(buffer, 0, buffer.size())) {
            throw new ResourceException(describe() + " has " + options.receives()
                    + " posted receives, its maximum: take indications first, or open it with more (DdpOptions.withReceives)");
        }
    }

    // Sending: the checks that all transports share.

    static void checkMessage(MemorySegment message, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, message.byteSize());
        Registrations.requireNative(message);
    }

    /** Refuses a tagged message that has no effect, or that must not be split and does not fit. */
    static void checkTagged(long length, int flags, long longest) {
        if ((flags & ~(NOTIFY | ATOMIC)) != 0) {
            throw new IllegalArgumentException("flags are NOTIFY and ATOMIC, not " + flags);
        }
        if (length == 0 && (flags & NOTIFY) == 0) {
            throw new IllegalArgumentException("a tagged message without a byte and without a notification has no effect: send neither");
        }
        if ((flags & ATOMIC) != 0 && length > longest) {
            throw new IllegalArgumentException("the message has " + length + " bytes, and one message of the transport carries " + longest
                    + ": send it without ATOMIC, or in parts");
        }
    }

    final void checkUntagged(long length, long longest) {
        if (length > longest) {
            throw new IllegalArgumentException("an untagged message over " + transport + " has at most " + longest + " bytes, not " + length
                    + ": send it in parts, or tagged");
        }
    }

    final void checkTagged(long length, long longest) {
        if (length > longest) {
            throw new IllegalArgumentException(
                    "a tagged message over " + transport + " has at most " + longest + " bytes, not " + length + ": send it in parts");
        }
    }

    static void checkIdentifier(int flags, int messageId, int most) {
        if ((flags & NOTIFY) != 0 && (messageId < 0 || messageId > most)) {
            throw new IllegalArgumentException("a message identifier is 0 to " + most + " on this transport, not " + messageId);
        }
    }

    // The end.

    /**
     * Gives the native memory back, and a receive that is the group's: the socket is closed, and no thread sends. Only the loop's leader
     * calls it, as its last step.
     */
    final void releaseMemory() {
        // Later: the program may have closed the socket from its own code, within a turn that receives.
        loop.execute(() -> {
            if (memory.scope().isAlive()) {
                client.end();
                memory.close();
            }
        });
    }

    final boolean isClosed() {
        return closed;
    }

    final void checkOpen() {
        if (closed) {
            throw new ClosedException(describe() + " is closed");
        }
    }

    @Override
    public final DdpTransport transport() {
        return transport;
    }

    /** The group is the socket's own: it ends with the socket. */
    final void endGroup() {
        boolean over;
        synchronized (this) {
            endsGroup = true;
            over = closed;
        }
        if (over) {
            group.close();
        }
    }

    @Override
    public final void close() {
        boolean last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = endsGroup;
        }
        arrivals.signal();
        buffers.close();
        onClose();
        group.children().remove(this);
        if (last) {
            group.close();
        }
    }
}
