package org.panamaverbs;

/**
 * A window onto a part of a region ({@code ibv_mw}): rights for a peer that are given and taken by requests, much faster than by
 * registering. {@link SendRequest#bind} opens it; the peer then needs {@link #remoteKey()} and, as for the region itself,
 * addresses counted by {@link MemoryRegion#address()}. Closing a region ends what windows onto it allow, and if the device keeps a
 * region for as long as a window is bound to it, closes them.
 */
public interface MemoryWindow extends AutoCloseable {
    /** The queue pairs that a bound window lets in. */
    enum Type {
        /** Every queue pair of the protection domain; unbound by binding it to nothing. */
        TYPE_1,
        /**
         * The queue pair by which it was bound; unbound by invalidating its key, here or by the peer, or by closing the queue pair, after
         * which it may have another key.
         */
        TYPE_2
    }

    /** {@return the domain it belongs to; never changes} */
    ProtectionDomain domain();

    /** {@return the queue pairs that it lets in when bound; never changes} */
    Type type();

    /**
     * The key that a peer needs. Each {@link SendRequest#bind} gives it a new one, at once, and ends the old one when it completes.
     *
     * @return 32 bits, any pattern
     */
    int remoteKey();

    /** Ends the peer's rights through it, and frees it. */
    @Override
    void close();
}
