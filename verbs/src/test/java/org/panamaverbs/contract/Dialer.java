package org.panamaverbs.contract;

import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** Makes connections from a client to a listener of a server, both ends in this program. */
final class Dialer {
    /** The parts of one end. */
    private static final class End {
        private final Side side;
        private UnaryOperator<QueuePairAttributes> attributes = UnaryOperator.identity();
        private ConnectionParameters parameters = ConnectionParameters.defaults();
        private CompletionQueue sendQueue;
        private CompletionQueue receiveQueue;
        private BiConsumer<Side, QueuePair> prepare = (_, _) -> {
        };

        private End(Side side) {
            this.side = side;
            this.parameters = reads(side, 16, 16);
        }

        private QueuePairAttributes build(int entries) {
            return attributes.apply(QueuePairAttributes
                    .of(sendQueue != null ? sendQueue : side.queue(entries), receiveQueue != null ? receiveQueue : side.queue(entries))
                    .withInline(Math.min(64, inline())));
        }

        private int inline() {
            return side.device.attributes().maximumInline();
        }
    }

    private final Listener listener;
    private final boolean spins;
    private final End client;
    private final End server;
    private int entries = 512;

    Dialer(Side client, Side server, Listener listener, boolean spins) {
        this.listener = listener;
        this.spins = spins;
        this.client = new End(client);
        this.server = new End(server);
    }

    /** No private data, and these depths of Reads as far as the device can. */
    static ConnectionParameters reads(Side side, int inbound, int outbound) {
        return ConnectionParameters.defaults().withReads(Math.min(inbound, side.device.attributes().maximumInboundReads()),
                Math.min(outbound, side.device.attributes().maximumOutboundReads()));
    }

    /** How many completions the queues hold that it makes itself. */
    Dialer entries(int count) {
        entries = count;
        return this;
    }

    /** Changes the attributes of both queue pairs. */
    Dialer attributes(UnaryOperator<QueuePairAttributes> change) {
        return clientAttributes(change).serverAttributes(change);
    }

    Dialer clientAttributes(UnaryOperator<QueuePairAttributes> change) {
        client.attributes = change;
        return this;
    }

    Dialer serverAttributes(UnaryOperator<QueuePairAttributes> change) {
        server.attributes = change;
        return this;
    }

    Dialer clientParameters(ConnectionParameters parameters) {
        client.parameters = parameters;
        return this;
    }

    Dialer serverParameters(ConnectionParameters parameters) {
        server.parameters = parameters;
        return this;
    }

    Dialer clientQueues(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        client.sendQueue = sendQueue;
        client.receiveQueue = receiveQueue;
        return this;
    }

    Dialer serverQueues(CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        server.sendQueue = sendQueue;
        server.receiveQueue = receiveQueue;
        return this;
    }

    /** Sets a step that runs on the client's queue pair before it connects. */
    Dialer prepareClient(BiConsumer<Side, QueuePair> prepare) {
        client.prepare = prepare;
        return this;
    }

    /** Sets a step that runs on the server's queue pair before it accepts. */
    Dialer prepareServer(BiConsumer<Side, QueuePair> prepare) {
        server.prepare = prepare;
        return this;
    }

    /** Connects; one connection at a time. */
    Link connect() {
        Background<Endpoint> accepting = Background.start(this::accept);
        Endpoint connected;
        try {
            connected = dial();
        } catch (RuntimeException e) {
            try {
                accepting.get();
            } catch (RuntimeException | AssertionError other) {
                e.addSuppressed(other);
            }
            throw e;
        }
        return new Link(connected, accepting.get());
    }

    /** The active side alone. */
    Endpoint dial() {
        Connector connector = client.side.connections().connector(listener.address(), ContractTest.LIMIT);
        QueuePair queuePair = connector.createQueuePair(client.side.domain, client.build(entries));
        client.prepare.accept(client.side, queuePair);
        Connection connection = connector.connect(client.parameters, ContractTest.LIMIT);
        return new Endpoint(client.side, queuePair, connection, spins);
    }

    /** The passive side alone. */
    Endpoint accept() {
        ConnectionRequest request = listener.awaitRequest(ContractTest.LIMIT);
        QueuePair queuePair = request.createQueuePair(server.side.domain, server.build(entries));
        server.prepare.accept(server.side, queuePair);
        Connection connection = request.accept(server.parameters, ContractTest.LIMIT);
        return new Endpoint(server.side, queuePair, connection, spins);
    }
}
