package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.spi.SendWorkRequest;

/** RDMA Write and Read: the peer's memory, unseen by its program, and not one byte beside. */
public abstract class WriteReadContract extends ContractTest {
    private static final int CANARY = 0x5A;
    private static final int NONSENSE_KEY = 0xDEADBEEF;
    private static final long NONSENSE_ADDRESS = 0xFEDCBA9876543210L;

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 63, 64, 1439, 1440, 1441, 65_535, 65_536, 65_537, 1 << 20, 16 << 20 })
    void shouldWriteAnySizeBothWaysAndNothingBeside(int length) {
        assumeMessagesOf(length);
        Link link = connect();
        write(link.client(), link.server(), length, 0, 0);
        write(link.server(), link.client(), length, 3, 5);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 63, 64, 1439, 1440, 1441, 65_535, 65_536, 65_537, 1 << 20, 16 << 20 })
    void shouldReadAnySizeBothWaysAndNothingBeside(int length) {
        assumeMessagesOf(length);
        Link link = connect();
        read(link.client(), link.server(), length, 0, 0);
        read(link.server(), link.client(), length, 3, 5);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 1440, 65_537 })
    void shouldWriteAndReadAtAnyOffset(int length) {
        Link link = connect();
        for (int i = 1; i < 8; i++) {
            write(link.client(), link.server(), length, i, 8 - i);
            read(link.client(), link.server(), length, i, 8 - i);
        }
    }

    private static void write(Endpoint from, Endpoint to, int length, long fromOffset, long toOffset) {
        MemoryRegion source = from.side.region(fromOffset + length);
        MemoryRegion target = to.side.region(toOffset + length + 64);
        target.segment().fill((byte) CANARY);
        Pattern.fill(source.segment(), fromOffset, length, length);
        from.write(1, source, fromOffset, length, target, toOffset);
        from.sent.next().succeeded(1, CompletionOpcode.WRITE);
        barrier(from, to);
        Pattern.verify(target.segment(), toOffset, length, length);
        Pattern.verifyAll(target.segment(), 0, toOffset, CANARY, "before the target");
        Pattern.verifyAll(target.segment(), toOffset + length, 64, CANARY, "after the target");
        source.close();
        target.close();
    }

    private static void read(Endpoint reader, Endpoint owner, int length, long sinkOffset, long sourceOffset) {
        MemoryRegion sink = reader.side.region(sinkOffset + length + 64);
        MemoryRegion source = owner.side.region(sourceOffset + length);
        sink.segment().fill((byte) CANARY);
        Pattern.fill(source.segment(), sourceOffset, length, length);
        reader.read(1, sink, sinkOffset, length, source, sourceOffset);
        Completed done = reader.sent.next().succeeded(1, CompletionOpcode.READ);
        assertEquals(length, done.byteLength());
        Pattern.verify(sink.segment(), sinkOffset, length, length);
        Pattern.verifyAll(sink.segment(), 0, sinkOffset, CANARY, "before the sink");
        Pattern.verifyAll(sink.segment(), sinkOffset + length, 64, CANARY, "after the sink");
        sink.close();
        source.close();
    }

    /** An empty Send after a Write: when it is received, the bytes written are there. */
    private static void barrier(Endpoint from, Endpoint to) {
        to.queuePair.post(new ReceiveRequest().receive(-7).local(new ScatterGatherList(1)));
        from.queuePair.post(new SendRequest().send(-8).local(new ScatterGatherList(1)).signaled());
        from.sent.next().succeeded(-8, CompletionOpcode.SEND);
        to.received.next().received(-7, 0);
    }

    @Test
    void shouldWriteAndReadAWholeRegionToItsLastByte() {
        Link link = connect();
        MemoryRegion local = client.region(1000);
        MemoryRegion remote = server.region(1000);
        Pattern.fill(local.segment(), 0, 1000, 1);
        link.client().write(1, local, 0, 1000, remote, 0);
        link.client().write(2, local, 0, 1, remote, 999);
        link.client().read(3, local, 0, 1000, remote, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(3, CompletionOpcode.READ);
        Pattern.verify(local.segment(), 0, 999, 1);
        assertEquals(Pattern.at(1, 0), local.segment().get(ValueLayout.JAVA_BYTE, 999));
    }

    @Test
    void shouldGatherAWriteFromSeveralParts() {
        int elements = Math.min(4, client.device.attributes().maximumScatterGather());
        assumeAtLeast(elements, 2, "maximumScatterGather");
        Link link = dialer().clientAttributes(a -> a.withElements(elements, 1)).connect();
        int[] lengths = { 70_001, 1, 0, 1441 };
        ScatterGatherList list = new ScatterGatherList(elements);
        long total = 0;
        for (int i = 0; i < elements; i++) {
            MemoryRegion part = client.region(lengths[i] + 10);
            for (int k = 0; k < lengths[i]; k++) {
                part.segment().set(ValueLayout.JAVA_BYTE, 3 + k, Pattern.at(5, total + k));
            }
            list.add(part, 3, lengths[i]);
            total += lengths[i];
        }
        MemoryRegion target = server.region(total + 64);
        target.segment().fill((byte) CANARY);
        link.client().queuePair.post(new SendRequest().write(1).local(list).remote(target.remote(), 5).signaled());
        list.clear();
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        barrier(link.client(), link.server());
        Pattern.verify(target.segment(), 5, total, 5);
        Pattern.verifyAll(target.segment(), 0, 5, CANARY, "before the target");
        Pattern.verifyAll(target.segment(), total + 5, 59, CANARY, "after the target");
    }

    @Test
    void shouldCopyAnInlineWriteWhenItIsPosted() {
        assumeAtLeast(client.device.attributes().maximumInline(), 32, "maximumInline");
        Link link = dialer().clientAttributes(a -> a.withInline(32)).connect();
        MemoryRegion from = client.region(32);
        MemoryRegion to = server.region(64 * 32);
        for (int i = 0; i < 64; i++) {
            Pattern.fill(from.segment(), 0, 32, i);
            link.client().write(i, from, 0, 32, to, i * 32L, SendWorkRequest.SIGNALED | SendWorkRequest.INLINE);
            from.segment().fill((byte) CANARY);
        }
        for (int i = 0; i < 64; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
        }
        barrier(link.client(), link.server());
        for (int i = 0; i < 64; i++) {
            Pattern.verify(to.segment(), i * 32L, 32, i);
        }
    }

    @Test
    void shouldWriteNothingWhateverTheKey() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().write(1).local(local, 0, 0)
                .remote(new RemoteMemory(NONSENSE_ADDRESS, NONSENSE_KEY, Long.MAX_VALUE), 0).signaled());
        queuePair.post(new SendRequest().write(2).local(local, 64, 0).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
        queuePair.post(
                new SendRequest().write(3).local(new ScatterGatherList(1)).remote(new RemoteMemory(-1, -1, Long.MAX_VALUE), 0).signaled());
        for (int i = 1; i <= 3; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
        }
        link.exchange(4);
    }

    @Test
    void shouldReadNothingWhateverTheKey() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        local.segment().fill((byte) CANARY);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().read(1).local(local, 0, 0)
                .remote(new RemoteMemory(NONSENSE_ADDRESS, NONSENSE_KEY, Long.MAX_VALUE), 0).signaled());
        queuePair.post(new SendRequest().read(2).local(local, 64, 0).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
        for (int i = 1; i <= 2; i++) {
            assertEquals(0, link.client().sent.next().succeeded(i, CompletionOpcode.READ).byteLength());
        }
        Pattern.verifyAll(local.segment(), 0, 64, CANARY, "the sink of an empty Read");
        link.exchange(4);
    }

    @Test
    void shouldReadIntoARegionWithTheLeastRights() {
        Link link = connect();
        MemoryRegion sink = client.region(5000, client.device.readSinkRights());
        assertEquals(!client.device.supports(Capability.READ_WITHOUT_REMOTE_WRITE), sink.access().contains(Access.REMOTE_WRITE));
        MemoryRegion source = server.region(5000, Access.REMOTE_READ);
        Pattern.fill(source.segment(), 0, 5000, 1);
        link.client().read(1, sink, 0, 5000, source, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.READ);
        Pattern.verify(sink.segment(), 0, 5000, 1);
    }

    @Test
    void shouldWriteWithTheLeastRights() {
        Link link = connect();
        MemoryRegion source = client.region(5000, new Access[0]);
        MemoryRegion target = server.region(5000, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        Pattern.fill(source.segment(), 0, 5000, 1);
        link.client().write(1, source, 0, 5000, target, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        barrier(link.client(), link.server());
        Pattern.verify(target.segment(), 0, 5000, 1);
    }

    @Test
    void shouldQueueReadsBeyondWhatThePeerServes() {
        int reads = 100;
        int size = 8192;
        Link link = dialer().clientParameters(ConnectionParameters.defaults().withReads(1, 2)).connect();
        assertEquals(2, link.client().connection.outboundReads());
        MemoryRegion sink = client.region((long) reads * size);
        MemoryRegion source = server.region((long) reads * size);
        Pattern.fill(source.segment(), 0, (long) reads * size, 3);
        for (int i = 0; i < reads; i++) {
            link.client().read(i, sink, (long) i * size, size, source, (long) i * size);
        }
        for (int i = 0; i < reads; i++) {
            assertEquals(size, link.client().sent.next().succeeded(i, CompletionOpcode.READ).byteLength());
        }
        Pattern.verify(sink.segment(), 0, (long) reads * size, 3);
        link.exchange(1000);
    }

    @Test
    void shouldReadBothWaysAtOnce() {
        int reads = 64;
        int size = 65_536;
        Link link = connect();
        MemoryRegion clientSink = client.region((long) reads * size);
        MemoryRegion serverSink = server.region((long) reads * size);
        MemoryRegion clientSource = client.region((long) reads * size);
        MemoryRegion serverSource = server.region((long) reads * size);
        Pattern.fill(clientSource.segment(), 0, (long) reads * size, 1);
        Pattern.fill(serverSource.segment(), 0, (long) reads * size, 2);
        for (int i = 0; i < reads; i++) {
            link.client().read(i, clientSink, (long) i * size, size, serverSource, (long) i * size);
            link.server().read(i, serverSink, (long) i * size, size, clientSource, (long) i * size);
        }
        for (int i = 0; i < reads; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
            link.server().sent.next().succeeded(i, CompletionOpcode.READ);
        }
        Pattern.verify(clientSink.segment(), 0, (long) reads * size, 2);
        Pattern.verify(serverSink.segment(), 0, (long) reads * size, 1);
    }

    @Test
    void shouldWriteAndReadLongMessagesBothWaysAtOnce() {
        int length = 8 << 20;
        Link link = connect();
        MemoryRegion clientSource = client.region(length);
        MemoryRegion serverSource = server.region(length);
        MemoryRegion clientTarget = client.region(length);
        MemoryRegion serverTarget = server.region(length);
        MemoryRegion clientSink = client.region(length);
        MemoryRegion serverSink = server.region(length);
        Pattern.fill(clientSource.segment(), 0, length, 1);
        Pattern.fill(serverSource.segment(), 0, length, 2);
        link.client().write(1, clientSource, 0, length, serverTarget, 0);
        link.server().write(1, serverSource, 0, length, clientTarget, 0);
        link.client().read(2, clientSink, 0, length, serverSource, 0);
        link.server().read(2, serverSink, 0, length, clientSource, 0);
        for (Endpoint end : new Endpoint[] { link.client(), link.server() }) {
            end.sent.next().succeeded(1, CompletionOpcode.WRITE);
            end.sent.next().succeeded(2, CompletionOpcode.READ);
        }
        link.exchange(9);
        Pattern.verify(serverTarget.segment(), 0, length, 1);
        Pattern.verify(clientTarget.segment(), 0, length, 2);
        Pattern.verify(clientSink.segment(), 0, length, 2);
        Pattern.verify(serverSink.segment(), 0, length, 1);
    }

    @Test
    void shouldServeThePeerWhileTheProgramDoesNothing() {
        // The server neither polls nor waits: its memory is read and written all the same.
        Link link = connect();
        MemoryRegion local = client.region(8192);
        MemoryRegion remote = server.region(8192);
        for (int i = 0; i < 200; i++) {
            Pattern.fill(local.segment(), 0, 4096, i);
            link.client().write(2 * i, local, 0, 4096, remote, i);
            link.client().read(2 * i + 1, local, 4096, 4096, remote, i);
            link.client().sent.next().succeeded(2 * i, CompletionOpcode.WRITE);
            link.client().sent.next().succeeded(2 * i + 1, CompletionOpcode.READ);
            Pattern.verify(local.segment(), 4096, 4096, i);
        }
    }

    @Test
    void shouldUseOneRegionForManyConnections() {
        MemoryRegion shared = server.region(8 * 1000);
        Link[] links = new Link[8];
        for (int i = 0; i < links.length; i++) {
            links[i] = connect();
            MemoryRegion local = client.region(1000);
            Pattern.fill(local.segment(), 0, 1000, i);
            links[i].client().write(1, local, 0, 1000, shared, i * 1000L);
        }
        for (int i = 0; i < links.length; i++) {
            links[i].client().sent.next().succeeded(1, CompletionOpcode.WRITE);
            barrier(links[i].client(), links[i].server());
            Pattern.verify(shared.segment(), i * 1000L, 1000, i);
        }
    }

    @Test
    void shouldRefuseAWriteInlineThatIsTooLong() {
        Link link = connect();
        int inline = link.client().queuePair.attributes().inlineLength();
        MemoryRegion region = client.region(inline + 1);
        MemoryRegion remote = server.region(inline + 1);
        assertThrows(IllegalArgumentException.class, () -> link.client().queuePair
                .tryPost(new SendRequest().write(1).local(region, 0, inline + 1).remote(remote.remote(), 0).inline().signaled()));
        link.exchange(2);
    }

    @Test
    void shouldReadNothingOfAReadWhereTheConnectionEndedFirst() {
        Link link = connect();
        link.client().connection.disconnect();
        link.client().awaitDisconnected();
        MemoryRegion sink = client.region(64);
        MemoryRegion source = server.region(64);
        link.client().read(1, sink, 0, 64, source, 0, 0);
        assertEquals(CompletionStatus.FLUSHED, link.client().sent.next().status());
    }
}
