package org.panamaverbs.device;

import java.util.Objects;

/** The identity of a device, and its limits. */
// Tested by BuildersTest.
public final class DeviceAttributes {
    private final Values values;

    private record Values(Transport transport, boolean active, String vendor, String firmware, DeviceIdentity identity, int maximumQueuePairs,
            int maximumWorkRequests, int maximumScatterGather, int maximumInline, int maximumCompletionQueueEntries, int maximumRegions,
            long maximumRegionSize, long maximumMessageSize, int maximumInboundReads, int maximumOutboundReads, int maximumPrivateData,
            int completionVectors, ObjectLimits objects) {
    }

    private DeviceAttributes(Values values) {
        this.values = values;
    }

    /**
     * The same with a port up, or with none.
     *
     * @param active whether a port is up
     * @return the attributes
     */
    public DeviceAttributes withActive(boolean active) {
        return new DeviceAttributes(
                new Values(values.transport, active, values.vendor, values.firmware, values.identity, values.maximumQueuePairs,
                        values.maximumWorkRequests, values.maximumScatterGather, values.maximumInline, values.maximumCompletionQueueEntries,
                        values.maximumRegions, values.maximumRegionSize, values.maximumMessageSize, values.maximumInboundReads,
                        values.maximumOutboundReads, values.maximumPrivateData, values.completionVectors, values.objects));
    }

    /**
     * For providers: begins with the values that most have, and stays right when this class gets another component.
     *
     * @param transport the protocol
     * @return to be changed, and built
     */
    public static Builder builder(Transport transport) {
        return new Builder(transport);
    }

    /** {@return the protocol that it speaks} */
    public Transport transport() {
        return values.transport;
    }

    /** {@return whether a port is up} */
    public boolean active() {
        return values.active;
    }

    /** {@return its maker and its model, one line} */
    public String vendor() {
        return values.vendor;
    }

    /** {@return its version} */
    public String firmware() {
        return values.firmware;
    }

    /** {@return which device it is, of all in the world} */
    public DeviceIdentity identity() {
        return values.identity;
    }

    /** {@return how many queue pairs there can be} */
    public int maximumQueuePairs() {
        return values.maximumQueuePairs;
    }

    /** {@return the deepest send or receive queue} */
    public int maximumWorkRequests() {
        return values.maximumWorkRequests;
    }

    /** {@return the most elements of a list} */
    public int maximumScatterGather() {
        return values.maximumScatterGather;
    }

    /** {@return the most bytes of a request posted with {@link org.panamaverbs.SendRequest#inline()}} */
    public int maximumInline() {
        return values.maximumInline;
    }

    /** {@return the largest completion queue} */
    public int maximumCompletionQueueEntries() {
        return values.maximumCompletionQueueEntries;
    }

    /** {@return how many memory regions there can be} */
    public int maximumRegions() {
        return values.maximumRegions;
    }

    /** {@return the largest region, in bytes} */
    public long maximumRegionSize() {
        return values.maximumRegionSize;
    }

    /** {@return the longest message, in bytes} */
    public long maximumMessageSize() {
        return values.maximumMessageSize;
    }

    /** {@return the greatest IRD: Reads of one peer served at a time} */
    public int maximumInboundReads() {
        return values.maximumInboundReads;
    }

    /** {@return the greatest ORD: Reads of ours outstanding at a time} */
    public int maximumOutboundReads() {
        return values.maximumOutboundReads;
    }

    /** {@return the most private data of a connection request, in bytes} */
    public int maximumPrivateData() {
        return values.maximumPrivateData;
    }

    /** {@return the number of completion vectors, 1 or more; {@link org.panamaverbs.CompletionQueueAttributes#withVector} picks one} */
    public int completionVectors() {
        return values.completionVectors;
    }

    /** {@return how many objects of the other kinds there can be} */
    public ObjectLimits objects() {
        return values.objects;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DeviceAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "DeviceAttributes." + values;
    }

    /** Makes one, component by component. */
    public static final class Builder {
        private final Transport transport;
        private boolean active = true;
        private String vendor = "unknown";
        private String firmware = "unknown";
        private DeviceIdentity identity = new DeviceIdentity(0, 0, 0, 0, 0);
        private int maximumQueuePairs = Integer.MAX_VALUE;
        private int maximumWorkRequests = Integer.MAX_VALUE;
        private int maximumScatterGather = 1;
        private int maximumInline;
        private int maximumCompletionQueueEntries = Integer.MAX_VALUE;
        private int maximumRegions = Integer.MAX_VALUE;
        private long maximumRegionSize = Long.MAX_VALUE;
        private long maximumMessageSize = Integer.MAX_VALUE;
        private int maximumInboundReads;
        private int maximumOutboundReads;
        private int maximumPrivateData;
        private int completionVectors = 1;
        private ObjectLimits objects = ObjectLimits.builder().build();

