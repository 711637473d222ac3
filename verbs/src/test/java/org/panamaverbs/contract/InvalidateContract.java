package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.SendRequest;

/** Invalidating keys of our own; those of memory windows are {@link MemoryWindowContract}'s. */
public abstract class InvalidateContract extends ContractTest {
    private static final int CANARY = 0x5A;

    @Test
    void shouldEndThePeersRightsToARegion() {
        assumeSupports(server.device, Capability.LOCAL_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link link = connect();
        MemoryRegion from = client.region(64);
        MemoryRegion target = server.region(64);
        target.segment().fill((byte) CANARY);
        link.server().queuePair.post(new SendRequest().localInvalidate(1, target.remoteKey()).signaled());
        link.server().sent.next().succeeded(1, CompletionOpcode.LOCAL_INVALIDATE);
        link.client().write(2, from, 0, 64, target, 0);
        assertRefused(link);
        Pattern.verifyAll(target.segment(), 0, 64, CANARY, "memory that the peer may not write");
        target.close();
    }

    @Test
    void shouldFailForAKeyThatNobodyHas() {
        assumeSupports(client.device, Capability.LOCAL_INVALIDATE);
        Link link = connect();
        link.client().queuePair.post(new SendRequest().localInvalidate(1, 0x7BCD_EF01).signaled());
        Completed failed = link.client().sent.next();
        assertTrue(!failed.isSuccess(), failed::toString);
        link.client().awaitDisconnected();
    }

    @Test
    void shouldCheckWhatIsPosted() {
        assumeSupports(client.device, Capability.LOCAL_INVALIDATE);
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().localInvalidate(1, 5).inline()));
        link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.tryPost(new SendRequest().localInvalidate(1, 5)));
    }

    @Test
    void shouldSaySoWhereTheDeviceCannot() {
        QueuePair queuePair = connect().client().queuePair;
        assertRefuses(client.device, Capability.LOCAL_INVALIDATE, () -> queuePair.tryPost(new SendRequest().localInvalidate(1, 5)));
    }
}
