package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.panamaverbs.cm.PeerNetwork;

/**
 * Counts the peers of a listener, and keeps their number within {@link AdmissionLimits}. If a limit is reached, the oldest peer that has
 * not sent its complete Request gives way to a new one: an honest peer sends its Request at once, so silent peers cannot keep it out. If
 * all peers have sent their Requests, the new peer is refused. The loop of the listener and those of its
 * connections use this object, so its lock guards everything.
 */
final class Admission {
    /** For {@link Opening#whenClosed}, if no listener counts the connection. */
    static final Runnable UNCOUNTED = () -> {
        // There is no count to correct.
    };
    private static final Count NONE = new Count();

    private final AdmissionLimits limits;
    private final Count all = new Count();
    /** The peers that have a place, by address. A peer without a place has no entry. */
    private final Map<PeerNetwork, Count> peers = new HashMap<>();

    Admission(AdmissionLimits limits) {
        this.limits = limits;
    }

    /** The places of one peer, or of all. */
    private static final class Count {
        private int startUps;
        private int connections;
        /** The places of peers that have not sent their complete Request, the oldest first. */
        private final Set<Place> silent = new LinkedHashSet<>();
    }

    /** The place of a peer, from its admission until its channel is closed. */
    final class Place {
        private final PeerNetwork peer;
        private Consumer<String> giveWay;
        private boolean starting = true;
        private boolean left;

        private Place(PeerNetwork peer) {
            this.peer = peer;
        }

        /** The start-up begins. Until {@link #onRequest} this peer may have to give way; the consumer then gets the reason. */
        void onBegin(Consumer<String> onGiveWay) {
            synchronized (Admission.this) {
                if (!left) {
                    giveWay = onGiveWay;
                    all.silent.add(this);
                    peers.get(peer).silent.add(this);
                }
            }
        }

        /** The Request is complete. */
        void onRequest() {
            synchronized (Admission.this) {
                forget();
            }
        }

        /**
         * The start-up ends, and the connection begins.
         *
         * @return the task to run when the channel is closed; it keeps no reference to this place if connections are not limited
         */
        Runnable onEstablished() {
            if (!limits.limitsConnections()) {
                leave();
                return UNCOUNTED;
            }
            synchronized (Admission.this) {
                endStartUp();
            }
            return this::leave;
        }

        /** The channel is closed. Further calls do nothing. */
        void leave() {
            synchronized (Admission.this) {
                if (left) {
                    return;
                }
                endStartUp();
                left = true;
                all.connections--;
                Count own = peers.get(peer);
                own.connections--;
                if (own.connections == 0) {
                    peers.remove(peer);
                }
            }
        }

        private void endStartUp() {
            forget();
            if (starting) {
                starting = false;
                all.startUps--;
                peers.get(peer).startUps--;
            }
        }

        private void forget() {
            if (giveWay != null) {
                giveWay = null;
                all.silent.remove(this);
                peers.get(peer).silent.remove(this);
            }
        }
    }

    /**
     * Finds a place for a peer.
     *
     * @param address the peer's
     * @param refused gets the reason if there is no place
     * @return {@code null} if there is none
     */
    synchronized Place admit(InetSocketAddress address, Consumer<String> refused) {
        PeerNetwork peer = PeerNetwork.of(address);
        Count own = peers.getOrDefault(peer, NONE);
        String reason = reached(own, limits.startUpsOfPeer(), limits.connectionsOfPeer(), " of one peer");
        Count count = own;
        if (reason == null) {
            reason = reached(all, limits.startUps(), limits.connections(), "");
            count = all;
        }
        // One place is enough: it counts against all four limits, or against the two of all peers if the peer is below its own.
        if (reason != null && !makeRoom(count, reason, refused)) {
            return null;
        }
        // Before anything is counted: if memory runs out, there is no place to give back.
        Place place = new Place(peer);
        // If the last peer of this address gave way, the address has no count any more.
        own = peers.computeIfAbsent(peer, each -> new Count());
        all.startUps++;
        all.connections++;
        own.startUps++;
        own.connections++;
        return place;
    }

    /** Which limit is reached, for the message; {@code null} if none is. A limit of 0 is none. */
    private static String reached(Count count, int startUps, int connections, String whose) {
        if (startUps > 0 && count.startUps >= startUps) {
            return "the limit of " + startUps + " start-ups" + whose + " is reached";
        }
        return connections > 0 && count.connections >= connections ? "the limit of " + connections + " connections" + whose + " is reached"
                : null;
    }

    private static boolean makeRoom(Count count, String reason, Consumer<String> refused) {
        Iterator<Place> oldest = count.silent.iterator();
        if (!oldest.hasNext()) {
            refused.accept(reason);
            return false;
        }
        Place place = oldest.next();
        place.giveWay.accept(reason);
        place.leave();
        return true;
    }

    /** The number of peers that have a place. */
    synchronized int size() {
        return all.connections;
    }
}
