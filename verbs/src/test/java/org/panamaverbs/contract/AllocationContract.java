package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.Access;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.device.AddressVector;

/** In a steady state nothing is allocated: not by posting and polling, nor by the threads behind them. */
@Timeout(300) // beyond what the compiler is given
public abstract class AllocationContract extends ContractTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** How long the compiler is given, whatever the number of tries. */
    private static final Duration COMPILING = Duration.ofSeconds(60);
    private static final int WARM_UP = rounds(15_000);
    private static final int MEASURED = rounds(20_000);

    /** One for all requests of a test, as programs have it. */
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    /** One operation and its completion. */
    private interface Step {
        void run(int i);
    }

    @Test
    void shouldAllocateNothingPerWrite() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion local = client.region(256);
        MemoryRegion target = server.region(256);
        RemoteMemory remote = target.remote();
        Completions cursor = Completions.allocate(16);
        measure(i -> {
            post(queuePair.tryPost(request.write(i).local(local, 0, 256).remote(remote, 0).signaled()));
            take(link.client().sendQueue, cursor, i);
        });
    }

    @Test
    void shouldAllocateNothingPerInlineWrite() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        assumeAtLeast(queuePair.attributes().inlineLength(), 16, "inlineLength");
        MemoryRegion local = client.region(16);
        MemoryRegion target = server.region(16);
        RemoteMemory remote = target.remote();
        Completions cursor = Completions.allocate(16);
        measure(i -> {
            post(queuePair.tryPost(request.write(i).local(local, 0, 16).remote(remote, 0).signaled().inline()));
            take(link.client().sendQueue, cursor, i);
        });
    }

    @Test
    void shouldAllocateNothingPerRead() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion local = client.region(256);
        MemoryRegion source = server.region(256);
        RemoteMemory remote = source.remote();
        Completions cursor = Completions.allocate(16);
        measure(i -> {
            post(queuePair.tryPost(request.read(i).local(local, 0, 256).remote(remote, 0).signaled()));
            take(link.client().sendQueue, cursor, i);
        });
    }

    @Test
    void shouldAllocateNothingPerSendAndReceive() {
        Link link = connect();
        QueuePair sender = link.client().queuePair;
        QueuePair receiver = link.server().queuePair;
        MemoryRegion from = client.region(256);
        MemoryRegion to = server.region(256);
        ScatterGatherList list = new ScatterGatherList(1);
        Completions sent = Completions.allocate(16);
        Completions received = Completions.allocate(16);
        measure(i -> {
            post(receiver.tryPost(receive.receive(i).local(list.clear().add(to, 0, 256))));
            post(sender.tryPost(request.send(i).local(list.clear().add(from, 0, 256)).signaled()));
            take(link.client().sendQueue, sent, i);
            take(link.server().receiveQueue, received, i);
        });
    }

    @Test
    void shouldAllocateNothingPerMessageWithImmediateData() {
        assumeSupports(client.device, Capability.WRITE_WITH_IMMEDIATE);
        assumeSupports(server.device, Capability.WRITE_WITH_IMMEDIATE);
        boolean sends = client.device.supports(Capability.IMMEDIATE_DATA) && server.device.supports(Capability.IMMEDIATE_DATA);
        Link link = connect();
        QueuePair sender = link.client().queuePair;
        QueuePair receiver = link.server().queuePair;
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        RemoteMemory remote = to.remote();
        ScatterGatherList list = new ScatterGatherList(1).add(from, 0, 64);
        Completions sent = Completions.allocate(16);
        Completions received = Completions.allocate(16);
        measure(i -> {
            post(receiver.tryPost(receive.receive(i).local(to, 0, 64)));
            post(sends && i % 2 == 0 ? sender.tryPost(request.send(i).local(list).immediate(i).signaled())
                    : sender.tryPost(request.write(i).local(from, 0, 64).remote(remote, 0).immediate(i).signaled()));
            take(link.client().sendQueue, sent, i);
            take(link.server().receiveQueue, received, i);
            if (received.immediate() != i) {
                fail("immediate data of receive " + i + ": " + received.immediate());
            }
        });
    }

    @Test
    void shouldAllocateNothingPerAtomic() {
        assumeSupports(client.device, Capability.ATOMIC);
        assumeSupports(server.device, Capability.ATOMIC);
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion local = client.region(8);
        MemoryRegion target = server.region(8);
        RemoteMemory remote = target.remote();
        Completions cursor = Completions.allocate(16);
        measure(i -> {
            post(i % 2 == 0 ? queuePair.tryPost(request.fetchAndAdd(i).add(1).local(local, 0, 8).remote(remote, 0).signaled())
                    : queuePair.tryPost(request.compareAndSwap(i).compare(1).swap(2).local(local, 0, 8).remote(remote, 0).signaled()));
            take(link.client().sendQueue, cursor, i);
        });
    }

    @Test
    void shouldAllocateNothingPerImmediateDataMessage() {
        assumeSupports(client.device, Capability.IMMEDIATE_MESSAGE);
        assumeSupports(server.device, Capability.IMMEDIATE_MESSAGE);
        Link link = connect();
        QueuePair sender = link.client().queuePair;
        QueuePair receiver = link.server().queuePair;
        MemoryRegion to = server.region(64);
        Completions sent = Completions.allocate(16);
        Completions received = Completions.allocate(16);
        measure(i -> {
            post(receiver.tryPost(receive.receive(i).local(to, 0, 64)));
            post(sender.tryPost(request.immediateMessage(i).data(i).signaled()));
            take(link.client().sendQueue, sent, i);
            take(link.server().receiveQueue, received, i);
        });
    }

    @Test
    void shouldAllocateNothingPerBinding() {
        assumeSupports(client.device, Capability.MEMORY_WINDOW_TYPE_2);
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(64);
        MemoryWindow window = client.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
        Completions cursor = Completions.allocate(16);
        Set<Access> rights = Set.of(Access.REMOTE_READ);
        measure(i -> {
            post(queuePair.tryPost(request.bind(i, window).local(region, 0, 64).access(rights)));
            post(queuePair.tryPost(request.localInvalidate(i, window.remoteKey()).signaled()));
            take(link.client().sendQueue, cursor, i);
        });
    }

    @Test
    void shouldAllocateNothingPerSharedReceive() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        SharedReceiveQueue shared = server.domain.createSharedReceiveQueue(16, 1);
        Link link = dialer().serverAttributes(attributes -> attributes.withSharedReceiveQueue(shared)).connect();
        QueuePair sender = link.client().queuePair;
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        Completions sent = Completions.allocate(16);
        Completions received = Completions.allocate(16);
        measure(i -> {
            post(shared.tryPost(receive.receive(i).local(to, 0, 64)));
            post(sender.tryPost(request.send(i).local(from, 0, 64).signaled()));
            take(link.client().sendQueue, sent, i);
            take(link.server().receiveQueue, received, i);
        });
    }

    @Test
    void shouldAllocateNothingPerDatagram() {
        assumeSupports(client.device, Capability.DATAGRAM);
        CompletionQueue sends = client.queue(16);
        CompletionQueue receives = client.queue(16);
        DatagramQueuePair pair = client.domain.createDatagramQueuePair(QueuePairAttributes.of(sends, receives).withInline(0), 1, 7);
        AddressHandle way = client.domain.createAddressHandle(
                AddressVector.to(1, client.sourceIndex(), client.device.ports().getFirst().identifiers().get(client.sourceIndex())));
        ScatterGatherList from = new ScatterGatherList(1).add(client.region(64), 0, 64);
        MemoryRegion to = client.region(DatagramQueuePair.HEADER_LENGTH + 64);
        Completions sent = Completions.allocate(16);
        Completions received = Completions.allocate(16);
        measure(i -> {
            post(pair.tryPost(receive.receive(i).local(to, 0, to.length())));
            post(pair.tryPost(request.send(i).local(from).to(way, pair.number()).queueKey(7).signaled()));
            take(sends, sent, i);
            take(receives, received, i);
        });
    }

    /**
     * Counts what this thread allocates, and then what all threads do; the best of several tries: others allocate too, and so does the JDK
     * until it has compiled the caller, which takes long if the machine is busy.
     */
    private static void measure(Step step) {
        int i = 0;
        while (i < WARM_UP) {
            step.run(i++);
        }
        Map<Long, Long> before = Map.of();
        double own = Double.MAX_VALUE;
        double all = Double.MAX_VALUE;
        long start = System.nanoTime();
        for (int attempt = 0; (attempt < 16 || System.nanoTime() - start < COMPILING.toNanos()) && (own >= 0.5 || all >= 8); attempt++) {
            before = allocated();
            long ownBefore = THREADS.getCurrentThreadAllocatedBytes();
            long allBefore = THREADS.getTotalThreadAllocatedBytes();
            for (int k = 0; k < MEASURED; k++) {
                step.run(i++);
            }
            all = Math.min(all, (double) (THREADS.getTotalThreadAllocatedBytes() - allBefore) / MEASURED);
            own = Math.min(own, (double) (THREADS.getCurrentThreadAllocatedBytes() - ownBefore) / MEASURED);
        }
        if (own >= 0.5 || all >= 8) {
            fail("bytes allocated per operation: " + own + " by the thread that posts and polls, " + all
                    + " by all threads; bytes by each: " + byThread(before));
        }
    }

    private static Map<Long, Long> allocated() {
        Map<Long, Long> bytes = new HashMap<>();
        long[] ids = THREADS.getAllThreadIds();
        long[] each = THREADS.getThreadAllocatedBytes(ids);
        for (int k = 0; k < ids.length; k++) {
            bytes.put(ids[k], each[k]);
        }
        return bytes;
    }

    /** The threads that allocated since, with how much. */
    private static String byThread(Map<Long, Long> before) {
        StringBuilder text = new StringBuilder();
        allocated().forEach((id, bytes) -> {
            long more = bytes - before.getOrDefault(id, 0L);
            ThreadInfo thread = THREADS.getThreadInfo(id);
            if (more > 0 && thread != null) {
                text.append(thread.getThreadName()).append(' ').append(more).append("; ");
            }
        });
        return text.toString();
    }

    private static void post(boolean posted) {
        if (!posted) {
            fail("there was no room");
        }
    }

    private static void take(CompletionQueue queue, Completions cursor, int id) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (queue.poll(cursor) == 0) {
            if (System.nanoTime() - deadline > 0) {
                fail("request " + id + " never completed");
            }
            Thread.onSpinWait();
        }
        if (!cursor.next() || !cursor.isSuccess() || cursor.id() != id) {
            fail("request " + id + ": got " + cursor.id() + ", " + cursor.status());
        }
    }
}
