package org.panamaverbs.device;

import java.util.List;
import java.util.Objects;

/**
 * A port of a device ({@code ibv_port_attr}), as of the moment it was asked for.
 *
 * @param number                1 or more
 * @param state                 its state
 * @param physicalState         as "LINK_UP", or "unknown"
 * @param maximumMtu            the longest packet that it can have, in bytes
 * @param activeMtu             the longest packet that it has now, in bytes; the longest datagram
 * @param linkLayer             "Ethernet", "InfiniBand", or the name that a provider of another kind gives
 * @param maximumMessageSize    the longest message, in bytes
 * @param localIdentifier       its LID, 0 to 65,535; 0 on Ethernet
 * @param subnetManager         the LID of its subnet manager; 0 on Ethernet
 * @param localIdentifierMask   how many low bits of the LID it owns (LMC)
 * @param partitionKeys         how many partition keys its table holds
 * @param speed                 in Gbit/s over all lanes, 0 if the device does not say
 * @param identifiers           its addresses, by their places in the table; places at the end that are empty are left out
 */
// Tested by BuildersTest.
public record PortAttributes(int number, State state, String physicalState, int maximumMtu, int activeMtu, String linkLayer,
        long maximumMessageSize, int localIdentifier, int subnetManager, int localIdentifierMask, int partitionKeys, double speed,
        List<GlobalIdentifier> identifiers) {
    /** Copies the list. */
    public PortAttributes {
        identifiers = List.copyOf(identifiers);
    }

    /** The state of a port ({@code ibv_port_state}). */
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

    /**
     * For providers: begins with the values that most have, and stays right when this record gets another component.
     *
     * @param number 1 or more
     * @return to be changed, and built
     */
    public static Builder builder(int number) {
        return new Builder(number);
    }

    /** Makes one, component by component. */
    public static final class Builder {
        private static final int USUAL_MTU = 4096;

        private final int number;
        private State state = State.ACTIVE;
        private String physicalState = "unknown";
        private int maximumMtu = USUAL_MTU;
        private int activeMtu = USUAL_MTU;
        private String linkLayer = "Ethernet";
        private long maximumMessageSize = Integer.MAX_VALUE;
        private int localIdentifier;
        private int subnetManager;
        private int localIdentifierMask;
        private int partitionKeys;
        private double speed;
        private List<GlobalIdentifier> identifiers = List.of();

        private Builder(int number) {
            this.number = number;
        }

        /**
         * Sets the state of the port; {@link State#ACTIVE} otherwise.
         *
         * @param value as of now
         * @return this
         */
        public Builder state(State value) {
            state = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Names the state of the link; "unknown" otherwise.
         *
         * @param value as "LINK_UP"
         * @return this
         */
        public Builder physicalState(String value) {
            physicalState = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Sets the longest packet that the port can have; 4,096 bytes otherwise.
         *
         * @param value bytes, 1 or more
         * @return this
         */
        public Builder maximumMtu(int value) {
            maximumMtu = value;
            return this;
        }

        /**
         * Sets the longest packet that the port has now, which is the longest datagram; 4,096 bytes otherwise.
         *
         * @param value bytes, 1 or more
         * @return this
         */
        public Builder activeMtu(int value) {
            activeMtu = value;
            return this;
        }

        /**
         * Names the link layer; "Ethernet" otherwise.
         *
         * @param value "Ethernet", "InfiniBand" or the provider's own
         * @return this
         */
        public Builder linkLayer(String value) {
            linkLayer = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Limits messages; 2 GiB - 1 bytes otherwise.
         *
         * @param value the longest message, in bytes
         * @return this
         */
        public Builder maximumMessageSize(long value) {
            maximumMessageSize = value;
            return this;
        }

        /**
         * Sets the LID; 0 otherwise.
         *
         * @param value 0 to 65,535; 0 on Ethernet
         * @return this
         */
        public Builder localIdentifier(int value) {
            localIdentifier = value;
            return this;
        }

        /**
         * Sets the LID of the subnet manager; 0 otherwise.
         *
         * @param value 0 to 65,535; 0 on Ethernet
         * @return this
         */
        public Builder subnetManager(int value) {
            subnetManager = value;
            return this;
        }

        /**
         * Sets how many low bits of the LID the port owns; 0 otherwise.
         *
         * @param value the LMC
         * @return this
         */
        public Builder localIdentifierMask(int value) {
            localIdentifierMask = value;
            return this;
        }

        /**
         * Sets the size of the table of partition keys; 0 otherwise.
         *
         * @param value how many keys it holds
         * @return this
         */
        public Builder partitionKeys(int value) {
            partitionKeys = value;
            return this;
        }

        /**
         * Sets the speed over all lanes; 0 otherwise.
         *
         * @param value Gbit/s; 0 if the device does not say
         * @return this
         */
        public Builder speed(double value) {
            speed = value;
            return this;
        }

        /**
         * Sets the addresses; none otherwise.
         *
         * @param value by their places in the table
         * @return this
         */
        public Builder identifiers(List<GlobalIdentifier> value) {
            identifiers = List.copyOf(value);
            return this;
        }

        /**
         * Makes the record.
         *
         * @return as described
         */
        public PortAttributes build() {
            return new PortAttributes(number, state, physicalState, maximumMtu, activeMtu, linkLayer, maximumMessageSize, localIdentifier,
                    subnetManager, localIdentifierMask, partitionKeys, speed, identifiers);
        }
    }
}
