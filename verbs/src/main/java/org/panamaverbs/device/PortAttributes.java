package org.panamaverbs.device;

import java.util.List;
import java.util.Objects;

/** A port of a device ({@code ibv_port_attr}), as of the moment it was asked for. */
// Tested by BuildersTest.
public final class PortAttributes {
    private final Values values;

    private record Values(int number, State state, String physicalState, int maximumMtu, int activeMtu, String linkLayer,
            long maximumMessageSize, int localIdentifier, int subnetManager, int localIdentifierMask, int partitionKeys, double speed,
            List<GlobalIdentifier> identifiers) {
        Values {
            identifiers = List.copyOf(identifiers);
        }
    }

    private PortAttributes(Values values) {
        this.values = values;
    }

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

    /**
     * For providers: begins with the values that most have, and stays right when this class gets another component.
     *
     * @param number 1 or more
     * @return to be changed, and built
     */
    public static Builder builder(int number) {
        return new Builder(number);
    }

    /** {@return its number, 1 or more} */
    public int number() {
        return values.number;
    }

    /** {@return its state} */
    public State state() {
        return values.state;
    }

    /** {@return the state of its link, as "LINK_UP", or "unknown"} */
    public String physicalState() {
        return values.physicalState;
    }

    /** {@return the longest packet that it can have, in bytes} */
    public int maximumMtu() {
        return values.maximumMtu;
    }

    /** {@return the longest packet that it has now, in bytes; the longest datagram} */
    public int activeMtu() {
        return values.activeMtu;
    }

    /** {@return "Ethernet", "InfiniBand", or the name that a provider of another kind gives} */
    public String linkLayer() {
        return values.linkLayer;
    }

    /** {@return the longest message, in bytes} */
    public long maximumMessageSize() {
        return values.maximumMessageSize;
    }

    /** {@return its LID, 0 to 65,535; 0 on Ethernet} */
    public int localIdentifier() {
        return values.localIdentifier;
    }

    /** {@return the LID of its subnet manager; 0 on Ethernet} */
    public int subnetManager() {
        return values.subnetManager;
    }

    /** {@return how many low bits of the LID it owns (LMC)} */
    public int localIdentifierMask() {
        return values.localIdentifierMask;
    }

    /** {@return how many partition keys its table holds} */
    public int partitionKeys() {
        return values.partitionKeys;
    }

    /** {@return its speed in Gbit/s over all lanes, 0 if the device does not say} */
    public double speed() {
        return values.speed;
    }

    /** {@return its addresses, by their places in the table; places at the end that are empty are left out} */
    public List<GlobalIdentifier> identifiers() {
        return values.identifiers;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PortAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "PortAttributes." + values;
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
         * Makes the attributes.
         *
         * @return as described
         */
        public PortAttributes build() {
            return new PortAttributes(new Values(number, state, physicalState, maximumMtu, activeMtu, linkLayer, maximumMessageSize,
                    localIdentifier, subnetManager, localIdentifierMask, partitionKeys, speed, identifiers));
        }
    }
}
