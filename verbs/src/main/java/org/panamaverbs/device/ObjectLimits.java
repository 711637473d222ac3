package org.panamaverbs.device;

/** How many objects of each kind a device can have; 0 if it has none. */
// Tested by BuildersTest.
public final class ObjectLimits {
    private final Values values;

    private record Values(int completionQueues, int protectionDomains, int sharedReceiveQueues, int sharedReceives,
            int sharedReceiveElements, int memoryWindows, int addressHandles) {
    }

    private ObjectLimits(Values values) {
        this.values = values;
    }

    /**
     * For providers: begins with the values that most have, and stays right when this class gets another component.
     *
     * @return to be changed, and built
     */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return how many completion queues there can be} */
    public int completionQueues() {
        return values.completionQueues;
    }

    /** {@return how many protection domains there can be} */
    public int protectionDomains() {
        return values.protectionDomains;
    }

    /** {@return how many shared receive queues there can be} */
    public int sharedReceiveQueues() {
        return values.sharedReceiveQueues;
    }

    /** {@return the deepest shared receive queue} */
    public int sharedReceives() {
        return values.sharedReceives;
    }

    /** {@return the most elements of a list to receive into, in a shared receive queue} */
    public int sharedReceiveElements() {
        return values.sharedReceiveElements;
    }

    /** {@return how many memory windows there can be} */
    public int memoryWindows() {
        return values.memoryWindows;
    }

    /** {@return how many address handles there can be} */
    public int addressHandles() {
        return values.addressHandles;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectLimits that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "ObjectLimits." + values;
    }

    /** Makes one, component by component. */
    public static final class Builder {
        private int completionQueues = Integer.MAX_VALUE;
        private int protectionDomains = Integer.MAX_VALUE;
        private int sharedReceiveQueues;
        private int sharedReceives;
        private int sharedReceiveElements;
        private int memoryWindows;
        private int addressHandles;

        private Builder() {
        }

        /**
         * Limits completion queues; no limit otherwise.
         *
         * @param value how many there can be, 1 or more
         * @return this
         */
        public Builder completionQueues(int value) {
            completionQueues = value;
            return this;
        }

        /**
         * Limits protection domains; no limit otherwise.
         *
         * @param value how many there can be, 1 or more
         * @return this
         */
        public Builder protectionDomains(int value) {
            protectionDomains = value;
            return this;
        }

        /**
         * Allows shared receive queues; none otherwise.
         *
         * @param value how many there can be
         * @return this
         */
        public Builder sharedReceiveQueues(int value) {
            sharedReceiveQueues = value;
            return this;
        }

        /**
         * Sets the depth of shared receive queues; 0 otherwise.
         *
         * @param value receives in the deepest one
         * @return this
         */
        public Builder sharedReceives(int value) {
            sharedReceives = value;
            return this;
        }

        /**
         * Limits lists of shared receive queues; 0 otherwise.
         *
         * @param value the most elements of a list to receive into
         * @return this
         */
        public Builder sharedReceiveElements(int value) {
            sharedReceiveElements = value;
            return this;
        }

        /**
         * Allows memory windows; none otherwise.
         *
         * @param value how many there can be
         * @return this
         */
        public Builder memoryWindows(int value) {
            memoryWindows = value;
            return this;
        }

        /**
         * Allows address handles; none otherwise.
         *
         * @param value how many there can be
         * @return this
         */
        public Builder addressHandles(int value) {
            addressHandles = value;
            return this;
        }

        /**
         * Makes the limits.
         *
         * @return as described
         */
        public ObjectLimits build() {
            return new ObjectLimits(new Values(completionQueues, protectionDomains, sharedReceiveQueues, sharedReceives,
                    sharedReceiveElements, memoryWindows, addressHandles));
        }
    }
}
