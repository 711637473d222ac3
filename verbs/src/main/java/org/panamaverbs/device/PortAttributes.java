package org.panamaverbs.device;

import java.util.List;

/** A port of a device ({@code ibv_port_attr}), as of the moment it was asked for. */
public interface PortAttributes {
    /** The state of a port ({@code ibv_port_state}). */
    public enum State {
        /** The driver reports no state. */
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

    /** {@return its number, 1 or more} */
    int number();

    /** {@return its state} */
    default State state() {
        return State.ACTIVE;
    }

    /** {@return the state of its link, as "LINK_UP", or "unknown"} */
    default String physicalState() {
        return "unknown";
    }

    /** {@return the longest packet that it can have, in bytes} */
    default int maximumMtu() {
        return 4096;
    }

    /** {@return the longest packet that it has now, in bytes; the longest datagram} */
    default int activeMtu() {
        return 4096;
    }

    /** {@return "Ethernet", "InfiniBand", or the name that a provider of another kind gives} */
    default String linkLayer() {
        return "Ethernet";
    }

    /** {@return the longest message, in bytes; {@link Integer#MAX_VALUE} if there is no limit} */
    default long maximumMessageSize() {
        return Integer.MAX_VALUE;
    }

    /** {@return its LID, 0 to 65,535; 0 on Ethernet} */
    default int localIdentifier() {
        return 0;
    }

    /** {@return the LID of its subnet manager; 0 on Ethernet} */
    default int subnetManager() {
        return 0;
    }

    /** {@return how many low bits of the LID it owns (LMC)} */
    default int localIdentifierMask() {
        return 0;
    }

    /** {@return how many partition keys its table holds} */
    default int partitionKeys() {
        return 0;
    }

    /** {@return its speed in Gbit/s over all lanes, 0 if the device does not say} */
    default double speed() {
        return 0;
    }

    /** {@return its addresses, by their places in the table; places at the end that are empty are left out} */
    default List<GlobalIdentifier> identifiers() {
        return List.of();
    }
}
