package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;

/** A registration that takes long, as one of tens of GiB does: it holds its protection domain, and nothing else of the device. */
class LongRegistrationFaultsTest extends OnStubDevice {
    private Arena arena;
    private Verbs verbs;
    private CoreDevice device;
    private CoreProtectionDomain domain;
    private CompletableFuture<MemoryRegion> registration;

    @BeforeEach
    void register() {
        arena = Arena.ofShared();
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        StubDevice.holdRegistrations(true);
        registration = CompletableFuture.supplyAsync(() -> domain.register(arena.allocate(64), Access.LOCAL_WRITE),
                action -> Thread.ofPlatform().start(action));
        await("it registers", () -> StubDevice.heldRegistrations() == 1);
    }

    @AfterEach
    void closeAll() {
        StubDevice.holdRegistrations(false);
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("mr"));
        assertEquals(0, StubDevice.live("pd"));
    }

    /** All of it happens before the registration is over. */
    private void whileItRegisters(Runnable action) throws Exception {
        CompletableFuture.runAsync(action, started -> Thread.ofPlatform().start(started)).get(20, TimeUnit.SECONDS);
        assertEquals(1, StubDevice.heldRegistrations());
    }

    @Test
    void shouldHoldUpNoOtherObject() throws Exception {
        CompletionQueue unused = device.createCompletionQueue(8);
        whileItRegisters(() -> {
            unused.close();
            domain.createSharedReceiveQueue(8, 1).close();
            connect(domain, QueuePairAttributes.of(device.createCompletionQueue(8))).close();
            device.allocateProtectionDomain().close();
        });
        StubDevice.holdRegistrations(false);
        registration.get().close();
    }

    @Test
    void shouldHoldItsDomain() throws Exception {
        Thread closer = Thread.ofPlatform().start(domain::close);
        await("the closer waits", () -> closer.getState() == Thread.State.WAITING);
        assertEquals(1, StubDevice.live("pd"), "a registration needs it");
        whileItRegisters(() -> connect((CoreProtectionDomain) device.allocateProtectionDomain(),
                QueuePairAttributes.of(device.createCompletionQueue(8))).close());
        StubDevice.holdRegistrations(false);
        closer.join(LIMIT);
        assertTrue(registration.handle((region, failure) -> failure != null).get(), "its domain is closed");
        assertEquals(0, StubDevice.live("mr"));
    }
}