        private Builder(Transport transport) {
            this.transport = Objects.requireNonNull(transport);
        }

        /**
         * Says whether a port is up; it is, unless this says otherwise.
         *
         * @param value whether a port is up
         * @return this
         */
        public Builder active(boolean value) {
            active = value;
            return this;
        }

        /**
         * Names the maker; "unknown" otherwise.
         *
         * @param value its maker and its model, one line
         * @return this
         */
        public Builder vendor(String value) {
            vendor = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Names the version; "unknown" otherwise.
         *
         * @param value the version of firmware or provider
         * @return this
         */
        public Builder firmware(String value) {
            firmware = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Says which device it is; all 0 otherwise.
         *
         * @param value which device it is, of all in the world
         * @return this
         */
        public Builder identity(DeviceIdentity value) {
            identity = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Limits queue pairs; no limit otherwise.
         *
         * @param value how many there can be, 1 or more
         * @return this
         */
        public Builder maximumQueuePairs(int value) {
            maximumQueuePairs = value;
            return this;
        }

        /**
         * Limits the depth of queues; no limit otherwise.
         *
         * @param value the deepest send or receive queue, 1 or more
         * @return this
         */
        public Builder maximumWorkRequests(int value) {
            maximumWorkRequests = value;
            return this;
        }

        /**
         * Limits the length of lists; 1 element otherwise.
         *
         * @param value the most elements of a list, 1 or more
         * @return this
         */
        public Builder maximumScatterGather(int value) {
            maximumScatterGather = value;
            return this;
        }

        /**
         * Allows requests with {@link org.panamaverbs.SendRequest#inline()}; none otherwise.
         *
         * @param value the most bytes of one, 0 or more
         * @return this
         */
        public Builder maximumInline(int value) {
            maximumInline = value;
            return this;
        }

        /**
         * Limits completion queues; no limit otherwise.
         *
         * @param value the largest completion queue, 1 or more
         * @return this
         */
        public Builder maximumCompletionQueueEntries(int value) {
            maximumCompletionQueueEntries = value;
            return this;
        }

        /**
         * Limits memory regions; no limit otherwise.
         *
         * @param value how many there can be, 1 or more
         * @return this
         */
        public Builder maximumRegions(int value) {
            maximumRegions = value;
            return this;
        }

        /**
         * Limits the size of regions; no limit otherwise.
         *
         * @param value the largest region, in bytes
         * @return this
         */
        public Builder maximumRegionSize(long value) {
            maximumRegionSize = value;
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
         * Sets the greatest IRD; 0 otherwise: the device serves no Reads.
         *
         * @param value Reads of one peer served at a time, 0 or more
         * @return this
         */
        public Builder maximumInboundReads(int value) {
            maximumInboundReads = value;
            return this;
        }

        /**
         * Sets the greatest ORD; 0 otherwise: the device has no Reads.
         *
         * @param value Reads of ours outstanding at a time, 0 or more
         * @return this
         */
        public Builder maximumOutboundReads(int value) {
            maximumOutboundReads = value;
            return this;
        }

        /**
         * Allows private data of connections; none otherwise.
         *
         * @param value the most private data of a connection request, in bytes
         * @return this
         */
        public Builder maximumPrivateData(int value) {
            maximumPrivateData = value;
            return this;
        }

        /**
         * Sets the number of completion vectors; 1 otherwise.
         *
         * @param value 1 or more
         * @return this
         */
        public Builder completionVectors(int value) {
            completionVectors = value;
            return this;
        }

        /**
         * Limits the objects of other kinds; as {@link ObjectLimits#builder()} makes them otherwise.
         *
         * @param value how many there can be
         * @return this
         */
        public Builder objects(ObjectLimits value) {
            objects = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Makes the attributes.
         *
         * @return as described
         */
        public DeviceAttributes build() {
            return new DeviceAttributes(new Values(transport, active, vendor, firmware, identity, maximumQueuePairs, maximumWorkRequests,
                    maximumScatterGather, maximumInline, maximumCompletionQueueEntries, maximumRegions, maximumRegionSize,
                    maximumMessageSize, maximumInboundReads, maximumOutboundReads, maximumPrivateData, completionVectors, objects));
        }
    }
}
