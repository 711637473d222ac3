package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;

/** Private data of those that connect and accept. */
abstract class PrivateDataContract extends ConnectionContract {
    @Test
    void shouldCarryPrivateDataBothWays() {
        byte[] hello = "from the client".getBytes();
        byte[] welcome = "from the server, which has more to say".getBytes();
        Background<Endpoint> dialling = Background.start(dialer().clientParameters(parameters(client).withPrivateData(hello))::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        assertPrivateData(hello, request.privateData());
        request.privateData()[0] = 'X';
        assertPrivateData(hello, request.privateData());
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(parameters(server).withPrivateData(welcome), LIMIT);
        Connection connected = dialling.get().connection;
        assertPrivateData(welcome, connected.privateData());
        assertPrivateData(hello, accepted.privateData());
        connected.privateData()[0] = 'X';
        assertPrivateData(welcome, connected.privateData());
    }

    @Test
    void shouldCarryNoPrivateDataWhereThereIsNone() {
        Link link = connect();
        assertPrivateData(new byte[0], link.client().connection.privateData());
        assertPrivateData(new byte[0], link.server().connection.privateData());
    }

    @Test
    void shouldCarryAsMuchPrivateDataAsTheDeviceSays() {
        int most = Math.min(client.device.attributes().maximumPrivateData(), server.device.attributes().maximumPrivateData());
        assertTrue(most > 0, "private data is always possible");
        Link link = dialer().clientParameters(parameters(client).withPrivateData(bytes(most, 1)))
                .serverParameters(parameters(server).withPrivateData(bytes(most, 2))).connect();
        assertPrivateData(bytes(most, 1), link.server().connection.privateData());
        assertPrivateData(bytes(most, 2), link.client().connection.privateData());
        link.exchange(1);
    }

    @Test
    void shouldRefuseToConnectWithMorePrivateDataThanTheDeviceSays() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        ConnectionParameters tooMuch = parameters(client).withPrivateData(bytes(client.device.attributes().maximumPrivateData() + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> connector.connect(tooMuch, LIMIT));
    }

    @Test
    void shouldRefuseToAcceptWithMorePrivateDataThanTheDeviceSays() {
        Assumptions.assumeTrue(server.isIwarp(), "elsewhere a reply may carry more than a request");
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        ConnectionParameters tooMuch = parameters(server).withPrivateData(bytes(server.device.attributes().maximumPrivateData() + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> request.accept(tooMuch, LIMIT));
        request.close();
        dialling.getThrown(PeerException.class);
    }
}
