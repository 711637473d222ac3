package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.device.Transport;

/** What cards can do that are neither InfiniBand's nor plain iWARP's. */
class CapabilitiesFaultsTest extends OnStubDevice {
    private static final int AMAZON = 0x1d0f;
    private static final int ALIBABA = 0x1ded;
    private static final int MICROSOFT = 0x1414;
    private static final int INTEL = 0x8086;

    private static void become(int vendor, int transport) {
        StubDevice.replace("some0", vendor, 64);
        StubDevice.setTransport(0, transport);
    }

    /** libefa has queue pairs for datagrams alone, besides those of a type of its own. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 4 })
    void shouldGiveEfaNothingOfConnections(int transport) {
        become(AMAZON, transport);
        try (Verbs verbs = open()) {
            Device device = verbs.device("some0");
            assertEquals(Transport.EFA, device.attributes().transport());
            assertEquals(32, device.attributes().maximumInline());
            for (Capability capability : List.of(Capability.CONNECT_BY_ADDRESS, Capability.WRITE_WITH_IMMEDIATE,
                    Capability.RECEIVER_NOT_READY, Capability.ACKNOWLEDGEMENT_TIMEOUT, Capability.READ_WITHOUT_REMOTE_WRITE,
                    Capability.ATOMIC)) {
                assertEquals(false, device.supports(capability), capability.text());
            }
            assertEquals(true, device.supports(Capability.DATAGRAM));
            assertEquals(true, device.supports(Capability.IMMEDIATE_DATA), "of datagrams");
        }
    }

    /** mana's kernel driver names address handles, and its library makes no queue pairs for datagrams. */
    @ParameterizedTest
    @CsvSource({ MICROSOFT + ", false", "0, true" })
    void shouldHaveDatagramsWhereTheLibraryMakesQueuePairsForThem(int vendor, boolean has) {
        become(vendor, Rdma.IBV_TRANSPORT_IB());
        try (Verbs verbs = open()) {
            assertEquals(has, verbs.device("some0").supports(Capability.DATAGRAM));
            assertEquals(0, StubDevice.live("qp"), "what was tried");
        }
    }

    @Test
    void shouldNotTakeAShortageForALackOfDatagrams() {
        become(0, Rdma.IBV_TRANSPORT_IB());
        StubDevice.fail("ibv_create_qp", 0, Libc.ENOMEM());
        try (Verbs verbs = open()) {
            assertEquals(true, verbs.device("some0").supports(Capability.DATAGRAM));
        } finally {
            StubDevice.heal();
        }
    }

    /** liberdma posts immediate data with Sends and Writes (erdma_verbs.c); libirdma does over RoCE alone. */
    @ParameterizedTest
    @CsvSource({ ALIBABA + ", true", INTEL + ", false" })
    void shouldGiveImmediateDataToCardsOfIwarpThatHaveIt(int vendor, boolean has) {
        become(vendor, Rdma.IBV_TRANSPORT_IWARP());
        try (Verbs verbs = open()) {
            assertEquals(has, verbs.device("some0").supports(Capability.WRITE_WITH_IMMEDIATE));
            assertEquals(has, verbs.device("some0").supports(Capability.IMMEDIATE_DATA));
        }
    }

    /** A driver says that itself (atomic_cap). */
    @ParameterizedTest
    @CsvSource({ "0, false, false", "1, true, false", "2, true, true" })
    void shouldGiveAtomicsToCardsOfIwarpThatHaveThem(int capability, boolean has, boolean isGlobal) {
        become(ALIBABA, Rdma.IBV_TRANSPORT_IWARP());
        StubDevice.haveAtomics(capability);
        try (Verbs verbs = open()) {
            assertEquals(has, verbs.device("some0").supports(Capability.ATOMIC));
            assertEquals(isGlobal, verbs.device("some0").supports(Capability.GLOBAL_ATOMIC));
        }
    }
}
