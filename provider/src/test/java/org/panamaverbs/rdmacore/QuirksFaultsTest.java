package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
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
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.rdmacore.post.CompletionTranslator;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.SendWorkRequest;

/** The treatment of one driver's devices is not applied to the devices of other drivers. */
class QuirksFaultsTest extends OnStubDevice {
    private static final int SIW = 0x626d74;
    /** irdma, of which devices speak iWARP and RoCE. */
    private static final int INTEL = 0x8086;
    private static final int CHELSIO = 0x1425;
    private static final int RXE = 0xffffff;
    private static final int MELLANOX = 0x2c9;

    private static void become(int vendor, int transport) {
        StubDevice.replace("some0", vendor, 64);
        StubDevice.setTransport(0, transport);
    }

    @ParameterizedTest
    @CsvSource({ SIW + ", false", INTEL + ", true", CHELSIO + ", true" })
    void shouldLeaveAFenceToReadsOfAllDriversButSiw(int vendor, boolean keepsFence) {
        become(vendor, Rdma.IBV_TRANSPORT_IWARP());
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("some0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(device.createCompletionQueue(8))).queuePair();
            // RFC 5040 requires REMOTE_WRITE of a Read's sink, whatever the driver.
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            RemoteMemory remote = new RemoteMemory(0, 0, Long.MAX_VALUE);
            queuePair.post(new SendRequest().read(1).local(region, 0, 64).remote(remote, 0).fenced());
            assertEquals(keepsFence ? SendWorkRequest.FENCE : SendWorkRequest.SIGNALED, StubDevice.lastSendFlags(),
                    "siw reports each Read, so that the provider knows its end");
            queuePair.post(new SendRequest().write(2).local(region, 0, 64).remote(remote, 0).fenced());
            assertEquals(SendWorkRequest.FENCE, StubDevice.lastSendFlags());
        }
    }

    /** rxe overwrites memory beside the region: proofs/lab/rxe-on-demand.c. */
    @ParameterizedTest
    @CsvSource({ RXE + ", false", MELLANOX + ", true" })
    void shouldNotOfferPagingOnDemandThatMisplacesBytes(int vendor, boolean can) {
        become(vendor, Rdma.IBV_TRANSPORT_IB());
        StubDevice.pageOnDemand();
        try (Verbs verbs = open()) {
            assertEquals(can, verbs.device("some0").supports(Capability.ON_DEMAND_PAGING));
        }
    }

    @ParameterizedTest
    @CsvSource({ SIW + ", 1", INTEL + ", 0", CHELSIO + ", 0" })
    void shouldAddAnElementToAnEmptyReceiveOnlyOnSiw(int vendor, int elements) {
        become(vendor, Rdma.IBV_TRANSPORT_IWARP());
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("some0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(8);
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
            queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
            assertEquals(1, StubDevice.lastReceiveElements());
            queuePair.post(new ReceiveRequest().receive(2));
            assertEquals(elements, StubDevice.lastReceiveElements());
            try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(8, 1)) {
                shared.post(new ReceiveRequest().receive(1).local(region, 0, 64));
                assertEquals(1, StubDevice.lastReceiveElements());
                shared.post(new ReceiveRequest().receive(2));
                assertEquals(elements, StubDevice.lastReceiveElements());
            }
        }
    }

    /** irdma takes the element at the address of the list even if the request has none: that of the request before in this slot. */
    @Test
    void shouldGiveNoElementOfAnEarlierRequestToOneThatHasNone() {
        become(INTEL, Rdma.IBV_TRANSPORT_IB());
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("some0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(8);
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue).withDepths(1, 1)).queuePair();
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            RemoteMemory remote = new RemoteMemory(0, 0, Long.MAX_VALUE);
            for (int length : new int[] { 64, 0, 64 }) {
                queuePair.post(new SendRequest().read(1).local(region, 0, length).remote(remote, 0).signaled());
                assertEquals(length == 0 ? 0 : 1, StubDevice.lastSendElements());
                assertEquals(1, queue.await(Completions.allocate(1), LIMIT));
            }
        }
    }

    /** libcxgb4 looks at the first elements of a Write and a Send in one chain, whatever their numbers say: it crashes on a NULL list. */
    @ParameterizedTest
    @CsvSource({ "0, 0", "0, 64", "64, 0", "64, 64" })
    void shouldGiveLibcxgb4AnElementToLookAt(int written, int sent) {
        become(CHELSIO, Rdma.IBV_TRANSPORT_IWARP());
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("some0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(device.createCompletionQueue(8))).queuePair();
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            RemoteMemory remote = new RemoteMemory(0, 0, Long.MAX_VALUE);
            queuePair.post(new SendRequest().write(1).local(region, 0, written).remote(remote, 0).more());
            queuePair.post(new SendRequest().send(2).local(region, 0, sent).signaled());
            queuePair.post(new ReceiveRequest().receive(5));
            assertEquals(0, StubDevice.nullLists(), "lists that are NULL and looked at");
            assertEquals(Math.min(sent, 1), StubDevice.lastSendElements());
            assertEquals(0, StubDevice.lastReceiveElements());
        }
    }

    /** All of them have the flag (IBV_DEVICE_MEM_MGT_EXTENSIONS). */
    @ParameterizedTest
    @CsvSource({ SIW + ", true", INTEL + ", false", CHELSIO + ", false" })
    void shouldLetPeersInvalidateRegionsOnlyOnSiw(int vendor, boolean can) {
        become(vendor, Rdma.IBV_TRANSPORT_IWARP());
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("some0");
            assertEquals(can, device.supports(Capability.INVALIDATE_REGION));
            assertEquals(can, device.supports(Capability.SEND_WITH_INVALIDATE));
            assertEquals(false, device.supports(Capability.READ_WITHOUT_REMOTE_WRITE), "which the protocol rules out");
        }
    }

    /** The value that means a checksum to one device means a key to another. */
    @ParameterizedTest
    @CsvSource({ "0, true", RXE + ", true", MELLANOX + ", false", INTEL + ", false" })
    void shouldReadTheFlagsOfTheKernelOnlyOnRxe(int vendor, boolean areOfKernel) {
        become(vendor, Rdma.IBV_TRANSPORT_IB());
        try (Verbs verbs = open()) {
            CompletionBuffer completion = new CompletionBuffer(1);
            completion.makeNative();
            completion.memory().set(ValueLayout.JAVA_INT, CompletionBuffer.FLAGS,
                    Rdma.IBV_WC_IP_CSUM_OK() | CompletionBuffer.WITH_ROUTING_HEADER);
            CompletionTranslator.received(completion.memory().address(), ((CoreDevice) verbs.device("some0")).posting());
            assertEquals(areOfKernel ? CompletionBuffer.WITH_INVALIDATE : 0,
                    completion.memory().get(ValueLayout.JAVA_INT, CompletionBuffer.FLAGS));
        }
    }

    @ParameterizedTest
    @CsvSource({ SIW + ", 1", INTEL + ", 0", CHELSIO + ", 0" })
    void shouldKeepAKeyFromLibsiwOnly(int vendor, int queues) {
        become(vendor, Rdma.IBV_TRANSPORT_IWARP());
        try (Verbs verbs = open()) {
            assertEquals(1, verbs.devices().size());
            assertEquals(queues, StubDevice.live("cq"));
        }
    }
}
