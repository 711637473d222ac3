package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.device.QueuePairPort;

/** The attributes that devices and their ports report; and devices refuse verbs that they do not support. */
public abstract class DeviceContract extends ContractTest {
    private List<Device> devices() {
        return List.of(client.device, server.device);
    }

    @Test
    void shouldSayWhatItIs() {
        for (Device device : devices()) {
            DeviceAttributes attributes = device.attributes();
            assertNotNull(attributes.transport(), attributes::toString);
            assertFalse(attributes.vendor().isBlank() || attributes.firmware().isBlank(), attributes::toString);
            // A device that is none, as soft-iwarp's, has no identifiers.
            assertEquals(attributes.identity().nodeIdentifier() == 0, attributes.identity().systemIdentifier() == 0, attributes::toString);
            assertEquals(attributes, device.attributes());
        }
    }

    @Test
    void shouldNameItselfInMessages() {
        for (Device device : devices()) {
            assertEquals("device " + device.name(), device.toString());
        }
    }

    @Test
    void shouldSayItsLimits() {
        for (Device device : devices()) {
            DeviceAttributes attributes = device.attributes();
            ObjectLimits objects = attributes.objects();
            assertTrue(attributes.maximumQueuePairs() > 0 && attributes.maximumWorkRequests() > 0 && attributes.maximumScatterGather() > 0
                    && attributes.maximumCompletionQueueEntries() > 0 && attributes.maximumRegions() > 0
                    && attributes.maximumRegionSize() > 0 && attributes.maximumMessageSize() > 0, attributes::toString);
            assertTrue(objects.completionQueues() > 0 && objects.protectionDomains() > 0, objects::toString);
            assertEquals(device.supports(Capability.SHARED_RECEIVE_QUEUE), objects.sharedReceiveQueues() > 0, objects::toString);
            assertEquals(objects.sharedReceiveQueues() > 0, objects.sharedReceives() > 0 && objects.sharedReceiveElements() > 0,
                    objects::toString);
            if (device.supports(Capability.MEMORY_WINDOW_TYPE_1) || device.supports(Capability.MEMORY_WINDOW_TYPE_2)) {
                assertTrue(objects.memoryWindows() > 0, objects::toString);
            }
            if (device.supports(Capability.DATAGRAM)) {
                assertTrue(objects.addressHandles() > 0, objects::toString);
            }
        }
    }

    @Test
    void shouldSayHowItsPortsAre() {
        for (Device device : devices()) {
            List<PortAttributes> ports = device.ports();
            assertFalse(ports.isEmpty());
            assertEquals(device.attributes().active(), ports.stream().anyMatch(port -> port.state() == PortAttributes.State.ACTIVE));
            for (int i = 0; i < ports.size(); i++) {
                PortAttributes port = ports.get(i);
                assertEquals(i + 1, port.number());
                assertFalse(port.linkLayer().isBlank(), port::toString);
                assertTrue(port.activeMtu() > 0 && port.activeMtu() <= port.maximumMtu(), port::toString);
                assertTrue(port.speed() >= 0 && port.maximumMessageSize() > 0, port::toString);
                assertFalse(port.physicalState().isBlank());
                assertTrue(port.identifiers().isEmpty() || !port.identifiers().getLast().isEmpty(), port::toString);
            }
        }
    }

    @Test
    void shouldRefuseWhatItCannotDo() {
        for (Side side : List.of(client, server)) {
            refusesWithout(side, Capability.SHARED_RECEIVE_QUEUE, () -> side.domain.createSharedReceiveQueue(8, 1));
            refusesWithout(side, Capability.MEMORY_WINDOW_TYPE_1, () -> side.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1));
            refusesWithout(side, Capability.MEMORY_WINDOW_TYPE_2, () -> side.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2));
            refusesWithout(side, Capability.DATAGRAM,
                    () -> side.domain.createDatagramQueuePair(QueuePairAttributes.of(side.queue(64)), 1, 1));
            refusesWithout(side, Capability.RELIABLE_DATAGRAM,
                    () -> side.domain.createReliableDatagramQueuePair(QueuePairAttributes.of(side.queue(64)), QueuePairPort.of(1), 1));
            refusesWithout(side, Capability.DATAGRAM,
                    () -> side.domain.createAddressHandle(AddressVector.to(1, 0, new GlobalIdentifier(0, 1))));
            refusesWithout(side, Capability.DMA_BUF, () -> side.domain.registerDmaBuf(0, 0, 4096, Set.of(Access.LOCAL_WRITE)));
            refusesWithout(side, Capability.ON_DEMAND_PAGING,
                    () -> side.domain.register(side.memory(4096), Access.LOCAL_WRITE, Access.ON_DEMAND));
            refusesWithout(side, Capability.ATOMIC,
                    () -> side.domain.register(side.memory(4096), Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
        }
    }

