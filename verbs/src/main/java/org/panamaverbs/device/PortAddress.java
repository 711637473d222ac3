package org.panamaverbs.device;

import java.util.Objects;

/**
 * An address of a port, with its place in the port's table and its type ({@code ibv_gid_entry}). RoCE ports have most addresses twice, once
 * of each RoCE type. Both ends of a connection use addresses of the same type.
 *
 * @param port       the port, 1 or more
 * @param index      the place in the table, 0 or more
 * @param identifier the address; not empty
 * @param type       the packets that it stands for
 */
public record PortAddress(int port, int index, GlobalIdentifier identifier, Type type) {
    /** Checks for {@code null}. */
    public PortAddress {
        Objects.requireNonNull(identifier);
        Objects.requireNonNull(type);
    }

    /** The packets that are sent from an address ({@code ibv_gid_type}). */
    public enum Type {
        /** InfiniBand's. */
        INFINIBAND,
        /** RoCE version 1: frames of Ethernet, which no router passes on. */
        ROCE_V1,
        /** RoCE version 2: datagrams of UDP over IP. */
        ROCE_V2,
        /** Any other, as those of iWARP; or the device does not tell. */
        OTHER
    }
}
