package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Immediate Data messages of 8 bytes (RFC 7306, section 6). */
public abstract class ImmediateMessageContract extends ContractTest {
    private static final int CANARY = 0x5A;
    private static final long IMMEDIATE = 0x0102_0384_8506_0708L;

    @ParameterizedTest
    @ValueSource(longs = { 0, 1, -1, Long.MIN_VALUE, IMMEDIATE })
    void shouldCarryEveryBit(long immediate) {
        Link link = connectWithMessages();
        MemoryRegion bell = server.region(64);
        bell.segment().fill((byte) CANARY);
        link.server().receive(2, bell, 0, 64);
        link.client().queuePair.post(new SendRequest().immediateMessage(1).data(immediate).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.SEND);
        link.server().received.next().received(2, 0).carried64(immediate);
        Pattern.verifyAll(bell.segment(), 0, 64, CANARY, "memory of the receive that the message took");
    }

    @Test
    void shouldTakeAReceiveWithoutMemory() {
        Link link = connectWithMessages();
        link.server().receive(2, server.region(8), 0, 0);
        link.client().queuePair.post(new SendRequest().immediateMessage(1).data(IMMEDIATE));
        link.server().received.next().received(2, 0).carried64(IMMEDIATE);
    }

    @Test
    void shouldBeAWriteWithImmediateDataBehindAWrite() {
        Link link = connectWithMessages();
        MemoryRegion from = client.region(3000);
        MemoryRegion to = server.region(3000);
        Pattern.fill(from.segment(), 0, 3000, 4);
        link.server().receive(2, to, 0, 0);
        link.client().write(1, from, 0, 3000, to, 0, SendWorkRequest.MORE);
        link.client().queuePair.post(new SendRequest().immediateMessage(3).data(IMMEDIATE));
        Completed received = link.server().received.next().succeeded(2, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE);
        received.carried64(IMMEDIATE);
        received.carried((int) (IMMEDIATE >>> 32));
        assertEquals(3000, received.byteLength());
        Pattern.verify(to.segment(), 0, 3000, 4);
    }

    @Test
    void shouldKeepTheOrderAmongOtherRequests() {
        Link link = connectWithMessages();
        MemoryRegion from = client.region(16);
        MemoryRegion to = server.region(16);
        for (int i = 0; i < 4; i++) {
            link.server().receive(i, to, 0, 16);
        }
        link.client().send(10, from, 0, 16, SendWorkRequest.MORE);
        link.client().queuePair.post(new SendRequest().immediateMessage(11).data(11).more().solicited());
        link.client().queuePair.post(new SendRequest().immediateMessage(12).data(12).fenced());
        link.client().send(13, from, 0, 16, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(13, CompletionOpcode.SEND);
        assertFalse(link.server().received.next().received(0, 16).hasImmediate64());
        link.server().received.next().received(1, 0).carried64(11);
        link.server().received.next().received(2, 0).carried64(12);
        assertFalse(link.server().received.next().received(3, 16).hasImmediate64());
    }

    @Test
    void shouldFailWithoutAReceive() {
        Link link = connectWithMessages();
        assumeLacks(server.device, Capability.RECEIVER_NOT_READY);
        link.client().queuePair.post(new SendRequest().immediateMessage(1).data(IMMEDIATE));
        assertRefused(link);
    }

    @Test
    void shouldCheckWhatIsPosted() {
        Link link = connectWithMessages();
        QueuePair queuePair = link.client().queuePair;
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().immediateMessage(1).data(5).inline()));
        link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.tryPost(new SendRequest().immediateMessage(1).data(5)));
    }

    private Link connectWithMessages() {
        assumeSupports(client.device, Capability.IMMEDIATE_MESSAGE);
        assumeSupports(server.device, Capability.IMMEDIATE_MESSAGE);
        return connect();
    }
}
