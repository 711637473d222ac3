package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/**
 * A request through the public API, one at a time: posted, carried, completed, polled. Both ends are in this JVM, on one device and so on
 * one event loop, over shared memory and with the default settings: the measurement covers the whole stack without a
 * system call. The thread that polls drives the loop, except in the moments in which the progress thread looks after it.
 */
public class PostPollBenchmark extends Measured {
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Bytes of the message. */
    @Param({ "64", "4096", "64704" })
    public int size;

    private Arena arena;
    private Verbs verbs;
    private CompletionQueue sendQueue;
    private CompletionQueue receiveQueue;
    private MemoryRegion local;
    private MemoryRegion remote;
    private RemoteMemory target;
    private QueuePair active;
    private QueuePair passive;
    private Completions completions;
    private long number;

    /** Connects the two. */
    @Setup
    public void connect() throws Exception {
        arena = Arena.ofShared();
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", "shared-memory").build());
        Device device = verbs.device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        local = domain.register(arena.allocate(size, 4096), Access.LOCAL_WRITE);
        remote = domain.register(arena.allocate(size, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        target = remote.remote();
        sendQueue = device.createCompletionQueue(256);
        receiveQueue = device.createCompletionQueue(256);
        completions = Completions.allocate(16);
        QueuePairAttributes attributes = QueuePairAttributes.of(sendQueue, receiveQueue);
        ConnectionManager manager = ConnectionManager.of(device);
        Listener listener = manager.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        FutureTask<Connection> accepted = new FutureTask<>(() -> {
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            passive = request.createQueuePair(domain, attributes);
            return request.accept(ConnectionParameters.defaults(), LIMIT);
        });
        Thread.ofPlatform().daemon().start(accepted);
        Connector connector = manager.connector(listener.address(), LIMIT);
        active = connector.createQueuePair(domain, attributes);
        connector.connect(ConnectionParameters.defaults(), LIMIT);
        accepted.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Closes all, in the order of verbs. */
    @TearDown
    public void close() {
        verbs.close();
        arena.close();
    }

    /**
     * An RDMA Write: posted, sent, its completion polled. That may come before the peer's end has placed the bytes; that is done in the
     * turns of later operations, and is part of the average, as the connection holds only so much.
     */
    @Benchmark
    public void write() {
        require(active.tryPost(request.write(++number).local(local, 0, size).remote(target, 0).signaled()));
        take(sendQueue);
    }

    /** An RDMA Read: posted, answered by the peer's end, placed, its completion polled; both directions. */
    @Benchmark
    public void read() {
        require(active.tryPost(request.read(++number).local(local, 0, size).remote(target, 0).signaled()));
        take(sendQueue);
    }

    /** A receive and a Send, both posted, and both completions polled: the message has arrived. */
    @Benchmark
    public void send() {
        require(passive.tryPost(receive.receive(++number).local(remote, 0, size)));
        require(active.tryPost(request.send(number).local(local, 0, size).signaled()));
        take(sendQueue);
        take(receiveQueue);
    }

    private static void require(boolean posted) {
        if (!posted) {
            throw new IllegalStateException("the queue is full");
        }
    }

    private void take(CompletionQueue queue) {
        for (long polls = 0; queue.poll(completions) == 0; polls++) {
            if (polls == 1L << 28) {
                throw new IllegalStateException("request " + number + " never completes");
            }
            Thread.onSpinWait();
        }
        if (!completions.next() || !completions.isSuccess() || completions.id() != number) {
            throw new IllegalStateException("request " + number + ": got " + completions.id() + ", " + completions.status());
        }
    }
}
