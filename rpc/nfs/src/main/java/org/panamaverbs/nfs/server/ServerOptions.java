package org.panamaverbs.nfs.server;

import java.nio.file.Path;
import java.time.Duration;
import org.panamaverbs.nfs.server.state.Limits;
import org.panamaverbs.rpcrdma.limits.Descriptors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rights and limits of clients, made by {@link #defaults} and the {@code with} methods. The clients of one peer, that is, of an IPv4 address
 * or an IPv6 network of 64 bits, get at most half of the clients, sessions and opens.
 *
 * @param writable whether clients may change anything
 * @param lease    how long a silent client keeps its state (RFC 8881, 8.3); 1 s to 1 h
 * @param clients  how many there may be; 1 or more, as all that follow
 * @param sessions how many a client may have
 * @param slots    how many calls of a session may be under way
 * @param opens    how many files may be open, of all clients together; each takes up to three descriptors of the system
 * @param nodes    of how many files the server knows the place; others are searched by their handle, which takes time
 * @param transfer the longest READ and WRITE in bytes: 4,096 to 4 MiB
 * @param buffers  how many READs of that length may be on their way to clients: the memory is taken at the start
 * @param state    a folder of this server alone, which is made, for the record of clients that get their opens and locks back after a restart
 *                 (RFC 8881, 8.4.2); {@code null} for none
 */
public record ServerOptions(boolean writable, Duration lease, int clients, int sessions, int slots, int opens, int nodes, int transfer,
        int buffers, Path state) {
    private static final Logger LOG = LoggerFactory.getLogger(ServerOptions.class);
    private static final int DESCRIPTORS_OF_OPEN = 3;
    private static final int LEAST_TRANSFER = 4096;
    private static final int MOST_TRANSFER = 4 << 20;

    /** Checks. */
    public ServerOptions {
        check("lease in seconds", lease.toSeconds(), 1, 3600);
        check("clients", clients, 1, Integer.MAX_VALUE);
        check("sessions", sessions, 1, Integer.MAX_VALUE);
        check("slots", slots, 1, 1024);
        check("opens", opens, 1, Integer.MAX_VALUE);
        check("nodes", nodes, 16, Integer.MAX_VALUE);
        check("transfer", transfer, LEAST_TRANSFER, MOST_TRANSFER);
        check("buffers", buffers, 1, 1024);
    }

    Limits limits() {
        int most = Descriptors.quarter(DESCRIPTORS_OF_OPEN);
        if (opens > most) {
            LOG.info("at most {} files can be open: the process may have too few descriptors for {} (ulimit -n)", most, opens);
        }
        return Limits.of(clients, sessions, Math.min(opens, most), lease.toNanos());
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + least + " to " + most + ", not " + value);
        }
    }

    /** Read-only; 90 s; 256 clients of 16 sessions of 32 slots; 4,096 opens; 131,072 nodes; 24 transfers of 1 MiB; no state. */
    public static ServerOptions defaults() {
        return new ServerOptions(false, Duration.ofSeconds(90), 256, 16, 32, 4096, 1 << 17, 1 << 20, 24, null);
    }

    /** The same with or without the right to write. */
    public ServerOptions withWritable(boolean allowed) {
        return new ServerOptions(allowed, lease, clients, sessions, slots, opens, nodes, transfer, buffers, state);
    }

    /** The same with another lease. */
    public ServerOptions withLease(Duration time) {
        return new ServerOptions(writable, time, clients, sessions, slots, opens, nodes, transfer, buffers, state);
    }

    /** The same with other limits of clients. */
    public ServerOptions withClients(int most, int mostSessions, int mostSlots) {
        return new ServerOptions(writable, lease, most, mostSessions, mostSlots, opens, nodes, transfer, buffers, state);
    }

    /** The same with other limits of files. */
    public ServerOptions withFiles(int mostOpens, int mostNodes) {
        return new ServerOptions(writable, lease, clients, sessions, slots, mostOpens, mostNodes, transfer, buffers, state);
    }

    /** The same with other transfers. */
    public ServerOptions withTransfers(int bytes, int count) {
        return new ServerOptions(writable, lease, clients, sessions, slots, opens, nodes, bytes, count, state);
    }

    /** The same with a folder for state. */
    public ServerOptions withState(Path folder) {
        return new ServerOptions(writable, lease, clients, sessions, slots, opens, nodes, transfer, buffers, folder);
    }
}
