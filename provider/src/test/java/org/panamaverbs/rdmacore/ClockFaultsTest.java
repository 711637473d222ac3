package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;

/** The clock that a device says it has. */
class ClockFaultsTest extends OnStubDevice {
    private static void assertClock(Optional<CompletionClock> expected) {
        try (Verbs verbs = open()) {
            Device device = verbs.device("stub0");
            assertEquals(expected, device.completionClock());
            assertEquals(expected.isPresent(), device.supports(Capability.COMPLETION_TIMESTAMP));
        }
    }

    @Test
    void shouldTellTheRateOfTheClock() {
        StubDevice.pageOnDemand();
        StubDevice.setClock(156_250, 0x7FFF_FFFF_FFFFL);
        assertClock(Optional.of(new CompletionClock(156_250_000, 0x7FFF_FFFF_FFFFL)));
    }

    @Test
    void shouldHaveNoneIfTheDeviceSaysNothing() {
        assertClock(Optional.empty());
    }

    /** No rate, no bits, bits with holes, a rate beyond all clocks. */
    @ParameterizedTest
    @CsvSource({ "0, -1", "1000, 0", "1000, 6", "-1, -1", "9223372036854775807, -1" })
    void shouldHaveNoneIfTheDeviceSaysNonsense(long kilohertz, long mask) {
        StubDevice.pageOnDemand();
        StubDevice.setClock(kilohertz, mask);
        assertClock(Optional.empty());
    }
}
