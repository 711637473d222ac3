package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.rdmacore.post.SendWorkQueue;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;

/** Requests that the device has no room for at first. */
class StalledSendersFaultsTest extends OnStubDevice {
    private final Completions completions = Completions.allocate(8);
    private Arena arena;
    private Verbs verbs;
    private CompletionQueue queue;
    private QueuePairAttributes attributes;
    private CoreProtectionDomain domain;
    private QueuePair queuePair;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = device.createCompletionQueue(8);
        attributes = QueuePairAttributes.of(queue);
        queuePair = connect(domain, attributes).queuePair();
    }

    @AfterEach
    void closeAll() {
        StubDevice.heal();
        verbs.close();
        arena.close();
    }

    private static void refuse(int times) {
        StubDevice.fail("ibv_post_send", Libc.ENOMEM(), 0, 0, times);
    }

    private void write(long id) {
        MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        queuePair.post(new SendRequest().write(id).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
    }

    /** A poll between the refusal and the moment when polls know of it may have made room, and no other need follow. */
    @Test
    void shouldTryAgainOncePollsKnowOfTheRefusal() {
        refuse(1);
        write(1);
        assertEquals(1, queue.poll(completions), "the device has it without a further poll");
    }

    @Test
    void shouldSubmitAfterAPoll() {
        refuse(2);
        write(1);
        assertEquals(0, queue.poll(completions), "this poll makes the request go out");
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertEquals(1, completions.id());
    }

    /** A send queue of its own, whose completions go nowhere. */
    private final class Sender implements CompletionSink {
        private final SendWorkQueue sends;
        private final Runnable onStall;
        private int stalls;

        /** @param onStall what happens when the device has no room, from the second refused post on */
        private Sender(Runnable onStall) {
            this.onStall = onStall;
            CoreQueuePair owner = (CoreQueuePair) queuePair;
            sends = new SendWorkQueue(arena, owner, domain.device().posting(), this, StubDevice.queuePair(), attributes, owner.tag());
            SendWorkRequest request = new SendWorkRequest();
            request.begin(SendOperation.WRITE, 1);
            sends.post(request);
            assertEquals(1, stalls, "the device has no room");
        }

        @Override
        public void onStalled() {
            stalls++;
            if (stalls > 1) {
                onStall.run();
            }
        }

        @Override
        public void addLate(KeptCompletion completion) {
            // No completion comes here.
        }

        @Override
        public void drainForRoom() {
            // There is nothing to drain.
        }

        @Override
        public void flush(WorkRing ring, boolean isSend, int queuePairNumber, Object attachment) {
            // The queue pair knows nothing of this queue.
        }
    }

    /** A queue pair closes while the senders retry. */
    @Test
    void shouldSkipNoSenderIfAnotherOneLeaves() {
        StalledSenders senders = new StalledSenders();
        refuse(-1);
        Sender[] leaving = new Sender[1];
        leaving[0] = new Sender(() -> senders.remove(leaving[0].sends));
        Sender staying = new Sender(() -> {
            // It stays.
        });
        senders.add(leaving[0].sends);
        senders.add(staying.sends);
        senders.onStalled();
        senders.retry();
        assertEquals(2, leaving[0].stalls);
        assertEquals(2, staying.stalls);
    }
}
