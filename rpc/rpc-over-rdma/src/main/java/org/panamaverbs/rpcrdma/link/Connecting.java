package org.panamaverbs.rpcrdma.link;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.gate.Seat;

/** Brings links into being: the private data of RFC 8797 goes with the request and its answer. */
public final class Connecting {
    private Connecting() {
    }

    /**
     * Connects; the exceptions are those of {@link Connector#connect}.
     *
     * @param listener gets the link before the peer's first call can come
     */
    public static VerbsLink connect(ConnectionManager manager, Links links, InetSocketAddress remote, LinkOptions options,
            KeptRegistrations kept, Dispatcher dispatcher, Seat seat, Consumer<VerbsLink> listener, Duration timeout) {
        try (Connector connector = manager.connector(remote, timeout)) {
            VerbsLink link = links.make(connector.device(), options, kept, dispatcher, seat);
            boolean connected = false;
            try {
                listener.accept(link);
                link.begin(connector.createQueuePair(link.domain(), link.attributes()));
                link.connected(connector.connect(
                        ConnectionParameters.defaults().withPrivateData(options.privateData(connector.device()).encode()), timeout));
                connected = true;
                return link;
            } finally {
                if (!connected) {
                    link.close();
                }
            }
        }
    }

    /**
     * Accepts a request.
     *
     * @param seat of the connection
     * @param listener gets the link before the peer's first call can come
     */
    public static VerbsLink accept(ConnectionRequest request, Links links, LinkOptions options, KeptRegistrations kept,
            Dispatcher dispatcher, Seat seat, Consumer<VerbsLink> listener, Duration timeout) {
        VerbsLink link = links.make(request.device(), options, kept, dispatcher, seat);
        boolean connected = false;
        try {
            listener.accept(link);
            link.begin(request.createQueuePair(link.domain(), link.attributes()));
            link.connected(request.accept(ConnectionParameters.defaults().withPrivateData(options.privateData(request.device()).encode()),
                    timeout));
            connected = true;
            return link;
        } finally {
            if (!connected) {
                link.close();
            }
        }
    }
}
