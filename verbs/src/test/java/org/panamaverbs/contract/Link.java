package org.panamaverbs.contract;

/** A connection, seen from both ends. */
record Link(Endpoint client, Endpoint server) implements AutoCloseable {
    Link {
        client.meets(server);
        server.meets(client);
    }

    /** A message each way arrives. */
    void exchange(long seed) {
        client.exchangeWith(server, seed);
        server.exchangeWith(client, seed + 1);
    }

    @Override
    public void close() {
        client.connection.close();
        server.connection.close();
    }
}
