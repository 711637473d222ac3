package org.panamaverbs;

/** The route to receivers of datagrams, which the device keeps ({@code ibv_ah}); created once, used for each datagram. */
public interface AddressHandle extends AutoCloseable {
    /** {@return the domain it belongs to; never changes} */
    ProtectionDomain domain();

    /** Forgets it. */
    @Override
    void close();
}
