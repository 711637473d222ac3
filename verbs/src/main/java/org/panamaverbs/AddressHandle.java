package org.panamaverbs;

/** The way to receivers of datagrams, known to the device ({@code ibv_ah}); made once, used for each datagram. */
public interface AddressHandle extends AutoCloseable {
    /**
     * The domain it belongs to.
     *
     * @return never changes
     */
    ProtectionDomain domain();

    /** Forgets it. */
    @Override
    void close();
}
