package org.panamaverbs.softiwarp.cm;

/**
 * Limits the peers that a listener serves at a time. A start-up begins when TCP connects, and ends when the program has accepted or
 * rejected the peer. What one peer is, {@link org.panamaverbs.cm.PeerNetwork} says.
 *
 * @param startUps           the most start-ups of all peers together; 1 or more
 * @param startUpsOfPeer     the most start-ups of one peer; 1 or more
 * @param connections        the most connections of all peers together, start-ups included; 0 for no limit
 * @param connectionsOfPeer  the most connections of one peer, start-ups included; 0 for no limit
 */
public record AdmissionLimits(int startUps, int startUpsOfPeer, int connections, int connectionsOfPeer) {
    /** The limits of a listener that has no settings. */
    public static final AdmissionLimits USUAL = new AdmissionLimits(4096, 1024, 0, 0);

    /**
     * The most requests that may wait for the program before the listener accepts no further peer: half of what one peer may have, so that
     * the peers that were accepted meanwhile find a place, too.
     */
    public int mostRequests() {
        return Math.max(1, Math.min(startUps, startUpsOfPeer) / 2);
    }

    boolean limitsConnections() {
        return connections > 0 || connectionsOfPeer > 0;
    }
}
