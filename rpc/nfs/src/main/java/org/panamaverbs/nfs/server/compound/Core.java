package org.panamaverbs.nfs.server.compound;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Clients;
import org.panamaverbs.nfs.server.state.Grace;
import org.panamaverbs.nfs.server.state.Opens;

/**
 * The parts that all calls share.
 *
 * @param export        the files
 * @param clients       the clients
 * @param opens         their opens and locks
 * @param grace         the time after a restart
 * @param buffers       memory for READs
 * @param exclusives    verifiers of files that were created exclusively
 * @param limits        numbers
 * @param writeVerifier changes with each start, so that clients write again data that may be lost (RFC 8881, 18.32.3)
 */
public record Core(Export export, Clients clients, Opens opens, Grace grace, BufferPool buffers, Exclusives exclusives, Limits limits,
        long writeVerifier) {
    /**
     * Numbers.
     *
     * @param writable     whether clients may change anything
     * @param leaseSeconds the lease
     * @param slots        of a session
     * @param transfer     the longest READ and WRITE in bytes
     */
    public record Limits(boolean writable, int leaseSeconds, int slots, int transfer) {
        /** Calls and replies are so much longer than the data in them, at most. */
        private static final int BESIDES = 8 << 10;

        /** The longest call or reply in bytes. */
        public int message() {
            return transfer + BESIDES;
        }
    }

    /** Verifiers of OPEN's exclusive creation, by file: a retry of the same client finds its own. The newest ones only. */
    public static final class Exclusives {
        private static final int MOST = 4096;

        private final Map<Node, Long> verifiers = new LinkedHashMap<>();

        /** Notes one. */
        public synchronized void put(Node node, long verifier) {
            verifiers.put(node, verifier);
            if (verifiers.size() > MOST) {
                Iterator<Node> eldest = verifiers.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
        }

        /** Whether a file was created with a verifier. */
        public synchronized boolean has(Node node, long verifier) {
            Long stored = verifiers.get(node);
            return stored != null && stored == verifier;
        }
    }
}
