package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.NoProviderException;
import org.panamaverbs.spi.VerbsProvider;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** The answers of the provider if there is no device; with devices they are the contract suite's, in the lab. */
class RdmaCoreProviderTest {
    private final RdmaCoreProvider provider = new RdmaCoreProvider();

    @Test
    void shouldBeFound() {
        assertTrue(ServiceLoader.load(VerbsProvider.class).stream().anyMatch(found -> found.type() == RdmaCoreProvider.class));
        assertEquals("rdma-core", provider.name());
        assertTrue(provider.preference() > 0, "devices come before soft-iwarp");
    }

    @Test
    void shouldSayWhatItFoundOrWhatIsMissing() {
        Availability availability = provider.availability(Configuration.load());
        assertFalse(availability.detail().isBlank());
        assertEquals(1, availability.detail().lines().count(), availability::detail);
    }

    @Test
    void shouldNotOpenWhereItIsNotAvailable() {
        Availability availability = provider.availability(Configuration.load());
        Assumptions.assumeFalse(availability.available(), () -> "it is available here: " + availability.detail());
        NoProviderException refused = assertThrows(NoProviderException.class, () -> provider.open(Configuration.load()));
        assertTrue(refused.getMessage().contains(availability.detail()), refused::getMessage);
    }

    @Test
    void shouldNotTakeADeviceOfAnotherProviderWhereTheChoiceIsAutomatic() {
        Configuration other = Configuration.builder().set("panamaverbs.device", "soft-iwarp0").build();
        assertFalse(provider.availability(other).available());
    }
}
