package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.DeviceAttributes;

/** The depths of Reads: agreeing on them, and their limits. */
abstract class ReadDepthContract extends ConnectionContract {
    @Test
    void shouldAgreeOnTheDepthsOfReadsThatWereOffered() {
        Link link = connect();
        assertEquals(reads(16), link.client().connection.outboundReads());
        assertEquals(reads(16), link.client().connection.inboundReads());
        assertEquals(reads(16), link.server().connection.outboundReads());
        assertEquals(reads(16), link.server().connection.inboundReads());
    }

    @ParameterizedTest
    @CsvSource({ "4,8,2,16,2,4", "8,4,16,16,4,8", "1,1,1,1,1,1", "16,1,16,16,1,16", "0,4,4,4,4,0", "4,0,4,4,0,4", "4,4,0,4,0,4",
            "4,4,4,0,4,0", "0,0,0,0,0,0" })
    void shouldAgreeOnTheLesserDepthOfReads(int clientInbound, int clientOutbound, int serverInbound, int serverOutbound, int clientReads,
            int serverReads) {
        assumeAtLeast(Math.min(limit(client), limit(server)), 16, "depth of Reads");
        Background<Endpoint> dialling = Background
                .start(dialer().clientParameters(ConnectionParameters.defaults().withReads(clientInbound, clientOutbound))::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        assertEquals(clientInbound, request.remoteInboundReads());
        assertEquals(clientOutbound, request.remoteOutboundReads());
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(ConnectionParameters.defaults().withReads(serverInbound, serverOutbound), LIMIT);
        Connection connected = dialling.get().connection;
        assertEquals(clientReads, connected.outboundReads(), "how many Reads the client may have outstanding");
        assertEquals(serverReads, accepted.outboundReads(), "how many Reads the server may have outstanding");
        assertWithin(serverReads, clientInbound, connected.inboundReads(), "how many Reads the client serves");
        assertWithin(clientReads, serverInbound, accepted.inboundReads(), "how many Reads the server serves");
    }

    private static void assertWithin(int least, int most, int actual, String what) {
        assertTrue(actual >= least && actual <= most, () -> what + ": " + actual + " is not within " + least + " to " + most);
    }

    @Test
    void shouldRefuseMoreReadsThanTheDeviceCan() {
        DeviceAttributes limits = client.device.attributes();
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        assertThrows(IllegalArgumentException.class,
                () -> connector.connect(ConnectionParameters.defaults().withReads(limits.maximumInboundReads() + 1, 1), LIMIT));
        Connector other = connector();
        other.createQueuePair(client.domain, attributes(client));
        assertThrows(IllegalArgumentException.class,
                () -> other.connect(ConnectionParameters.defaults().withReads(1, limits.maximumOutboundReads() + 1), LIMIT));
    }

    @Test
    void shouldRefuseReadsWhereNoneWereAgreed() {
        Link link = dialer().clientParameters(ConnectionParameters.defaults().withReads(reads(4), 0)).connect();
        assertEquals(0, link.client().connection.outboundReads());
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        assertThrows(IllegalStateException.class,
                () -> link.client().queuePair.tryPost(new SendRequest().read(1).local(local, 0, 64).remote(remote.remote(), 0).signaled()));
        // The other direction has some.
        link.server().read(2, remote, 0, 64, local, 0);
        link.server().sent.next().succeeded(2, CompletionOpcode.READ);
        link.exchange(3);
    }

    @Test
    void shouldRefuseReadsWhereThePeerServesNone() {
        Link link = dialer().serverParameters(ConnectionParameters.defaults().withReads(0, reads(4))).connect();
        assertEquals(0, link.client().connection.outboundReads());
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        assertThrows(IllegalStateException.class,
                () -> link.client().queuePair.tryPost(new SendRequest().read(1).local(local, 0, 64).remote(remote.remote(), 0).signaled()));
    }

    /** As many Reads as both devices can. */
    private int reads(int wanted) {
        return Math.min(wanted, Math.min(limit(client), limit(server)));
    }

    private static int limit(Side side) {
        return Math.min(side.device.attributes().maximumInboundReads(), side.device.attributes().maximumOutboundReads());
    }
}
