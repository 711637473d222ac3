package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.testing.Proofs;

/** Threads that wait for a device: each reads its events itself, and all other reasons end its wait too. */
class EventChannelFaultsTest extends OnStubDevice {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 10_000;

    private final CountDownLatch free = new CountDownLatch(1);
    private Arena arena;
    private Verbs verbs;
    private CoreDevice device;
    private CoreProtectionDomain domain;
    private MemoryRegion region;

    @BeforeEach
    void openDevice() {
        arena = Arena.ofShared();
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
    }

    @AfterEach
    void closeAll() {
        free.countDown();
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("channel"));
        assertEquals(0, StubDevice.live("cq"));
    }

    /** The event reader does nothing more until {@link #free}. */
    private void stopReader() {
        CountDownLatch stopped = new CountDownLatch(1);
        device.reader().drainLater(() -> {
            stopped.countDown();
            try {
                free.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        });
        await("the reader stands", () -> stopped.getCount() == 0);
    }

    private QueuePair queuePair(CompletionQueue queue) {
        return connect(domain, QueuePairAttributes.of(queue)).queuePair();
    }

    private void write(QueuePair pair, long id) {
        pair.post(new SendRequest().write(id).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
    }

    private static <T> FutureTask<T> start(boolean virtual, Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        (virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon()).start(task);
        return task;
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private Completions cursor(int capacity) {
        return Completions.allocate(capacity);
    }

    private static void awaitArmed(CompletionQueue queue) {
        await("a thread waits", () -> StubDevice.notifies(((CoreCompletionQueue) queue).address()));
    }

    @Test
    void shouldWaitWithoutTheEventReader() throws Exception {
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue queue = device.createCompletionQueue(8);
        CompletionQueue notifying = device.createCompletionQueue(8, channel);
        QueuePair first = queuePair(queue);
        QueuePair second = queuePair(notifying);
        stopReader();
        for (int i = 0; i < 100; i++) {
            FutureTask<Integer> waiting = start(false, () -> queue.await(cursor(1), LIMIT));
            awaitArmed(queue);
            write(first, i);
            assertEquals(1, get(waiting));
            notifying.requestNotification(false);
            FutureTask<CompletionQueue> notified = start(false, () -> channel.await(LIMIT));
            write(second, i);
            assertSame(notifying, get(notified));
            assertEquals(1, notifying.poll(cursor(1)));
        }
    }

    @Test
    void shouldNotKeepTheCarriersOfVirtualThreads() throws Exception {
        // More than there are carriers.
        int count = 4 * Runtime.getRuntime().availableProcessors();
        List<FutureTask<Integer>> waiting = new ArrayList<>();
        List<QueuePair> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletionQueue queue = device.createCompletionQueue(8);
            pairs.add(queuePair(queue));
            waiting.add(start(true, () -> queue.await(cursor(1), LIMIT)));
            awaitArmed(queue);
        }
        get(start(true, () -> {
            for (QueuePair pair : pairs) {
                write(pair, 1);
            }
            return null;
        }));
        for (FutureTask<Integer> each : waiting) {
            assertEquals(1, get(each));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldServeThreadsThatWaitForOneQueue(boolean virtual) throws Exception {
        CompletionQueue queue = device.createCompletionQueue(64);
        QueuePair pair = queuePair(queue);
        List<FutureTask<Integer>> waiting = Stream.of(false, virtual, virtual, virtual)
                .map(each -> start(each, () -> queue.await(cursor(1), LIMIT))).toList();
        for (int i = 0; i < waiting.size(); i++) {
            awaitArmed(queue);
            write(pair, i);
            int done = i + 1;
            await("one is served", () -> waiting.stream().filter(FutureTask::isDone).count() >= done);
        }
        for (FutureTask<Integer> each : waiting) {
            assertEquals(1, get(each));
        }
    }

    @Test
    void shouldServeThreadsThatWaitForTwoQueuesOfOneChannel() throws Exception {
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue first = device.createCompletionQueue(8, channel);
        CompletionQueue second = device.createCompletionQueue(8, channel);
        QueuePair toFirst = queuePair(first);
        QueuePair toSecond = queuePair(second);
        for (int i = 0; i < 100; i++) {
            FutureTask<Integer> one = start(i % 3 == 0, () -> first.await(cursor(1), LIMIT));
            FutureTask<Integer> other = start(i % 2 == 0, () -> second.await(cursor(1), LIMIT));
            write(toSecond, i);
            assertEquals(1, get(other));
            write(toFirst, i);
            assertEquals(1, get(one));
        }
        assertNull(channel.poll(), "no thread asked the channel");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldEndWhenTheThreadIsInterrupted(boolean virtual) throws Exception {
        CompletionQueue queue = device.createCompletionQueue(8);
        for (int i = 0; i < 200; i++) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                assertThrows(WaitInterruptedException.class, () -> queue.await(cursor(1), Verbs.FOREVER));
                return Thread.currentThread().isInterrupted();
            });
            Thread thread = (virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon()).start(task);
            if (i % 2 == 0) {
                awaitArmed(queue);
            }
            thread.interrupt();
            assertTrue(get(task));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldEndWhenTheQueueOrItsChannelCloses(boolean virtual) {
        for (int i = 0; i < 50; i++) {
            CompletionQueue alone = device.createCompletionQueue(8);
            CompletionChannel channel = device.createCompletionChannel();
            CompletionQueue queue = device.createCompletionQueue(8, channel);
            List<FutureTask<?>> waiting = List.of(start(virtual, () -> alone.await(cursor(1), Verbs.FOREVER)),
                    start(virtual, () -> queue.await(cursor(1), Verbs.FOREVER)), start(virtual, () -> channel.await(Verbs.FOREVER)));
            alone.close();
            channel.close();
            for (FutureTask<?> each : waiting) {
                ExecutionException thrown = assertThrows(ExecutionException.class, () -> get(each));
                assertEquals(ClosedException.class, thrown.getCause().getClass());
            }
            channel.wakeup();
            alone.wakeup();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldEndWhenTheDeviceFails(boolean virtual) {
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue queue = device.createCompletionQueue(8);
        List<FutureTask<?>> waiting = List.of(start(virtual, () -> queue.await(cursor(1), Verbs.FOREVER)),
                start(virtual, () -> channel.await(Verbs.FOREVER)));
        awaitArmed(queue);
        StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_DEVICE_FATAL(), 0);
        for (FutureTask<?> each : waiting) {
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> get(each));
            assertEquals(SystemException.class, thrown.getCause().getClass());
        }
        assertThrows(SystemException.class, channel::poll);
        channel.close();
        assertThrows(ClosedException.class, channel::poll);
    }

    /** The device raises no event of what is flushed beside it. */
    @Test
    void shouldRaiseAnEventOfRequestsThatTheDeviceDoesNotReport() {
        CompletionChannel channel = device.createCompletionChannel();
        int descriptor = channel.descriptor();
        CompletionQueue queue = device.createCompletionQueue(8, channel);
        QueuePair pair = queuePair(queue);
        StubDevice.withhold();
        pair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
        assertEquals(0, queue.poll(cursor(1)));
        queue.requestNotification(false);
        StubDevice.fail("ibv_modify_qp", Libc.EIO(), 0);
        assertNull(channel.poll());
        StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
        assertSame(queue, channel.await(LIMIT));
        assertEquals(1, queue.poll(cursor(1)));
        assertEquals(descriptor, channel.descriptor());
    }

    // Needs the compiler that avoids allocations.
    @Tag(Proofs.TAG)
    @ParameterizedTest
    @ValueSource(ints = { 0, 50 })
    void shouldAllocateNothingPerWait(int busyPoll) {
        try (Verbs other = Verbs.open(configuration().set("panamaverbs.rdmacore.busy-poll", Integer.toString(busyPoll)).build())) {
            CoreDevice waiting = (CoreDevice) other.device("stub0");
            CoreProtectionDomain its = (CoreProtectionDomain) waiting.allocateProtectionDomain();
            CompletionChannel channel = waiting.createCompletionChannel();
            CompletionQueue queue = waiting.createCompletionQueue(8, channel);
            QueuePair pair = connect(its, QueuePairAttributes.of(queue)).queuePair();
            MemoryRegion memory = its.register(arena.allocate(64), Access.LOCAL_WRITE);
            RemoteMemory remote = new RemoteMemory(0, 0, Long.MAX_VALUE);
            SendRequest request = new SendRequest();
            Completions cursor = cursor(1);
            long least = Long.MAX_VALUE;
            for (int attempt = 0; attempt < 30 && least > ROUNDS; attempt++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < ROUNDS; i++) {
                    queue.requestNotification(false);
                    pair.post(request.write(i).local(memory, 0, 64).remote(remote, 0).signaled());
                    channel.await(LIMIT);
                    queue.poll(cursor);
                    cursor.clear();
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least <= ROUNDS, least + " bytes in " + ROUNDS + " waits");
        }
    }

    @Test
    void shouldLeaveNothingIfAQueueOrChannelCannotBeMade() {
        StubDevice.fail("ibv_create_comp_channel", 0, Libc.EMFILE());
        assertThrows(ResourceException.class, () -> device.createCompletionQueue(8));
        assertThrows(ResourceException.class, device::createCompletionChannel);
        StubDevice.heal();
        StubDevice.fail("ibv_create_cq", 0, Libc.ENOMEM());
        assertThrows(ResourceException.class, () -> device.createCompletionQueue(8));
        StubDevice.heal();
        assertEquals(0, StubDevice.live("channel"));
    }
}
