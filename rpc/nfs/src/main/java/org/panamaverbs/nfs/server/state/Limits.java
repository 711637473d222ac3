package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.xdr.Status;

/**
 * How much state clients can make the server keep.
 *
 * @param introduced       clients that have not made a session yet
 * @param clients          clients that have
 * @param sessions         of all clients
 * @param sessionsOfClient of each
 * @param opens            of all clients
 * @param locks            byte-range locks, and owners of locks of files, of all clients
 * @param lease            in nanoseconds
 */
public record Limits(Share introduced, Share clients, Share sessions, int sessionsOfClient, Share opens, Share locks, long lease) {
    private static final int INTRODUCED_PER_CLIENT = 4;
    private static final int LOCKS_PER_OPEN = 4;

    /**
     * How many things of one kind there may be.
     *
     * @param all    of all peers together
     * @param ofPeer of one peer, so that none takes all
     */
    public record Share(int all, int ofPeer) {
        /** One peer gets half. */
        public static Share of(int all) {
            return new Share(all, all - all / 2);
        }

        /** Refuses one more than there may be. */
        void check(long present, long presentOfPeer) throws Refused {
            if (!hasRoom(present, presentOfPeer)) {
                throw new Refused(Status.NOSPC);
            }
        }

        boolean hasRoom(long present, long presentOfPeer) {
            return present < all && presentOfPeer < ofPeer;
        }
    }

    /** Limits that give each peer half. */
    public static Limits of(int clients, int sessionsOfClient, int opens, long lease) {
        // Each session keeps replies: a total of 64 MiB if there are 256 sessions, whatever clients do.
        return new Limits(Share.of((int) Math.min(INTRODUCED_PER_CLIENT * (long) clients, Integer.MAX_VALUE)), Share.of(clients),
                Share.of(Math.max(clients, sessionsOfClient)), sessionsOfClient, Share.of(opens),
                Share.of((int) Math.min(LOCKS_PER_OPEN * (long) opens, Integer.MAX_VALUE)), lease);
    }
}
