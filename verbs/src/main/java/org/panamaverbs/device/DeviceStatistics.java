package org.panamaverbs.device;

/**
 * Counts of the connections of a device since it was opened; all counts only grow. {@link org.panamaverbs.QueuePair#statistics()} counts the traffic of a
 * queue pair.
 */
// Tested by BuildersTest.
public final class DeviceStatistics {
    private final Values values;

    private record Values(long connectionsEstablished, long requestsRefused, long requestsRejected, long endedOrderly,
            long endedByLocalError, long endedByRemoteError, long endedByLoss) {
    }

    private DeviceStatistics(Values values) {
        this.values = values;
    }

    /**
     * For providers: begins with 0 for each, and stays right when this class gets another count.
     *
     * @return to be changed, and built
     */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return the number of connections on which both sides agreed, of both roles} */
    public long connectionsEstablished() {
        return values.connectionsEstablished;
    }

    /** {@return the number of peers that the listener refused: their request was wrong or too slow, a limit was reached, or memory had run out} */
    public long requestsRefused() {
        return values.requestsRefused;
    }

    /** {@return the number of requests that a program rejected} */
    public long requestsRejected() {
        return values.requestsRejected;
    }

    /** {@return the number of connections that ended in good order} */
    public long endedOrderly() {
        return values.endedOrderly;
    }

    /** {@return the number of connections that ended because of an error that this side found} */
    public long endedByLocalError() {
        return values.endedByLocalError;
    }

    /** {@return the number of connections that ended because of an error that the peer reported} */
    public long endedByRemoteError() {
        return values.endedByRemoteError;
    }

    /** {@return the number of connections that broke} */
    public long endedByLoss() {
        return values.endedByLoss;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DeviceStatistics that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "DeviceStatistics." + values;
    }

    /** Makes one, count by count. */
    public static final class Builder {
        private long connectionsEstablished;
        private long requestsRefused;
        private long requestsRejected;
        private long endedOrderly;
        private long endedByLocalError;
        private long endedByRemoteError;
        private long endedByLoss;

        private Builder() {
        }

        /**
         * Counts connections on which both sides agreed; 0 otherwise.
         *
         * @param value of both roles
         * @return this
         */
        public Builder connectionsEstablished(long value) {
            connectionsEstablished = value;
            return this;
        }

        /**
         * Counts peers that the listener refused; 0 otherwise.
         *
         * @param value peers
         * @return this
         */
        public Builder requestsRefused(long value) {
            requestsRefused = value;
            return this;
        }

        /**
         * Counts requests that a program rejected; 0 otherwise.
         *
         * @param value requests
         * @return this
         */
        public Builder requestsRejected(long value) {
            requestsRejected = value;
            return this;
        }

        /**
         * Counts connections that ended in good order; 0 otherwise.
         *
         * @param value connections
         * @return this
         */
        public Builder endedOrderly(long value) {
            endedOrderly = value;
            return this;
        }

        /**
         * Counts connections that ended because of an error that this side found; 0 otherwise.
         *
         * @param value connections
         * @return this
         */
        public Builder endedByLocalError(long value) {
            endedByLocalError = value;
            return this;
        }

        /**
         * Counts connections that ended because of an error that the peer reported; 0 otherwise.
         *
         * @param value connections
         * @return this
         */
        public Builder endedByRemoteError(long value) {
            endedByRemoteError = value;
            return this;
        }

        /**
         * Counts connections that broke; 0 otherwise.
         *
         * @param value connections
         * @return this
         */
        public Builder endedByLoss(long value) {
            endedByLoss = value;
            return this;
        }

        /**
         * Makes the statistics.
         *
         * @return as described
         */
        public DeviceStatistics build() {
            return new DeviceStatistics(new Values(connectionsEstablished, requestsRefused, requestsRejected, endedOrderly,
                    endedByLocalError, endedByRemoteError, endedByLoss));
        }
    }
}
