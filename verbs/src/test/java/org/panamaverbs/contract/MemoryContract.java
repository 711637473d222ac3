package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Registered memory: what can be registered, for how long it can be used, and what happens when it goes away. */
public abstract class MemoryContract extends ContractTest {
    private static final int CANARY = 0x5A;

    @TempDir
    Path directory;

    @Test
    void shouldTellWhatWasRegistered() {
        MemorySegment segment = client.memory(1000).asSlice(8, 900);
        MemoryRegion region = client.domain.register(segment, Access.LOCAL_WRITE, Access.REMOTE_READ);
        assertEquals(segment, region.segment());
        assertEquals(900, region.length());
        assertEquals(Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ), region.access());
        assertSame(client.domain, region.domain());
        assertSame(client.device, client.domain.device());
        assertTrue(region.isValid());
    }

    @Test
    void shouldGiveKeysOfTheirOwnToRegionsOfTheSameMemory() {
        MemorySegment segment = client.memory(4096);
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            assertTrue(keys.add(client.domain.register(segment, Rights.usual()).remoteKey()), "two regions have one key");
        }
    }

    @Test
    void shouldNotUseAKeyAgainAtOnce() {
        MemorySegment segment = client.memory(4096);
        int last = 0;
        for (int i = 0; i < 100; i++) {
            MemoryRegion region = client.domain.register(segment, Rights.usual());
            assertNotEquals(last, region.remoteKey(), "the key of the region that was closed last");
            last = region.remoteKey();
            region.close();
        }
    }

    @Test
    void shouldRefuseHeapSegmentsAndSayWhy() {
        refuses(MemorySegment.ofArray(new byte[64]), "heap", Access.LOCAL_WRITE);
        refuses(MemorySegment.ofArray(new long[64]), "heap", new Access[0]);
    }

    @Test
    void shouldRefuseConfinedSegmentsAndSayWhy() {
        try (Arena confined = Arena.ofConfined()) {
            refuses(confined.allocate(64), "confined", Access.LOCAL_WRITE);
        }
    }

    @Test
    void shouldRefuseEmptySegments() {
        refuses(client.memory(64).asSlice(3, 0), "", Access.LOCAL_WRITE);
        refuses(MemorySegment.NULL, "", Access.LOCAL_WRITE);
    }

    @Test
    void shouldRefuseRightsThatNeedAnother() {
        refuses(client.memory(64), "LOCAL_WRITE", Access.REMOTE_WRITE);
        refuses(client.memory(64), "LOCAL_WRITE", Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    @Test
    void shouldRefuseToWriteWhatIsReadOnly() {
        MemorySegment readOnly = client.memory(64).asReadOnly();
        refuses(readOnly, "read-only", Access.LOCAL_WRITE);
        refuses(readOnly, "read-only", Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    private void refuses(MemorySegment segment, String reason, Access... access) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> client.domain.register(segment, access));
        assertTrue(refused.getMessage().contains(reason), () -> "the message should say \"" + reason + "\": " + refused.getMessage());
    }

    @Test
    void shouldRefuseSegmentsOfAClosedArena() {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(64);
        arena.close();
        assertThrows(IllegalStateException.class, () -> client.domain.register(segment, Access.LOCAL_WRITE));
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> client.domain.register(null, Access.LOCAL_WRITE));
        assertThrows(NullPointerException.class, () -> client.domain.register(client.memory(8), (Access[]) null));
        assertThrows(NullPointerException.class, () -> client.domain.register(client.memory(8), Access.LOCAL_WRITE, null));
    }

    @Test
    void shouldSendAndLetReadWhatIsReadOnly() {
        Link link = connect();
        MemorySegment segment = client.memory(5000);
        Pattern.fill(segment, 0, 5000, 1);
        MemoryRegion readOnly = client.domain.register(segment.asReadOnly(), Access.REMOTE_READ);
        MemoryRegion sink = server.region(10_000);
        link.server().receive(1, sink, 0, 5000);
        link.client().send(2, readOnly, 0, 5000);
        link.server().received.next().received(1, 5000);
        link.server().read(3, sink, 5000, 5000, readOnly, 0);
        link.server().sent.next().succeeded(3, CompletionOpcode.READ);
        Pattern.verify(sink.segment(), 0, 5000, 1);
        Pattern.verify(sink.segment(), 5000, 5000, 1);
    }

    /** The kinds of arena whose memory any thread may use. */
    enum Kind {
        SHARED, AUTOMATIC, GLOBAL
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldTakeMemoryOfEveryArenaThatAnyThreadMayUse(Kind kind) {
        Arena arena = switch (kind) {
            case SHARED -> client.arena;
            case AUTOMATIC -> Arena.ofAuto();
            case GLOBAL -> Arena.global();
        };
        Link link = connect();
        // The connecting side speaks first, unless the two have agreed otherwise.
        link.exchange(1);
        MemoryRegion region = client.domain.register(arena.allocate(5000), Rights.usual());
        MemoryRegion remote = server.region(5000);
        Pattern.fill(remote.segment(), 0, 5000, 2);
        link.server().write(1, remote, 0, 5000, region, 0);
        link.client().receive(2, client.region(8), 0, 8);
        link.server().send(2, remote, 0, 1);
        link.client().received.next().received(2, 1);
        Pattern.verify(region.segment(), 0, 5000, 2);
    }

    @Test
    void shouldRefuseToPostARegionThatIsClosed() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(64);
        ScatterGatherList list = new ScatterGatherList(1).add(region, 0, 64);
        region.close();
        assertFalse(region.isValid());
        assertThrows(IllegalStateException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(region, 0, 64)));
        assertThrows(IllegalStateException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(list)));
        assertThrows(IllegalStateException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(region, 0, 64)));
        assertThrows(IllegalStateException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(list)));
        assertThrows(IllegalStateException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(IllegalStateException.class,
                () -> queuePair.tryPost(new SendRequest().read(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        link.exchange(2);
    }

    @Test
    void shouldNotReceiveIntoARegionClosedAfterThePost() {
        Link link = connect();
        MemoryRegion region = server.region(64);
        region.segment().fill((byte) CANARY);
        link.server().receive(1, region, 0, 64);
        region.close();
        link.client().send(2, client.region(64), 0, 64);
        Completed completed = link.server().received.next();
        assertEquals(1, completed.id());
        assertEquals(CompletionStatus.LOCAL_PROTECTION_ERROR, completed.status());
        Pattern.verifyAll(region.segment(), 0, 64, CANARY, "the closed region");
        link.server().awaitFailure();
    }

    @Test
    void shouldNotSendFromARegionClosedAfterThePost() {
        Link link = connect();
        MemoryRegion region = client.region(64);
        link.client().send(1, region, 0, 64, SendWorkRequest.MORE);
        region.close();
        link.client().queuePair.ringDoorbell();
        Completed completed = link.client().sent.next();
        assertEquals(1, completed.id());
        assertEquals(CompletionStatus.LOCAL_PROTECTION_ERROR, completed.status());
        link.client().awaitFailure();
    }

    @Test
    void shouldNotTouchARegionAgainOnceItsCloseReturned() {
        // A stream of Writes is under way; when close returns, not one more byte may change.
        Link link = connect();
        int length = 4 << 20;
        for (int round = 0; round < 10; round++) {
            Link own = round == 0 ? link : connect();
            MemoryRegion source = client.region(length);
            source.segment().fill((byte) 1);
            MemoryRegion target = server.region(length);
            for (int i = 0; i < 8; i++) {
                own.client().write(i, source, 0, length, target, 0);
            }
            await("the first bytes should arrive", () -> target.segment().get(ValueLayout.JAVA_BYTE, 0) != 0);
            target.close();
            target.segment().fill((byte) CANARY);
            // Should all have arrived before the close, this one has not.
            own.client().write(8, source, 0, length, target, 0);
            own.server().awaitFailure();
            Pattern.verifyAll(target.segment(), 0, length, CANARY, "the closed region");
            own.close();
        }
    }

    @Test
    void shouldNotLetAPeerIntoAClosedRegion() {
        Link link = connect();
        Link other = connect();
        MemoryRegion region = server.region(64);
        region.segment().fill((byte) CANARY);
        link.client().write(1, client.region(64), 0, 0, region, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        region.close();
        link.client().write(2, client.region(64), 0, 64, region, 0);
        link.server().awaitFailure();
        link.client().awaitFailure();
        Pattern.verifyAll(region.segment(), 0, 64, CANARY, "the closed region");
        other.exchange(1);
    }

    @Test
    void shouldRefuseToCloseAnArenaUnderALiveRegistration() {
        Link link = connect();
        Arena arena = Arena.ofShared();
        MemoryRegion first = server.domain.register(arena.allocate(64), Rights.usual());
        MemoryRegion second = server.domain.register(arena.allocate(64), Rights.usual());
        assertThrows(IllegalStateException.class, arena::close);
        first.close();
        first.close();
        assertThrows(IllegalStateException.class, arena::close);
        // The refusal has left everything as it was.
        assertTrue(second.isValid());
        link.client().write(1, client.region(64), 0, 64, second, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        link.exchange(2);
        second.close();
        arena.close();
        assertFalse(second.isValid());
    }

    @Test
    void shouldLetAnArenaCloseAfterItsDomainOrDevice() {
        Arena arena = Arena.ofShared();
        ProtectionDomain domain = client.device.allocateProtectionDomain();
        domain.register(arena.allocate(64), Rights.usual());
        assertThrows(IllegalStateException.class, arena::close);
        domain.close();
        arena.close();
    }

    @Test
    void shouldKeepAnArenaOpenUnderAPeerThatKeepsWriting() {
        int length = 1 << 20;
        Link other = connect();
        for (int round = 0; round < 4; round++) {
            Link link = connect();
            Arena arena = Arena.ofShared();
            boolean receiver = round % 2 == 0;
            MemoryRegion held = (receiver ? server : client).domain.register(arena.allocate(length), Rights.usual());
            MemoryRegion source = receiver ? client.region(length) : held;
            MemoryRegion target = receiver ? held : server.region(length);
            source.segment().fill((byte) 1);
            for (int i = 0; i < 8; i++) {
                link.client().write(i, source, 0, length, target, 0);
                assertThrows(IllegalStateException.class, arena::close, "with " + (i + 1) + " Writes on their way");
            }
            MemorySegment seen = target.segment();
            await("the first bytes should arrive", () -> seen.get(ValueLayout.JAVA_BYTE, 0) != 0);
            assertThrows(IllegalStateException.class, arena::close);
            // In the middle of it: from here on nobody touches the memory.
            held.close();
            arena.close();
            assertFalse(held.isValid());
            if (receiver) {
                link.client().write(8, source, 0, length, target, 0);
                link.server().awaitFailure();
            }
            link.close();
            source.close();
            target.close();
        }
        other.exchange(1);
    }

    @Test
    void shouldKeepMemoryOfAnAutomaticArenaAlive() {
        Link link = connect();
        Forgotten forgotten = forget();
        for (int i = 0; i < 5; i++) {
            System.gc();
            assertNotEquals(null, forgotten.segment.get(), "registered memory was collected");
        }
        // Nobody here holds the region or its segment: the registration itself must.
        MemoryRegion local = client.region(2 << 20);
        Pattern.fill(local.segment(), 0, 1 << 20, 4);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().write(1).local(local, 0, 1 << 20)
                .remote(new RemoteMemory(forgotten.address, forgotten.key, Long.MAX_VALUE), 0));
        queuePair.post(new SendRequest().read(2).local(local, 1 << 20, 1 << 20)
                .remote(new RemoteMemory(forgotten.address, forgotten.key, Long.MAX_VALUE), 0).signaled());
        link.client().sent.next().succeeded(2, CompletionOpcode.READ);
        Pattern.verify(local.segment(), 1 << 20, 1 << 20, 4);
    }

    @Test
    void shouldLetGoOfMemoryWhenTheRegionCloses() {
        WeakReference<MemorySegment> segment = registerAndClose();
        await("memory of a closed region should be collected", () -> {
            System.gc();
            return segment.get() == null;
        });
        assertNull(segment.get());
    }

    private Forgotten forget() {
        MemorySegment segment = Arena.ofAuto().allocate(1 << 20);
        MemoryRegion region = server.domain.register(segment, Rights.usual());
        return new Forgotten(new WeakReference<>(segment), region.address(), region.remoteKey());
    }

    private WeakReference<MemorySegment> registerAndClose() {
        MemorySegment segment = Arena.ofAuto().allocate(1 << 20);
        client.domain.register(segment, Rights.usual()).close();
        return new WeakReference<>(segment);
    }

    private record Forgotten(WeakReference<MemorySegment> segment, long address, int key) {
    }

    @Test
    void shouldReceiveIntoAndSendFromMappedFiles() throws IOException {
        int length = 300_000;
        Path file = directory.resolve("inbox");
        Link link = connect();
        MemoryRegion from = client.region(length);
        Pattern.fill(from.segment(), 0, length, 5);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, server.arena);
            try (MemoryRegion region = registerOrSkip(server, mapped, Rights.usual())) {
                link.server().receive(1, region, 0, 1000);
                link.client().write(1, from, 1000, length - 1000, region, 1000);
                link.client().send(2, from, 0, 1000);
                link.server().received.next().received(1, 1000);
                link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
                link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
            }
            mapped.force();
        }
        byte[] written = Files.readAllBytes(file);
        Pattern.verify(MemorySegment.ofArray(written), 0, length, 5);

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, length, server.arena);
            MemoryRegion region = registerOrSkip(server, mapped, Set.of(Access.REMOTE_READ));
            MemoryRegion sink = client.region(length);
            link.client().read(3, sink, 0, length, region, 0);
            link.client().sent.next().succeeded(3, CompletionOpcode.READ);
            Pattern.verify(sink.segment(), 0, length, 5);
            sink.segment().fill((byte) 0);
            link.client().receive(4, sink, 0, length);
            link.server().send(5, region, 0, length);
            link.client().received.next().received(4, length);
            Pattern.verify(sink.segment(), 0, length, 5);
        }
    }

    @Test
    void shouldUseRegionsBeyondTwoGibibytes() throws IOException {
        long size = (5L << 30) + 12_345;
        assumeAtLeast(client.device.attributes().maximumRegionSize(), size, "maximumRegionSize");
        assumeAtLeast(server.device.attributes().maximumRegionSize(), size, "maximumRegionSize");
        MemoryRegion here = sparse(client, "here", size);
        MemoryRegion there = sparse(server, "there", size);
        assertEquals(size, there.length());
        Link link = connect();
        long[] offsets = { 0, (1L << 31) - 1000, (1L << 32) - 1000, size - 3000 };
        for (int i = 0; i < offsets.length; i++) {
            Pattern.fill(here.segment(), offsets[i], 3000, i);
            link.client().write(10 + i, here, offsets[i], 3000, there, offsets[i]);
            link.client().sent.next().succeeded(10 + i, CompletionOpcode.WRITE);
        }
        MemoryRegion small = client.region(3000);
        for (int i = 0; i < offsets.length; i++) {
            link.client().read(20 + i, small, 0, 3000, there, offsets[i]);
            link.client().sent.next().succeeded(20 + i, CompletionOpcode.READ);
            Pattern.verify(small.segment(), 0, 3000, i);
            Pattern.verify(there.segment(), offsets[i], 3000, i);
            // A Read into, a Send from and a receive into the far end.
            long far = size - 6000;
            link.client().read(30 + i, here, far, 3000, there, offsets[i]);
            link.client().sent.next().succeeded(30 + i, CompletionOpcode.READ);
            Pattern.verify(here.segment(), far, 3000, i);
            link.server().receive(40 + i, there, far, 3000);
            link.client().send(50 + i, here, far, 3000);
            link.client().sent.next().succeeded(50 + i, CompletionOpcode.SEND);
            link.server().received.next().received(40 + i, 3000);
            Pattern.verify(there.segment(), far, 3000, i);
        }
        here.close();
        there.close();
    }

    @Test
    void shouldRefuseAMessageLongerThanTheDeviceSays() throws IOException {
        long most = client.device.attributes().maximumMessageSize();
        Assumptions.assumeTrue(most < 8L << 30, () -> "the longest message is " + most + " bytes, too long to try");
        assumeAtLeast(client.device.attributes().maximumRegionSize(), most + 1, "maximumRegionSize");
        MemoryRegion region = sparse(client, "long", most + 1);
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(region, 0, most + 1)));
        assertThrows(IllegalArgumentException.class, () -> queuePair
                .tryPost(new SendRequest().write(1).local(region, 0, most + 1).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class, () -> queuePair
                .tryPost(new SendRequest().read(1).local(region, 0, most + 1).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        link.exchange(2);
        region.close();
    }

    @Test
    void shouldSurviveThatAMappedFileIsCutShort() throws IOException {
        int length = 1 << 20;
        Link other = connect();
        try (FileChannel channel = FileChannel.open(directory.resolve("short"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, client.arena);
            MemoryRegion region = registerOrSkip(client, mapped, Rights.usual());
            channel.truncate(0);
            Link sending = connect();
            MemoryRegion remote = server.region(length);
            sending.client().write(1, region, 0, length, remote, 0);
            survived(sending.client().sent.next());
            Link reading = connect();
            reading.client().read(2, region, 0, length, remote, 0);
            survived(reading.client().sent.next());
            Link receiving = connect();
            receiving.exchange(6);
            receiving.client().receive(3, region, 0, length);
            receiving.server().send(4, remote, 0, length);
            survived(receiving.client().received.next());
            Link serving = connect();
            serving.exchange(7);
            serving.server().read(5, remote, 0, length, region, 0);
            Completed served = serving.server().sent.next();
            assertEquals(5, served.id());
        }
        other.exchange(1);
    }

    /** A device that holds the pages itself does not notice; others must report the fault. */
    private static void survived(Completed completed) {
        assertTrue(completed.isSuccess() || completed.status() == CompletionStatus.LOCAL_PROTECTION_ERROR, completed::toString);
    }

    private MemoryRegion sparse(Side side, String name, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(directory.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.SPARSE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return registerOrSkip(side, channel.map(FileChannel.MapMode.READ_WRITE, 0, size, side.arena), Rights.usual());
        }
    }

    /** Registers a mapped file; a device that pins memory may not have enough of it, or not take files at all. */
    private static MemoryRegion registerOrSkip(Side side, MemorySegment segment, Set<Access> access) {
        try {
            return side.domain.register(segment, access);
        } catch (ResourceException tooMuch) {
            return Assumptions.abort("the device cannot register " + segment.byteSize() + " bytes of a file: " + tooMuch.getMessage());
        }
    }

    @Test
    void shouldRegisterManyRegions() {
        assumeAtLeast(client.device.attributes().maximumRegions(), 1000, "maximumRegions");
        MemorySegment segment = server.memory(1000 * 64);
        MemoryRegion[] regions = new MemoryRegion[1000];
        for (int i = 0; i < regions.length; i++) {
            regions[i] = server.domain.register(segment.asSlice(i * 64L, 64), Rights.usual());
        }
        Link link = connect();
        MemoryRegion local = client.region(64);
        for (int i = 0; i < regions.length; i += 37) {
            Pattern.fill(local.segment(), 0, 64, i);
            link.client().write(i, local, 0, 64, regions[i], 0);
            link.client().read(i + 1, local, 0, 64, regions[i], 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
            link.client().sent.next().succeeded(i + 1, CompletionOpcode.READ);
            Pattern.verify(segment, i * 64L, 64, i);
        }
        for (MemoryRegion region : regions) {
            region.close();
        }
        assertFalse(regions[999].isValid());
    }

    @Test
    void shouldKeepRegionsOfOneDomainWhenAnotherCloses() {
        ProtectionDomain other = client.device.allocateProtectionDomain();
        MemorySegment segment = client.memory(64);
        MemoryRegion gone = other.register(segment, Rights.usual());
        MemoryRegion stays = client.domain.register(segment, Rights.usual());
        other.close();
        assertFalse(gone.isValid());
        assertTrue(stays.isValid());
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                fail(what);
            }
            Thread.onSpinWait();
        }
    }
}
