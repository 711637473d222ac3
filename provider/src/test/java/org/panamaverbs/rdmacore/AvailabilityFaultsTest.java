package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** Why there is no device, as far as that can be known. */
class AvailabilityFaultsTest extends OnStubDevice {
    private static Availability availability() {
        return new RdmaCoreProvider().availability(configuration().build());
    }

    private static String refusal() {
        Availability availability = availability();
        assertFalse(availability.available(), availability::detail);
        assertEquals(1, availability.detail().lines().count(), availability::detail);
        return availability.detail();
    }

    @Test
    void shouldSayThatThereIsNoDevice() {
        StubDevice.unplug();
        assertTrue(refusal().contains("there is no RDMA device"), AvailabilityFaultsTest::refusal);
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

    @Test
    void shouldSayThatDevicesCannotBeListed() {
        StubDevice.fail("rdma_get_devices", StubDevice.BY_ERRNO, Libc.ENODEV());
        String refusal = refusal();
        assertTrue(refusal.contains("stub0") && !refusal.contains("there is no RDMA device"), refusal);
    }
}
