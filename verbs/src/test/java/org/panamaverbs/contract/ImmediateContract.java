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
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Sends and Writes with immediate data. */
public abstract class ImmediateContract extends ContractTest {
    private static final int CANARY = 0x5A;
    private static final int IMMEDIATE = 0x0102_0384;

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, -1, Integer.MIN_VALUE, IMMEDIATE })
    void shouldCarryEveryBitWithASend(int immediate) {
        Link link = connectWithImmediate();
        MemoryRegion from = client.region(100);
        MemoryRegion to = server.region(100);
        Pattern.fill(from.segment(), 0, 100, 1);
        link.server().receive(2, to, 0, 100);
        send(link, 1, new ScatterGatherList(1).add(from, 0, 100), immediate, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(1, CompletionOpcode.SEND);
        link.server().received.next().received(2, 100).carried(immediate);
        Pattern.verify(to.segment(), 0, 100, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -1, IMMEDIATE })
    void shouldCarryEveryBitWithAWrite(int immediate) {
        Link link = connectWithWrites();
        MemoryRegion from = client.region(10_000);
        MemoryRegion target = server.region(10_000);
        MemoryRegion bell = server.region(64);
        bell.segment().fill((byte) CANARY);
        Pattern.fill(from.segment(), 0, 10_000, 1);
        link.server().receive(2, bell, 0, 64);
        write(link, 1, from, 10_000, target, 0, immediate, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        Completed received = link.server().received.next().succeeded(2, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE);
        received.carried(immediate);
        assertEquals(10_000, received.byteLength());
        Pattern.verify(target.segment(), 0, 10_000, 1);
        Pattern.verifyAll(bell.segment(), 0, 64, CANARY, "memory of the receive that the Write took");
    }

    @Test
    void shouldCarryItWithASendOfNoByte() {
        Link link = connectWithImmediate();
        link.server().receive(3, server.region(8), 0, 8);
        send(link, 1, new ScatterGatherList(1), 77, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(1, CompletionOpcode.SEND);
        link.server().received.next().received(3, 0).carried(77);
    }

    @Test
    void shouldCarryItWithAWriteOfNoByte() {
        Link link = connectWithWrites();
        MemoryRegion to = server.region(8);
        for (int i = 0; i < 3; i++) {
            link.server().receive(i, to, 0, 8);
            write(link, 10 + i, client.region(8), 0, to, 0, 78 + i, SendWorkRequest.SIGNALED);
            link.client().sent.next().succeeded(10 + i, CompletionOpcode.WRITE);
            Completed received = link.server().received.next().succeeded(i, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE);
            received.carried(78 + i);
            assertEquals(0, received.byteLength());
        }
    }

    @Test
    void shouldCountTheBytesOfItsOwnWriteAlone() {
        Link link = connectWithWrites();
        MemoryRegion from = client.region(200_000);
        MemoryRegion to = server.region(200_000);
        link.server().receive(1, to, 0, 8);
        link.server().receive(2, to, 0, 8);
        link.client().write(10, from, 0, 70_000, to, 0, 0);
        link.client().write(11, from, 0, 0, to, 0, 0);
        write(link, 12, from, 200_000, to, 0, 5, 0);
        link.client().write(13, from, 0, 7, to, 0, 0);
        write(link, 14, from, 3, to, 0, 6, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(14, CompletionOpcode.WRITE);
        assertEquals(200_000, link.server().received.next().succeeded(1, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE).byteLength());
        assertEquals(3, link.server().received.next().succeeded(2, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE).byteLength());
    }

    @Test
    void shouldSayWhereThereIsNone() {
        Link link = connect();
        link.server().receive(1, server.region(8), 0, 8);
        link.client().send(2, client.region(8), 0, 8);
        assertFalse(link.server().received.next().received(1, 8).hasImmediate());
    }

    @Test
    void shouldKeepTheOrderAmongOtherRequests() {
        Link link = connectWithWrites();
        boolean sends = client.device.supports(Capability.IMMEDIATE_DATA) && server.device.supports(Capability.IMMEDIATE_DATA);
        MemoryRegion from = client.region(16);
        MemoryRegion to = server.region(16);
        int inline = link.client().queuePair.attributes().inlineLength() >= 16 ? SendWorkRequest.INLINE : 0;
        for (int i = 0; i < 4; i++) {
            link.server().receive(i, to, 0, 16);
        }
        Pattern.fill(from.segment(), 0, 16, 9);
        link.client().send(10, from, 0, 16, SendWorkRequest.MORE);
        if (sends) {
            send(link, 11, new ScatterGatherList(1).add(from, 0, 16), 11, SendWorkRequest.MORE | inline);
        } else {
            link.client().send(11, from, 0, 16, SendWorkRequest.MORE | inline);
        }
        write(link, 12, from, 16, to, 0, 12, SendWorkRequest.MORE | inline | SendWorkRequest.FENCE | SendWorkRequest.SOLICITED);
        link.client().send(13, from, 0, 16, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(13, CompletionOpcode.SEND);
        assertFalse(link.server().received.next().received(0, 16).hasImmediate());
        assertEquals(sends, link.server().received.next().received(1, 16).hasImmediate());
        link.server().received.next().succeeded(2, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE).carried(12);
        assertFalse(link.server().received.next().received(3, 16).hasImmediate());
        Pattern.verify(to.segment(), 0, 16, 9);
    }

    @Test
    void shouldRefuseAWriteBeyondTheRegion() {
        Link link = connectWithWrites();
        MemoryRegion from = client.region(64);
        MemoryRegion target = server.region(64);
        target.segment().fill((byte) CANARY);
        link.server().receive(2, server.region(8), 0, 8);
        write(link, 1, from, 64, target, 1, 5, SendWorkRequest.SIGNALED);
        assertRefused(link);
        Pattern.verifyAll(target.segment(), 0, 64, CANARY, "memory that the peer may not write");
        assertFalse(link.server().received.next().isSuccess(), "a receive that nothing took");
    }

    @Test
    void shouldCheckASendThatIsPosted() {
        Link link = connectWithImmediate();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion foreign = server.region(64);
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(null).immediate(5)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().send(1).local(new ScatterGatherList(1).add(foreign, 0, 8)).immediate(5)));
        link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class,
                () -> queuePair.tryPost(new SendRequest().send(1).local(new ScatterGatherList(1)).immediate(5)));
    }

    @Test
    void shouldCheckAWriteThatIsPosted() {
        Link link = connectWithWrites();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(64);
        MemoryRegion foreign = server.region(64);
        RemoteMemory anywhere = new RemoteMemory(0, 0, Long.MAX_VALUE);
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(null, 0, 8).remote(anywhere, 0).immediate(5)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(foreign, 0, 8).remote(anywhere, 0).immediate(5)));
        assertThrows(IndexOutOfBoundsException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 60, 8).remote(anywhere, 0).immediate(5)));
        region.close();
        assertThrows(IllegalStateException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, 8).remote(anywhere, 0).immediate(5)));
        link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(client.region(8), 0, 8).remote(anywhere, 0).immediate(5)));
    }

    @Test
    void shouldSaySoWhereTheDeviceCannotSend() {
        QueuePair queuePair = connect().client().queuePair;
        assertRefuses(client.device, Capability.IMMEDIATE_DATA,
                () -> queuePair.tryPost(new SendRequest().send(1).local(new ScatterGatherList(1)).immediate(5).signaled()));
    }

    @Test
    void shouldSaySoWhereTheDeviceCannotWrite() {
        QueuePair queuePair = connect().client().queuePair;
        MemoryRegion region = client.region(8);
        assertRefuses(client.device, Capability.WRITE_WITH_IMMEDIATE,
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, 8).remote(region.remote(), 0).immediate(5).signaled()));
    }

    private Link connectWithImmediate() {
        assumeSupports(client.device, Capability.IMMEDIATE_DATA);
        assumeSupports(server.device, Capability.IMMEDIATE_DATA);
        return connect();
    }

    private Link connectWithWrites() {
        assumeSupports(client.device, Capability.WRITE_WITH_IMMEDIATE);
        assumeSupports(server.device, Capability.WRITE_WITH_IMMEDIATE);
        return connect();
    }

    private static void send(Link link, long id, ScatterGatherList list, int immediate, int flags) {
        link.client().queuePair.post(Flags.on(new SendRequest().send(id).local(list).immediate(immediate), flags));
    }

    private static void write(Link link, long id, MemoryRegion from, long length, MemoryRegion target, long offset, int immediate,
            int flags) {
        link.client().queuePair.post(Flags.on(new SendRequest().write(id).local(from, 0, length)
                .remote(new RemoteMemory(target.address() + offset, target.remoteKey(), length), 0).immediate(immediate), flags));
    }
}
