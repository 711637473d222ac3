package org.panamaverbs.rpcrdma.endpoint;

import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.rpcrdma.wire.PropertyMessage;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * Transport properties of version 2 (draft, 6): each side announces its own once the version is agreed on. The size of receives can be made
 * smaller on request, and not larger, since receives are posted already.
 */
final class PropertyExchange {
    private static final int LEAST = 1024;
    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final PropertyMessage message = new PropertyMessage();
    private boolean announced;
    private boolean peerAnnounced;
    private int peerReceiveSize;
    private int peerBackward = PropertyMessage.BACKWARD_INLINE;
    private int ownReceiveSize;
    private int nextXid = 0x5000_0000;
    private int requestedXid;
    private int requestedSize;

    PropertyExchange(Endpoint endpoint, Link link, EndpointOptions options) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        ownReceiveSize = link.receiveCapacity();
    }

    /** The size that the peer said, or the usual one; less as long as this side asks for less (draft, 6.2.1). */
    int peerReceiveSize(PrivateData connecting) {
        int usual = PropertyMessage.USUAL_RECEIVE_BUFFER;
        int size = peerReceiveSize != 0 ? peerReceiveSize : connecting == null ? usual : Math.min(usual, connecting.receiveSize());
        return requestedXid == 0 ? size : Math.min(size, requestedSize);
    }

    /** Whether the peer knows properties, and so heeds those of this side. */
    boolean peerAnnounced() {
        return peerAnnounced;
    }

    /** Whether the peer said that it takes no calls of a server. */
    boolean peerTakesNoCalls() {
        return endpoint.confirmedVersion() == Wire.VERSION_2 && peerBackward == PropertyMessage.BACKWARD_NONE;
    }

    /** Whether the peer's support of backward calls is for inline messages alone, as it is by default (draft, 6.2.2). */
    boolean peerTakesInlineCallsAlone() {
        return endpoint.confirmedVersion() == Wire.VERSION_2 && peerBackward == PropertyMessage.BACKWARD_INLINE;
    }

    /** Sends the properties of this side (draft, 6.3.1); both properties may not change but on request. */
    void announce() {
        if (announced) {
            return;
        }
        announced = true;
        message.clear();
        message.add(PropertyMessage.RECEIVE_BUFFER_SIZE, ownReceiveSize);
        message.add(PropertyMessage.BACKWARD_REQUEST_SUPPORT, backward());
        message.putInFirst(1);
        endpoint.sendProperties(message, nextXid++, Wire.CONNPROP);
    }

    private int backward() {
        return options.creditsGranted() > 0 ? PropertyMessage.BACKWARD_GENERAL : PropertyMessage.BACKWARD_NONE;
    }

    /** Throws what its caller did wrong. */
    void checkRequest(int receiveSize) {
        if (endpoint.confirmedVersion() != Wire.VERSION_2) {
            throw new IllegalStateException("properties are part of version 2 alone, and known after the first answer");
        }
        if (receiveSize < LEAST) {
            throw new IllegalArgumentException("receives have " + LEAST + " bytes or more, not " + receiveSize);
        }
    }

    void request(int receiveSize) {
        message.clear();
        message.add(PropertyMessage.RECEIVE_BUFFER_SIZE, receiveSize);
        requestedXid = nextXid++;
        requestedSize = receiveSize;
        endpoint.sendProperties(message, requestedXid, Wire.REQPROP);
    }

    void onMessage(HeaderReader header) {
        PropertyMessage received = header.properties();
        switch (header.procedure()) {
            case Wire.REQPROP -> answer(header.xid(), received);
            case Wire.RESPROP -> onResponse(header.xid(), received);
            default -> {
                peerAnnounced = true;
                for (int i = 0; i < received.count(); i++) {
                    take(received.id(i), received.value(i));
                }
            }
        }
    }

    private void take(int id, int value) {
        if (id == PropertyMessage.RECEIVE_BUFFER_SIZE) {
            // Less than any version needs would make calls impossible.
            peerReceiveSize = value < 0 ? Integer.MAX_VALUE : Math.max(value, LEAST);
        } else if (id == PropertyMessage.BACKWARD_REQUEST_SUPPORT) {
            peerBackward = value;
        }
    }

    /** Receives of the size that are posted hold shorter messages, too; longer ones are refused (draft, 6.3.3). */
    private void answer(int xid, PropertyMessage wanted) {
        message.clear();
        for (int i = 0; i < wanted.count(); i++) {
            boolean done = switch (wanted.id(i)) {
                case PropertyMessage.RECEIVE_BUFFER_SIZE -> wanted.value(i) >= LEAST && wanted.value(i) <= link.receiveCapacity();
                case PropertyMessage.BACKWARD_REQUEST_SUPPORT -> wanted.value(i) == backward();
                default -> false;
            };
            if (done) {
                message.putInFirst(i);
                ownReceiveSize = wanted.id(i) == PropertyMessage.RECEIVE_BUFFER_SIZE ? wanted.value(i) : ownReceiveSize;
            } else {
                message.putInSecond(i);
            }
        }
        endpoint.sendProperties(message, xid, Wire.RESPROP);
    }

    private void onResponse(int xid, PropertyMessage response) {
        if (requestedXid == 0 || xid != requestedXid) {
            endpoint.counters().discarded.increment();
            return;
        }
        requestedXid = 0;
        boolean done = response.isInFirst(0);
        int other = -1;
        int others = 0;
        for (int i = 0; i < response.count(); i++) {
            // Values of properties that were not asked for are ignored (draft, 6.3.3).
            if (response.id(i) == PropertyMessage.RECEIVE_BUFFER_SIZE) {
                other = i;
                others++;
            }
        }
        // "Missing or within the overlap" counts as rejected (draft, 6.3.3).
        if (response.isInSecond(0) || done == (others > 0) || others > 1) {
            return;
        }
        take(PropertyMessage.RECEIVE_BUFFER_SIZE, done ? requestedSize : response.value(other));
    }

    /** The peer does not know the request. */
    boolean onError(int xid) {
        boolean requested = requestedXid != 0 && xid == requestedXid;
        if (requested) {
            requestedXid = 0;
        }
        return requested;
    }
}
