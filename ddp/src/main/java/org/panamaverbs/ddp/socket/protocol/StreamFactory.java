package org.panamaverbs.ddp.socket.protocol;

import org.panamaverbs.ddp.buffers.Client;

/** Makes the protocol of a stream socket. */
public interface StreamFactory {
    /** How the protocol carries notifications. */
    Client.Protocol clientProtocol();

    /** Makes the protocol over the socket's client. */
    StreamProtocol protocol(Client client, SocketCounters counters);
}
