package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** Why there is no device, as far as that can be known. */
class AvailabilityFaultsTest extends OnStubDevice {
    private static Availability availability() {
        return new RdmaCoreProvider().availability(configuration().build());
    }

    private static Availability automatic(String device) {
        return new RdmaCoreProvider()
                .availability(Configuration.builder().set("panamaverbs.provider", "auto").set("panamaverbs.device", device).build());
    }

    private static String refusal() {
        return refusal(availability());
    }

    private static String refusal(Availability availability) {
        assertFalse(availability.available(), availability::detail);
        assertEquals(1, availability.detail().lines().count(), availability::detail);
        return availability.detail();
    }

    @Test
    void shouldSayThatThereIsNoDevice() {
        StubDevice.unplug();
        assertTrue(refusal().contains("there is no RDMA device"), AvailabilityFaultsTest::refusal);
    }

    /** The identifier of a RoCE port whose interface has an address that this machine has. */
    private static GlobalIdentifier local() {
        return GlobalIdentifier.of(InetAddress.getLoopbackAddress());
    }

    private static void assertMentions(String text, String... parts) {
        for (String part : parts) {
            assertTrue(text.contains(part), text);
        }
    }

    @Test
    void shouldTakeADeviceWithAnAddressAutomatically() {
        StubDevice.setIdentifier(0, local());
        assertTrue(automatic("").available(), () -> automatic("").detail());
        assertTrue(automatic("stub0").available(), () -> automatic("stub0").detail());
        assertMentions(refusal(automatic("other0")), "no RDMA device is called other0", "stub0");
    }

    /** Connecting over it would fail: the connection manager finds no device for any address. */
    @Test
    void shouldNotTakeADeviceWithoutAnAddressAutomatically() {
        assertMentions(refusal(automatic("")), "stub0", "IP address", "ip address add");
        StubDevice.setIdentifier(0, new GlobalIdentifier(0xfe80L << 48, 0x1234));
        assertMentions(refusal(automatic("")), "stub0", "IP address");
        StubDevice.setIdentifier(0, new GlobalIdentifier(0, 0xFFFFC0000263L));
        assertMentions(refusal(automatic("")), "stub0", "IP address");
        assertTrue(availability().available(), "a program that names the provider gets it");
    }

    @Test
    void shouldNotTakeADeviceThatIsDownAutomatically() {
        StubDevice.setIdentifier(0, local());
        StubDevice.takeDown(0);
        assertMentions(refusal(automatic("")), "stub0", "no active port", "ip link set up");
    }

    @Test
    void shouldNotTakeADeviceWithoutReliableConnectionsAutomatically() {
        StubDevice.replace("efa0", 0x1d0f, 64);
        StubDevice.setIdentifier(0, local());
        assertMentions(refusal(automatic("")), "efa0", "no reliable connections", "soft-iwarp");
        StubDevice.replace("efa1", 0, 64);
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_UNSPECIFIED());
        assertMentions(refusal(automatic("")), "efa1", "no reliable connections");
    }

    @Test
    void shouldSayOfEachDeviceWhyItIsNotTaken() {
        StubDevice.addSecond(true);
        StubDevice.takeDown(0);
        assertMentions(refusal(automatic("")), "stub0 has no active port", "device stub1 has an IP address");
        assertFalse(refusal(automatic("stub1")).contains("stub0"), () -> automatic("stub1").detail());
        StubDevice.setIdentifier(1, local());
        assertTrue(automatic("").available(), () -> automatic("").detail());
        assertTrue(automatic("stub1").available(), () -> automatic("stub1").detail());
        assertMentions(refusal(automatic("stub0")), "stub0 has no active port");
    }

    @Test
    void shouldSayThatADeviceCannotBeQueried() {
        StubDevice.fail("ibv_query_device", Libc.EIO(), 0);
        assertMentions(refusal(automatic("")), "stub0", "ibv_query_device: EIO");
    }

    /** The first device is taken by a program that names none. */
    @Test
    void shouldPutDevicesFirstThatCanCarryAConnection() {
        StubDevice.addSecond(true);
        StubDevice.setIdentifier(1, local());
        try (Verbs verbs = open()) {
            assertEquals("stub1", verbs.device().name());
        }
        StubDevice.setIdentifier(1, new GlobalIdentifier(0, 0));
        StubDevice.takeDown(0);
        try (Verbs verbs = open()) {
            assertEquals(List.of("stub1", "stub0"), verbs.devices().stream().map(Device::name).toList());
        }
    }

    @Test
    void shouldListAllDevices() {
        StubDevice.addSecond(true);
        try (Verbs verbs = open()) {
            assertEquals(List.of("stub0", "stub1"), verbs.devices().stream().map(Device::name).sorted().toList());
        }
    }

    /** librdmacm then gives none, and ENODEV as its reason. */
    @Test
    void shouldNameTheDeviceThatCannotBeOpened() {
        StubDevice.addSecond(false);
        String refusal = refusal();
        assertTrue(refusal.contains("stub1") && refusal.contains("EMFILE") && !refusal.contains("there is no RDMA device"), refusal);
        assertFalse(refusal.contains("stub0:"), refusal);
        assertEquals(0, StubDevice.live("opened"), "tried, and closed");
        assertEquals(0, StubDevice.live("device_list"));
    }

    /** As in a container without /dev/infiniband: the kernel lists the cards of the host, and librdmacm gives an empty list. */
    @Test
    void shouldSayWhatAContainerLacks() {
        StubDevice.leaveOut();
        StubDevice.refuseFirst();
        assertMentions(refusal(), "stub0", "ibv_open_device: EMFILE", "--device /dev/infiniband", "--ulimit memlock=-1");
        assertFalse(refusal().contains("there is no RDMA device") || refusal().contains("rdma link delete"),
                AvailabilityFaultsTest::refusal);
        assertThrows(VerbsException.class, OnStubDevice::open);
        assertEquals(0, StubDevice.live("list"));
        StubDevice.unplug();
        assertMentions(refusal(), "there is no RDMA device");
    }

    @Test
    void shouldWarnOfADeviceThatIsLeftOut() {
        StubDevice.leaveOut();
        StubDevice.addSecond(false);
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (Verbs verbs = open()) {
            assertEquals(List.of("stub0"), verbs.devices().stream().map(Device::name).toList());
        } finally {
            System.setErr(before);
        }
        assertMentions(log.toString(StandardCharsets.UTF_8), "left out", "stub1", "EMFILE");
    }

    @Test
    void shouldSayThatDevicesCannotBeListed() {
        StubDevice.fail("rdma_get_devices", StubDevice.BY_ERRNO, Libc.ENODEV());
        String refusal = refusal();
        assertTrue(refusal.contains("stub0") && !refusal.contains("there is no RDMA device"), refusal);
    }
}
