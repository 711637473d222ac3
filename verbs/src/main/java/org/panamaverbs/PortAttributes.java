package org.panamaverbs;

import java.util.List;

/**
 * A port of a device ({@code ibv_port_attr}), as of the moment it was asked for.
 *
 * @param number                1 or more
 * @param state                 where it is in its life
 * @param physicalState         as "LINK_UP", or "unknown"
 * @param maximumMtu            the longest packet that it can have, in bytes
 * @param activeMtu             the longest packet that it has now, in bytes; the longest datagram
 * @param linkLayer             "Ethernet" or "InfiniBand"
 * @param maximumMessageSize    the longest message, in bytes
 * @param localIdentifier       its LID, 0 to 65,535; 0 on Ethernet
 * @param subnetManager         the LID of its subnet manager; 0 on Ethernet
 * @param localIdentifierMask   how many low bits of the LID it owns (LMC)
 * @param partitionKeys         how many partition keys its table holds
 * @param speed                 in Gbit/s over all lanes, 0 where the device does not say
 * @param identifiers           its addresses, by their places in the table; places at the end that are empty are left out
 */
public record PortAttributes(int number, State state, String physicalState, int maximumMtu, int activeMtu, String linkLayer,
        long maximumMessageSize, int localIdentifier, int subnetManager, int localIdentifierMask, int partitionKeys, double speed,
        List<GlobalIdentifier> identifiers) {
    /** Copies the list. */
    public PortAttributes {
        identifiers = List.copyOf(identifiers);
    }

    /** Where a port is in its life ({@code ibv_port_state}). */
    public enum State {
        /** Nobody says. */
        NOP,
        /** No link. */
        DOWN,
        /** A link that is not set up yet. */
        INIT,
        /** Set up, carrying nothing yet. */
        ARMED,
        /** Carrying. */
        ACTIVE,
        /** Carrying, while the link has a problem. */
        ACTIVE_DEFER;

        private static final State[] BY_VALUE = values();

        /**
         * The state of a value.
         *
         * @param value as in {@code ibv_port_state}
         * @return {@link #NOP} for one that has no name here
         */
        public static State of(int value) {
            return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : NOP;
        }
    }
}
