package org.panamaverbs;

/**
 * The traffic that a queue pair has carried since it was created; all counts only grow.
 *
 * @param bytesSent            payload sent, in bytes, without any header
 * @param bytesReceived        payload received, in bytes, without any header
 * @param bytesPlacedDirectly  of the bytes received, those that the system put straight into their registered segment
 * @param bytesStaged          of the bytes received, those that went through a buffer of the provider and were copied from there
 * @param segmentsSent         frames (on iWARP: FPDUs) sent
 * @param segmentsReceived     frames received
 * @param readCalls            system calls that received
 * @param writeCalls           system calls that sent
 * @param checksumErrors       frames whose checksum was wrong; each ends its connection
 * @param terminatesSent       errors that this side reported to the peer (on iWARP: Terminates); each ends its connection
 * @param terminatesReceived   errors that the peer reported; each ends its connection
 */
// Tested by BuildersTest, StatisticsContract.
public record QueuePairStatistics(long bytesSent, long bytesReceived, long bytesPlacedDirectly, long bytesStaged, long segmentsSent,
        long segmentsReceived, long readCalls, long writeCalls, long checksumErrors, long terminatesSent,
        long terminatesReceived) {
    /**
     * For providers: begins with the values that most have, and stays right when this record gets another component.
     *
     * @return to be changed, and built
     */
    public static Builder builder() {
        return new Builder();
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
         * Makes the record.
         *
         * @return as described
         */
        public QueuePairStatistics build() {
            return new QueuePairStatistics(bytesSent, bytesReceived, bytesPlacedDirectly, bytesStaged, segmentsSent, segmentsReceived,
                    readCalls, writeCalls, checksumErrors, terminatesSent, terminatesReceived);
        }
    }
}