    private static void refusesWithout(Side side, Capability capability, Executable verb) {
        if (!side.device.supports(capability)) {
            String message = assertThrows(UnsupportedVerbException.class, verb).getMessage();
            assertTrue(message.contains(side.device.name()) && message.contains(capability.text()) && message.contains(capability.name()),
                    message);
        }
    }

    @Test
    void shouldRegisterPagesOnDemand() {
        assumeSupports(client.device, Capability.ON_DEMAND_PAGING);
        assumeSupports(server.device, Capability.ON_DEMAND_PAGING);
        int length = 1 << 20;
        long pinned = client.device.pinnedMemory().pinnedBytes();
        carries(client.region(length, carrying(Access.ON_DEMAND)), server.region(length, carrying(Access.ON_DEMAND)));
        assertEquals(pinned, client.device.pinnedMemory().pinnedBytes());
    }

    /** Only where the system has reserved some, as the lab has. */
    @Test
    void shouldRegisterHugePages() throws IOException {
        HugePages pages = HugePages.assumed();
        MemorySegment from = pages.map(client.arena);
        MemorySegment to = pages.map(server.arena);
        assertTrue(pages.have(from) && pages.have(to));
        carries(client.domain.register(from, carrying(Access.HUGE_PAGES)), server.domain.register(to, carrying(Access.HUGE_PAGES)));
    }

    /** A hint that every device takes, whether it makes use of it or not. */
    @Test
    void shouldTakeTheHintOfRelaxedOrdering() {
        carries(client.region(1 << 16, carrying(Access.RELAXED_ORDERING)), server.region(1 << 16, carrying(Access.RELAXED_ORDERING)));
    }

    /** What {@link #carries} needs, and one right more; on iWARP the answer to a Read is a Write of the peer. */
    private static Set<Access> carrying(Access more) {
        return Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, more);
    }

    /** By a Send, a Write and a Read. */
    private void carries(MemoryRegion from, MemoryRegion to) {
        Link link = connect();
        long length = from.length();
        Pattern.fill(from.segment(), 0, length, 7);
        link.server().receive(1, to, 0, length);
        link.client().send(2, from, 0, length);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.server().received.next().received(1, length);
        Pattern.verify(to.segment(), 0, length, 7);
        Pattern.fill(from.segment(), 0, length, 8);
        link.client().write(3, from, 0, length, to, 0);
        link.client().sent.next().succeeded(3, CompletionOpcode.WRITE);
        from.segment().fill((byte) 0);
        link.client().read(4, from, 0, length, to, 0);
        link.client().sent.next().succeeded(4, CompletionOpcode.READ);
        Pattern.verify(from.segment(), 0, length, 8);
    }

    @Test
    void shouldSayOfEveryCapabilityWhetherItHasIt() {
        for (Device device : devices()) {
            List<Capability> has = new ArrayList<>(Arrays.stream(Capability.values()).filter(device::supports).toList());
            assertEquals(has, Arrays.stream(Capability.values()).filter(device::supports).toList());
            assertTrue(device.supports(Capability.RELIABLE_CONNECTION), "the suite connects");
            // The stronger one of two includes the weaker.
            assertTrue(!device.supports(Capability.GLOBAL_ATOMIC) || device.supports(Capability.ATOMIC), has::toString);
            assertTrue(!device.supports(Capability.MASKED_ATOMIC) || device.supports(Capability.ATOMIC), has::toString);
            assertTrue(!device.supports(Capability.IMMEDIATE_DATA) || device.supports(Capability.WRITE_WITH_IMMEDIATE), has::toString);
        }
    }

    @Test
    void shouldNotAnswerOnceItIsClosed() {
        Side own = openClient();
        own.close();
        assertThrows(ClosedException.class, own.device::ports);
        assertThrows(ClosedException.class, own.device::asynchronousEvents);
        assertFalse(own.device.name().isBlank());
    }
}
