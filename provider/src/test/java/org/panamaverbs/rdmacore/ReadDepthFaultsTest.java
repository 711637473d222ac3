package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** The depths of Reads, as the drivers of cards name them. Numbers of a row: what the driver says, then what both sides get. */
class ReadDepthFaultsTest extends OnStubDevice {
    private static final int SIW = 0x626d74;
    private static final int INTEL = 0x8086;
    private static final int CHELSIO = 0x1425;
    private static final int ALIBABA = 0x1ded;
    private static final int MELLANOX = 0x2c9;

    private static void become(int vendor) {
        StubDevice.replace("some0", vendor, 64);
        StubDevice.setTransport(0, vendor == MELLANOX ? Rdma.IBV_TRANSPORT_IB() : Rdma.IBV_TRANSPORT_IWARP());
    }

    private static void assertReads(Connection connection, int inbound, int outbound) {
        assertEquals(inbound, connection.inboundReads(), "Reads in");
        assertEquals(outbound, connection.outboundReads(), "Reads out");
    }

    /** irdma and i40iw set IRD alone in their event of a request (irdma_send_cm_event); MPA revision 1 has neither. */
    @ParameterizedTest
    @CsvSource({ INTEL + ", 0, 127, 16, 16", SIW + ", 0, 0, 16, 16", SIW + ", 4, 2, 4, 2", SIW + ", 4, 0, 4, 0", SIW + ", 0, 4, 16, 4",
            MELLANOX + ", 0, 4, 0, 4", MELLANOX + ", 4, 0, 4, 0", MELLANOX + ", 0, 0, 0, 0" })
    void shouldGrantReadsToAPeerWhoseDriverDoesNotSayHowMany(int vendor, int resources, int depth, int inbound, int outbound) {
        become(vendor);
        StubDevice.sayReads(resources, depth);
        try (Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            StubDevice.raiseRequest(StubDevice.listener());
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            request.createQueuePair(request.device().allocateProtectionDomain(),
                    QueuePairAttributes.of(request.device().createCompletionQueue(8)));
            assertReads(request.accept(ConnectionParameters.defaults(), LIMIT), inbound, outbound);
            assertEquals(inbound, StubDevice.acceptedResources(), "responder_resources");
            assertEquals(outbound, StubDevice.acceptedDepth(), "initiator_depth");
        }
    }

    /**
     * cxgb4 names IRD and ORD the other way round than siw and irdma (connect_reply_upcall), and erdma says neither (erdma_cm_upcall). A side that
     * serves no Reads may ask for some.
     */
    @ParameterizedTest
    @CsvSource({ SIW + ", 0, 4, 4, 0", SIW + ", 4, 0, 0, 4", INTEL + ", 8, 2, 2, 8", CHELSIO + ", 0, 4, 0, 4", CHELSIO + ", 4, 0, 4, 0",
            ALIBABA + ", 0, 0, 16, 16", SIW + ", 0, 0, 0, 0", MELLANOX + ", 8, 2, 8, 2" })
    void shouldReadTheDepthsAsTheDriverMeansThem(int vendor, int resources, int depth, int inbound, int outbound) {
        become(vendor);
        StubDevice.sayReads(resources, depth);
        try (Verbs verbs = open()) {
            Connector connector = ConnectionManager.of(verbs).connector(NOBODY, LIMIT);
            connector.createQueuePair(connector.device().allocateProtectionDomain(),
                    QueuePairAttributes.of(connector.device().createCompletionQueue(8)));
            assertReads(connector.connect(ConnectionParameters.defaults(), LIMIT), inbound, outbound);
        }
    }
}
