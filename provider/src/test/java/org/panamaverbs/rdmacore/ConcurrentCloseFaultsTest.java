package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;

/** Two threads close: each returns when the object is gone, since it may destroy next what the object was made of. */
class ConcurrentCloseFaultsTest extends OnStubDevice {
    /** How long to look out for a thread that must not return. */
    private static final long MOMENT_MILLIS = 50;

    private Verbs verbs;

    @BeforeEach
    void openSession() {
        verbs = open();
    }

    @AfterEach
    void closeSession() {
        StubDevice.letGo();
        verbs.close();
    }

    /** The first closer is within the last call of a library, which takes long; the other one comes meanwhile. */
    private static void assertWaits(String lastCall, Runnable first, Runnable other) throws InterruptedException {
        long before = StubDevice.called(lastCall);
        StubDevice.hold(lastCall);
        Thread closer = Thread.ofPlatform().start(first);
        await(lastCall, () -> StubDevice.called(lastCall) > before);
        Thread waiting = Thread.ofPlatform().start(other);
        waiting.join(MOMENT_MILLIS);
        boolean returned = !waiting.isAlive();
        StubDevice.letGo();
        closer.join(LIMIT.toMillis());
        waiting.join(LIMIT.toMillis());
        assertFalse(closer.isAlive());
        assertFalse(waiting.isAlive());
        assertFalse(returned, "it returned before " + lastCall);
        assertEquals(before + 1, StubDevice.called(lastCall));
    }

    @Test
    void shouldWaitForAnAddressHandle() throws InterruptedException {
        ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
        AddressHandle handle = domain.createAddressHandle(AddressVector.to(1, 1, new GlobalIdentifier(0, 0xFFFF_C000_0201L)));
        assertWaits("ibv_destroy_ah", handle::close, handle::close);
    }

    @Test
    void shouldKeepTheDomainOfAnAddressHandle() throws InterruptedException {
        ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
        AddressHandle handle = domain.createAddressHandle(AddressVector.to(1, 1, new GlobalIdentifier(0, 0xFFFF_C000_0201L)));
        assertWaits("ibv_destroy_ah", handle::close, domain::close);
    }

    @Test
    void shouldWaitForAProtectionDomain() throws InterruptedException {
        ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
        assertWaits("ibv_dealloc_pd", domain::close, domain::close);
    }

    @Test
    void shouldWaitForACompletionChannel() throws InterruptedException {
        CompletionChannel channel = verbs.device("stub0").createCompletionChannel();
        assertWaits("ibv_destroy_comp_channel", channel::close, channel::close);
    }

    @Test
    void shouldWaitForAListener() throws InterruptedException {
        Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
        assertWaits("rdma_destroy_id", listener::close, listener::close);
        assertEquals(0, StubDevice.live("id"));
    }
}
