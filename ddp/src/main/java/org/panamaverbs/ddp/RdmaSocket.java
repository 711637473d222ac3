package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.spi.support.Waits;

/**
 * The RDMA interface of RFC 4296, 2.2.1, over a connected queue pair of any provider. The methods that transfer data wait until the
 * request is complete, and several threads may call them at the same time. It is for programs that want few words; verbs are faster, because
 * a program posts many requests before it waits.
 *
 * <p>The queue pair must have a completion queue of its own for requests, and another one of its own for receives. The socket takes all
 * completions of both. It does not close the queue pair.
 */
public final class RdmaSocket {
    /** How long one thread waits for the completions of all, before another thread may do so. */
    private static final Duration TURN = Duration.ofMillis(10);

    private final QueuePair queuePair;
    private final CompletionQueue requestQueue;
    private final CompletionQueue receiveQueue;
    private final AtomicLong nextId = new AtomicLong();
    private final Map<Long, CompletableFuture<Completion>> requests = new ConcurrentHashMap<>();
    private final Map<Long, Receive> receives = new ConcurrentHashMap<>();
    private final ReentrantLock polling = new ReentrantLock();

    private record Receive(MemoryRegion region, long offset, long length) {
    }

    /**
     * Makes a socket over a queue pair.
     *
     * @param queuePair of a connection, with completion queues as above
     * @throws IllegalArgumentException if both completion queues are the same one
     */
    public RdmaSocket(QueuePair queuePair) {
        this.queuePair = queuePair;
        this.requestQueue = queuePair.attributes().sendQueue();
        this.receiveQueue = queuePair.attributes().receiveQueue();
        if (requestQueue == receiveQueue) {
            throw new IllegalArgumentException("the queue pair has one completion queue for requests and receives: give it two");
        }
    }

    /**
     * Registers memory ({@code rdma_register}). Closing the region is {@code rdma_deregister}.
     *
     * @param memory native memory
     * @param access {@code REMOTE_READ} permits RDMA Reads of the peer, {@code REMOTE_WRITE} RDMA Writes; the local rights are added
     * @return to be closed
     */
    public MemoryRegion register(MemorySegment memory, Access... access) {
        Set<Access> all = EnumSet.of(Access.LOCAL_WRITE, access);
        return queuePair.domain().register(memory, all);
    }

    /**
     * Sends a message to the peer's next posted receive ({@code rdma_send}).
     *
     * @param region  registered memory
     * @param offset  the offset of the first byte
     * @param length  bytes
     * @param timeout how long to wait at most
     * @throws RequestFailedException if the request failed
     * @throws VerbsTimeoutException  if it is not complete in time; it stays posted, and its memory in use
     */
    public void send(MemoryRegion region, long offset, long length, Duration timeout) {
        perform("the Send", id -> queuePair.post(new SendRequest().send(id).local(region, offset, length)), timeout);
    }

    /**
     * Writes to the peer's memory ({@code rdma_write}). The peer's program gets no notification.
     *
     * @param region       registered memory
     * @param offset       the offset of the first byte
     * @param length       bytes
     * @param remote       the peer's memory
     * @param remoteOffset the offset in it of the first byte
     * @param timeout      how long to wait at most
     */
    public void write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, Duration timeout) {
        perform("the Write", id -> queuePair.post(new SendRequest().write(id).local(region, offset, length).remote(remote, remoteOffset)),
                timeout);
    }

    /**
     * Writes to the peer's memory, and notifies the peer's program. The notification takes a posted receive of the peer.
     *
     * @param region       registered memory
     * @param offset       the offset of the first byte
     * @param length       bytes
     * @param remote       the peer's memory
     * @param remoteOffset the offset in it of the first byte
     * @param writeId      for {@link RdmaIndication#writeId()}
     * @param timeout      how long to wait at most
     * @throws UnsupportedVerbException if the device has no Writes with immediate data
     */
    public void write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int writeId,
            Duration timeout) {
        perform("the Write",
                id -> queuePair
                        .post(new SendRequest().write(id).local(region, offset, length).remote(remote, remoteOffset).immediate(writeId)),
                timeout);
    }

    /**
     * Reads from the peer's memory ({@code rdma_read}).
     *
     * @param region       registered memory that receives the bytes
     * @param offset       the offset of the first byte
     * @param length       bytes
     * @param remote       the peer's memory
     * @param remoteOffset the offset in it of the first byte
     * @param timeout      how long to wait at most
     */
    public void read(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, Duration timeout) {
        perform("the Read", id -> queuePair.post(new SendRequest().read(id).local(region, offset, length).remote(remote, remoteOffset)),
                timeout);
    }

    private void perform(String request, LongConsumer post, Duration timeout) {
        long nanos = Waits.nanos(timeout);
        long begin = System.nanoTime();
        long id = nextId.getAndIncrement();
        CompletableFuture<Completion> done = new CompletableFuture<>();
        requests.put(id, done);
        boolean posted = false;
        try {
            post.accept(id);
            posted = true;
        } finally {
            if (!posted) {
                requests.remove(id);
            }
        }
        while (!done.isDone()) {
            if (System.nanoTime() - begin > nanos) {
                throw Waits.timedOut(request + " did not complete", timeout);
            }
            awaitCompletion(done);
        }
        done.join().orThrow();
    }

    /** Waits for a while: takes completions for all threads, or lets another thread do that. */
    private void awaitCompletion(CompletableFuture<Completion> own) {
        if (!polling.tryLock()) {
            try {
                own.get(1, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                // The caller looks again.
            } catch (InterruptedException e) {
                throw Waits.interrupted(e);
            }
            return;
        }
        try {
            if (!own.isDone()) {
                Completion completion = requestQueue.take(TURN);
                requests.remove(completion.id()).complete(completion);
            }
        } catch (VerbsTimeoutException e) {
            // The caller looks at its own limit.
        } finally {
            polling.unlock();
        }
    }

    /**
     * Posts a part of a region for one Send of the peer ({@code rdma_post_recv}).
     *
     * @param region registered memory
     * @param offset the offset in it
     * @param length bytes
     */
    public void postReceive(MemoryRegion region, long offset, long length) {
        long id = nextId.getAndIncrement();
        receives.put(id, new Receive(Objects.requireNonNull(region), offset, length));
        boolean posted = false;
        try {
            queuePair.post(new ReceiveRequest().receive(id).local(region, offset, length));
            posted = true;
        } finally {
            if (!posted) {
                receives.remove(id);
            }
        }
    }

    /**
     * Waits for the next Send, or Write with a notification ({@code rdma_recv}).
     *
     * @param timeout how long to wait at most
     * @return the indication
     * @throws VerbsTimeoutException  if none came in time
     * @throws RequestFailedException if a receive failed, for example because the connection has ended
     * @throws VerbsException         for the other reasons of {@link CompletionQueue#take}
     */
    public RdmaIndication receive(Duration timeout) {
        Completion completion = receiveQueue.take(timeout);
        Receive receive = receives.remove(completion.id());
        completion.orThrow();
        boolean written = completion.opcode() == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE;
        return new RdmaIndication(written ? RdmaIndication.Kind.WRITE : RdmaIndication.Kind.MESSAGE, receive.region(), receive.offset(),
                completion.byteLength(), written ? completion.immediate() : 0);
    }

    /**
     * The longest messages that the device takes ({@code rdma_max_msizes}).
     *
     * @return never changes
     */
    public MessageSizes maximumSizes() {
        long most = queuePair.domain().device().attributes().maximumMessageSize();
        return new MessageSizes(most, most);
    }
}
