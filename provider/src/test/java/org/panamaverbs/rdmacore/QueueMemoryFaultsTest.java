package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.rdmacore.ffi.NativeMemory;

/** The memory of queues: no part of what -XX:MaxDirectMemorySize gives to the program, and free once a queue is closed. */
class QueueMemoryFaultsTest extends OnStubDevice {
    private static final int DEPTH = 1 << 14;
    /** Small objects of each queue pair and each session, which do not grow with a queue. */
    private static final long SMALL = 64 << 10;

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(pool -> pool.getName().equals("direct"))
                .findFirst().orElseThrow().getMemoryUsed();
    }

    @Test
    void shouldNotCountAgainstTheDirectMemoryOfTheProgram() {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(8);
            long before = directMemory();
            Connection connection = connect(domain, QueuePairAttributes.of(queue).withDepths(DEPTH, DEPTH).withInline(64));
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(4096, 16);
            assertTrue(directMemory() - before < SMALL, () -> directMemory() - before + " bytes");
            connection.close();
            shared.close();
        }
    }

    /** Pages of the process, also those that it never touched (proc(5), statm). */
    private static long virtualMemory() throws IOException {
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[0]) * NativeMemory.PAGE;
    }

    @Test
    void shouldGiveMemoryBackWhenAQueueIsClosed() throws IOException {
        StubDevice.takeInline(1 << 10);
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(8);
            QueuePairAttributes large = QueuePairAttributes.of(queue).withDepths(DEPTH, 1).withElements(16, 1).withInline(1 << 10);
            long before = virtualMemory();
            for (int i = 0; i < 64; i++) {
                connect(domain, large).close();
            }
            // Of 64 queue pairs with 22 MB each.
            long grown = virtualMemory() - before;
            assertTrue(grown < 400 << 20, () -> grown + " bytes");
        }
    }

    @Test
    void shouldRefuseWhatIsPostedToAQueueThatIsClosed() {
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(64);
            try (MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE)) {
                QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
                SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
                shared.post(new ReceiveRequest().receive(3).local(region, 0, 64));
                StubDevice.withhold();
                queuePair
                        .post(new SendRequest().write(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
                queuePair.post(new ReceiveRequest().receive(2).local(region, 0, 64));
                queuePair.close();
                shared.close();
                assertThrows(ClosedException.class, () -> queuePair.tryPost(
                        new SendRequest().write(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled()));
                assertThrows(ClosedException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(region, 0, 64)));
                assertThrows(ClosedException.class, () -> shared.tryPost(new ReceiveRequest().receive(1).local(region, 0, 64)));
                assertThrows(ClosedException.class, queuePair::ringDoorbell);
                Completions completions = Completions.allocate(8);
                assertEquals(2, queue.poll(completions), "what was flushed is there after the queue pair");
            }
        }
    }
}
