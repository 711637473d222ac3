package org.panamaverbs;

/** The traffic that a queue pair has carried since it was created; all counts only grow. */
// Tested by BuildersTest, StatisticsContract.
public final class QueuePairStatistics {
    private final Values values;

    private record Values(long bytesSent, long bytesReceived, long bytesPlacedDirectly, long bytesStaged, long segmentsSent,
            long segmentsReceived, long readCalls, long writeCalls, long checksumErrors, long terminatesSent, long terminatesReceived) {
    }

    private QueuePairStatistics(Values values) {
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

    /** {@return the payload sent, in bytes, without any header} */
    public long bytesSent() {
        return values.bytesSent;
    }

    /** {@return the payload received, in bytes, without any header} */
    public long bytesReceived() {
        return values.bytesReceived;
    }

    /** {@return how many of the bytes received the system put straight into their registered segment} */
    public long bytesPlacedDirectly() {
        return values.bytesPlacedDirectly;
    }

    /** {@return how many of the bytes received went through a buffer of the provider and were copied from there} */
    public long bytesStaged() {
        return values.bytesStaged;
    }

    /** {@return the number of frames (on iWARP: FPDUs) sent} */
    public long segmentsSent() {
        return values.segmentsSent;
    }

    /** {@return the number of frames received} */
    public long segmentsReceived() {
        return values.segmentsReceived;
    }

    /** {@return the number of system calls that received} */
    public long readCalls() {
        return values.readCalls;
    }

    /** {@return the number of system calls that sent} */
    public long writeCalls() {
        return values.writeCalls;
    }

    /** {@return the number of frames whose checksum was wrong; each ends its connection} */
    public long checksumErrors() {
        return values.checksumErrors;
    }

    /** {@return the number of errors that this side reported to the peer (on iWARP: Terminates); each ends its connection} */
    public long terminatesSent() {
        return values.terminatesSent;
    }

    /** {@return the number of errors that the peer reported; each ends its connection} */
    public long terminatesReceived() {
        return values.terminatesReceived;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QueuePairStatistics that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "QueuePairStatistics." + values;
    }

    /** Makes one, component by component. */
    public static final class Builder {
        private long bytesSent;
        private long bytesReceived;
        private long bytesPlacedDirectly;
        private long bytesStaged;
        private long segmentsSent;
        private long segmentsReceived;
        private long readCalls;
        private long writeCalls;
        private long checksumErrors;
        private long terminatesSent;
        private long terminatesReceived;

        private Builder() {
        }

        /**
         * Counts payload sent; 0 otherwise.
         *
         * @param value bytes, without any header
         * @return this
         */
        public Builder bytesSent(long value) {
            bytesSent = value;
            return this;
        }

        /**
         * Counts payload received; 0 otherwise.
         *
         * @param value bytes, without any header
         * @return this
         */
        public Builder bytesReceived(long value) {
            bytesReceived = value;
            return this;
        }

        /**
         * Counts payload that the system put straight into its registered segment; 0 otherwise.
         *
         * @param value bytes
         * @return this
         */
        public Builder bytesPlacedDirectly(long value) {
            bytesPlacedDirectly = value;
            return this;
        }

        /**
         * Counts payload that was copied from a buffer of the provider; 0 otherwise.
         *
         * @param value bytes
         * @return this
         */
        public Builder bytesStaged(long value) {
            bytesStaged = value;
            return this;
        }

        /**
         * Counts frames sent; 0 otherwise.
         *
         * @param value on iWARP, FPDUs
         * @return this
         */
        public Builder segmentsSent(long value) {
            segmentsSent = value;
            return this;
        }

        /**
         * Counts frames received; 0 otherwise.
         *
         * @param value on iWARP, FPDUs
         * @return this
         */
        public Builder segmentsReceived(long value) {
            segmentsReceived = value;
            return this;
        }

        /**
         * Counts system calls that received; 0 otherwise.
         *
         * @param value calls
         * @return this
         */
        public Builder readCalls(long value) {
            readCalls = value;
            return this;
        }

        /**
         * Counts system calls that sent; 0 otherwise.
         *
         * @param value calls
         * @return this
         */
        public Builder writeCalls(long value) {
            writeCalls = value;
            return this;
        }

        /**
         * Counts frames whose checksum was wrong; 0 otherwise.
         *
         * @param value frames
         * @return this
         */
        public Builder checksumErrors(long value) {
            checksumErrors = value;
            return this;
        }

        /**
         * Counts errors that this side reported to the peer; 0 otherwise.
         *
         * @param value on iWARP, Terminates
         * @return this
         */
        public Builder terminatesSent(long value) {
            terminatesSent = value;
            return this;
        }

        /**
         * Counts errors that the peer reported; 0 otherwise.
         *
         * @param value on iWARP, Terminates
         * @return this
         */
        public Builder terminatesReceived(long value) {
            terminatesReceived = value;
            return this;
        }

        /**
         * Makes the statistics.
         *
         * @return as described
         */
        public QueuePairStatistics build() {
            return new QueuePairStatistics(new Values(bytesSent, bytesReceived, bytesPlacedDirectly, bytesStaged, segmentsSent,
                    segmentsReceived, readCalls, writeCalls, checksumErrors, terminatesSent, terminatesReceived));
        }
    }
}
