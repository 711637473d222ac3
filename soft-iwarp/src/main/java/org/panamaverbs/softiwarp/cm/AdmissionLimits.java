package org.panamaverbs.softiwarp.cm;

/**
 * How many peers a listener serves at a time. A start-up begins when TCP connects and ends when the program has accepted or rejected the
 * peer. Peers are told apart by their IPv4 address, or by the first 64 bits of their IPv6 address, or, if that is link-local,
 * by all of it and the link.
 *
 * @param startUps           the most start-ups of all peers together; 1 or more
 * @param startUpsOfPeer     the most start-ups of one peer; 1 or more
 * @param connections        the most connections of all peers together, start-ups included; 0 for no limit
 * @param connectionsOfPeer  the most connections of one peer, start-ups included; 0 for no limit
 */
public record AdmissionLimits(int startUps, int startUpsOfPeer, int connections, int connectionsOfPeer) {
    /** The limits of a listener that has no settings. */
    public static final AdmissionLimits USUAL = new AdmissionLimits(4096, 1024, 0, 0);

    boolean limitsConnections() {
        return connections > 0 || connectionsOfPeer > 0;
    }
}
