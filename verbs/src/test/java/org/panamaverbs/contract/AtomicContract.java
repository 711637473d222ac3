package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Compare-and-swap and fetch-and-add. */
public abstract class AtomicContract extends ContractTest {
    private static final long VALUE = 0x0102_0304_0506_0708L;

    @Test
    void shouldSwapWhatIsAsExpected() {
        Link link = connectWithAtomics();
        MemoryRegion result = client.region(16);
        MemoryRegion target = server.region(24);
        set(target, 8, VALUE);
        swap(link, 1, result, 8, target, 8, VALUE, -2);
        link.client().sent.next().succeeded(1, CompletionOpcode.COMPARE_AND_SWAP);
        assertEquals(VALUE, get(result, 8), "what was there");
        assertEquals(-2, get(target, 8), "what is there");
        assertEquals(0, get(target, 0) | get(target, 16) | get(result, 0), "what lies beside it");
    }

    @Test
    void shouldNotSwapWhatIsNot() {
        Link link = connectWithAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, VALUE);
        swap(link, 1, result, 0, target, 0, VALUE + 1, -2);
        link.client().sent.next().succeeded(1, CompletionOpcode.COMPARE_AND_SWAP);
        assertEquals(VALUE, get(result, 0), "what was there");
        assertEquals(VALUE, get(target, 0), "what is there");
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 1, -1, VALUE, Long.MIN_VALUE, Long.MAX_VALUE })
    void shouldAdd(long summand) {
        Link link = connectWithAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, Long.MAX_VALUE);
        add(link.client(), 1, result, 0, target, 0, summand, SendWorkRequest.SIGNALED);
        link.client().sent.next().succeeded(1, CompletionOpcode.FETCH_AND_ADD);
        assertEquals(Long.MAX_VALUE, get(result, 0), "what was there");
        assertEquals(Long.MAX_VALUE + summand, get(target, 0), "what is there");
    }

    @Test
    void shouldSwapTheBitsOfTheMask() {
        Link link = connectWithMaskedAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, VALUE);
        link.client().queuePair.post(new SendRequest().compareAndSwap(1).compare(0x0700L).swap(-1).compareMask(0xFF00L).swapMask(0xF0L)
                .local(result, 0, 8).remote(target.remote(), 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.COMPARE_AND_SWAP);
        assertEquals(VALUE, get(result, 0), "the value before");
        assertEquals(VALUE | 0xF0, get(target, 0), "only the bits of the mask change");
    }

    @Test
    void shouldNotSwapIfABitOfTheMaskDiffers() {
        Link link = connectWithMaskedAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, VALUE);
        link.client().queuePair.post(new SendRequest().compareAndSwap(1).compare(VALUE ^ 0x0100L).swap(-1).compareMask(0xFF00L).swapMask(-1)
                .local(result, 0, 8).remote(target.remote(), 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.COMPARE_AND_SWAP);
        assertEquals(VALUE, get(result, 0), "the value before");
        assertEquals(VALUE, get(target, 0), "nothing changes");
    }

    @Test
    void shouldSwapWithoutAComparison() {
        Link link = connectWithMaskedAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, VALUE);
        link.client().queuePair.post(new SendRequest().compareAndSwap(1).compare(5).swap(42).compareMask(0).swapMask(-1).local(result, 0, 8)
                .remote(target.remote(), 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.COMPARE_AND_SWAP);
        assertEquals(VALUE, get(result, 0), "the value before");
        assertEquals(42, get(target, 0), "the value after");
    }

    @Test
    void shouldAddFieldByField() {
        Link link = connectWithMaskedAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8);
        set(target, 0, 0xFFFF_0001_FFFF_FFFFL);
        // Four fields of 16 bits, and no carry between two of them.
        link.client().queuePair.post(new SendRequest().fetchAndAdd(1).add(0x0001_0001_0002_0001L).boundaries(0x8000_8000_8000_8000L)
                .local(result, 0, 8).remote(target.remote(), 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.FETCH_AND_ADD);
        assertEquals(0xFFFF_0001_FFFF_FFFFL, get(result, 0), "the value before");
        assertEquals(0x0000_0002_0001_0000L, get(target, 0), "the value after");
    }

    @Test
    void shouldKeepTheOrderOfReadsAndAtomics() {
        Link link = connectWithAtomics();
        MemoryRegion results = client.region(8 * 20);
        MemoryRegion target = server.region(8);
        RemoteMemory remote = target.remote();
        for (int i = 0; i < 20; i += 2) {
            add(link.client(), i, results, 8L * i, target, 0, 1, SendWorkRequest.SIGNALED);
            link.client().queuePair
                    .post(new SendRequest().read(i + 1).local(results, 8L * (i + 1), 8).remote(remote, 0).signaled().fenced());
            link.client().sent.next(2);
        }
        for (int i = 0; i < 20; i += 2) {
            assertEquals(i / 2, get(results, 8L * i), "the value before addition " + i / 2);
            assertEquals(i / 2 + 1, get(results, 8L * (i + 1)), "the value after addition " + i / 2);
        }
    }

    @Test
    void shouldHoldAgainstTheProcessor() {
        Link link = connectWithAtomics();
        assumeSupports(server.device, Capability.GLOBAL_ATOMIC);
        int each = 400;
        MemoryRegion results = client.region(8);
        MemoryRegion target = server.region(8);
        VarHandle number = ValueLayout.JAVA_LONG.varHandle();
        Background<Void> adding = Background.start(() -> {
            for (int i = 0; i < each * 100; i++) {
                number.getAndAdd(target.segment(), 0L, 1L << 32);
            }
            return null;
        });
        for (int i = 0; i < each; i++) {
            add(link.client(), i, results, 0, target, 0, 1, SendWorkRequest.SIGNALED);
            if (i % 8 == 7) {
                link.client().sent.next(8);
            }
        }
        adding.get();
        assertEquals(each + ((long) each * 100 << 32), get(target, 0), "both sums");
    }

    @Test
    void shouldCountWhatTwoConnectionsAddAtOnce() {
        Link one = connectWithAtomics();
        Link other = dialer().connect();
        int each = 200;
        MemoryRegion target = server.region(8);
        MemoryRegion first = client.region(8L * each);
        MemoryRegion second = client.region(8L * each);
        Background<Void> adding = Background.start(() -> addMany(one.client(), first, target, each));
        addMany(other.client(), second, target, each);
        adding.get();
        assertEquals(2 * each, get(target, 0), "the sum");
        BitSet seen = new BitSet();
        for (int i = 0; i < each; i++) {
            seen.set((int) get(first, 8L * i));
            seen.set((int) get(second, 8L * i));
        }
        assertEquals(2 * each, seen.cardinality(), "every addition should see another value");
    }

    private static Void addMany(Endpoint end, MemoryRegion results, MemoryRegion target, int count) {
        for (int i = 0; i < count; i++) {
            add(end, i, results, 8L * i, target, 0, 1, SendWorkRequest.SIGNALED);
            if (i % 8 == 7) {
                end.sent.next(8);
            }
        }
        return null;
    }

    @Test
    void shouldKeepMoreUnderWayThanThePeerServesAtOnce() {
        assumeAtomics();
        Link link = dialer().clientParameters(Dialer.reads(client, 1, 2)).serverParameters(Dialer.reads(server, 2, 1)).connect();
        MemoryRegion results = client.region(8 * 32);
        MemoryRegion target = server.region(8);
        for (int i = 0; i < 32; i++) {
            add(link.client(), i, results, 8L * i, target, 0, 1, SendWorkRequest.SIGNALED);
        }
        for (int i = 0; i < 32; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.FETCH_AND_ADD);
            assertEquals(i, get(results, 8L * i));
        }
    }

    @Test
    void shouldRefuseWhereNoReadsWereAgreed() {
        assumeAtomics();
        Link link = dialer().clientParameters(Dialer.reads(client, 4, 0)).connect();
        MemoryRegion region = client.region(8);
        assertThrows(IllegalStateException.class, () -> link.client().queuePair
                .tryPost(new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8).remote(region.remote(), 0)));
        assertThrows(IllegalStateException.class, () -> link.client().queuePair
                .tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2).local(region, 0, 8).remote(region.remote(), 0)));
    }

    @Test
    void shouldRefuseARegionWithoutTheRight() {
        Link link = connectWithAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.region(8, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        set(target, 0, VALUE);
        add(link.client(), 1, result, 0, target, 0, 1, SendWorkRequest.SIGNALED);
        assertRefused(link);
        assertEquals(VALUE, get(target, 0), "memory that the peer may not change");
    }

    @ParameterizedTest
    @ValueSource(ints = { -8, 8 })
    void shouldRefuseWhatLiesOutsideTheRegion(int offset) {
        Link link = connectWithAtomics();
        MemoryRegion result = client.region(8);
        MemoryRegion target = server.domain.register(server.memory(24).asSlice(8, 8), Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        swap(link, 1, result, 0, target, offset, 0, VALUE);
        assertRefused(link);
        assertEquals(0, target.segment().get(ValueLayout.JAVA_LONG, 0), "memory that the peer may not change");
    }

    @Test
    void shouldCheckWhatIsPosted() {
        Link link = connectWithAtomics();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(16);
        MemoryRegion readOnly = client.region(8, Access.REMOTE_READ);
        MemoryRegion target = server.region(16);
        long address = target.address();
        int key = target.remoteKey();
        for (int bits = 1; bits < 8; bits++) {
            long misaligned = address + bits;
            assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8)
                    .remote(new RemoteMemory(misaligned, key, Long.MAX_VALUE), 0)));
            assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2)
                    .local(region, 0, 8).remote(new RemoteMemory(misaligned, key, Long.MAX_VALUE), 0)));
        }
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(
                new SendRequest().fetchAndAdd(1).add(1).local(null, 0, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(
                new SendRequest().fetchAndAdd(1).add(1).local(target, 0, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(
                new SendRequest().fetchAndAdd(1).add(1).local(readOnly, 0, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.tryPost(
                new SendRequest().fetchAndAdd(1).add(1).local(region, 9, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2)
                .local(region, -1, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8)
                .remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0).inline()));
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2)
                .local(region, 0, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0).solicited()));
        link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.tryPost(
                new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8).remote(new RemoteMemory(address, key, Long.MAX_VALUE), 0)));
    }

    @Test
    void shouldRegisterTheRightOnlyWithTheRightToWrite() {
        assumeAtomics();
        assertThrows(IllegalArgumentException.class, () -> client.region(8, Access.REMOTE_ATOMIC));
    }

    @Test
    void shouldSaySoWhereTheDeviceCannotAdd() {
        QueuePair queuePair = connect().client().queuePair;
        MemoryRegion region = client.region(8);
        assertRefuses(client.device, Capability.ATOMIC,
                () -> queuePair.tryPost(new SendRequest().fetchAndAdd(1).add(1).local(region, 0, 8).remote(region.remote(), 0)));
    }

    @Test
    void shouldSaySoWhereTheDeviceCannotSwap() {
        QueuePair queuePair = connect().client().queuePair;
        MemoryRegion region = client.region(8);
        assertRefuses(client.device, Capability.ATOMIC, () -> queuePair
                .tryPost(new SendRequest().compareAndSwap(1).compare(1).swap(2).local(region, 0, 8).remote(region.remote(), 0)));
    }

    @Test
    void shouldSaySoWhereTheDeviceHasNotTheRight() {
        assertRefuses(client.device, Capability.ATOMIC, () -> client.region(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
    }

    private void assumeAtomics() {
        assumeSupports(client.device, Capability.ATOMIC);
        assumeSupports(server.device, Capability.ATOMIC);
    }

    private Link connectWithMaskedAtomics() {
        assumeSupports(client.device, Capability.MASKED_ATOMIC);
        assumeSupports(server.device, Capability.MASKED_ATOMIC);
        return connect();
    }

    private Link connectWithAtomics() {
        assumeAtomics();
        return connect();
    }

    private static void add(Endpoint end, long id, MemoryRegion result, long at, MemoryRegion target, long offset, long summand,
            int flags) {
        end.queuePair
                .post(Flags.on(new SendRequest().fetchAndAdd(id).add(summand).local(result, at, 8).remote(at(target, offset), 0), flags));
    }

    private static void swap(Link link, long id, MemoryRegion result, long at, MemoryRegion target, long offset, long expected,
            long replacement) {
        link.client().queuePair.post(new SendRequest().compareAndSwap(id).compare(expected).swap(replacement).local(result, at, 8)
                .remote(at(target, offset), 0).signaled());
    }

    /** 8 bytes at an offset of a region, which may be outside of it. */
    private static RemoteMemory at(MemoryRegion target, long offset) {
        return new RemoteMemory(target.address() + offset, target.remoteKey(), Long.BYTES);
    }

    private static long get(MemoryRegion region, long offset) {
        return region.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    private static void set(MemoryRegion region, long offset, long value) {
        region.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }
}
