package org.panamaverbs.softiwarp;

import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.Transport;
import org.panamaverbs.softiwarp.mpa.FpduWriter;

/** The limits of soft-iwarp, which has one device. */
// Tested by DeviceContract.
final class SoftAttributes implements DeviceAttributes {
    private static final ObjectLimits OBJECTS = new Objects();

    @Override
    public Transport transport() {
        return Transport.IWARP;
    }

    @Override
    public String vendor() {
        return "panama-verbs soft-iWARP";
    }

    @Override
    public String firmware() {
        return "0.1";
    }

    @Override
    public int maximumQueuePairs() {
        return SoftDevice.MAXIMUM_OBJECTS;
    }

    @Override
    public int maximumWorkRequests() {
        return SoftDevice.MAXIMUM_WORK_REQUESTS;
    }

    @Override
    public int maximumScatterGather() {
        return SoftDevice.MAXIMUM_ELEMENTS;
    }

    @Override
    public int maximumInline() {
        return FpduWriter.COPIED_PAYLOAD;
    }

    @Override
    public int maximumCompletionQueueEntries() {
        return SoftDevice.MAXIMUM_COMPLETIONS;
    }

    @Override
    public int maximumRegions() {
        return SoftDevice.MAXIMUM_REGIONS;
    }

    @Override
    public long maximumMessageSize() {
        return SoftDevice.MAXIMUM_MESSAGE;
    }

    @Override
    public int maximumInboundReads() {
        return SoftDevice.MAXIMUM_READS;
    }

    @Override
    public int maximumOutboundReads() {
        return SoftDevice.MAXIMUM_READS;
    }

    @Override
    public int maximumPrivateData() {
        return SoftDevice.MAXIMUM_PRIVATE_DATA;
    }

    @Override
    public int completionVectors() {
        return SoftDevice.COMPLETION_VECTORS;
    }

    @Override
    public ObjectLimits objects() {
        return OBJECTS;
    }

    private static final class Objects implements ObjectLimits {
        @Override
        public int completionQueues() {
            return SoftDevice.MAXIMUM_OBJECTS;
        }

        @Override
        public int protectionDomains() {
            return SoftDevice.MAXIMUM_OBJECTS;
        }

        @Override
        public int sharedReceiveQueues() {
            return SoftDevice.MAXIMUM_OBJECTS;
        }

        @Override
        public int sharedReceives() {
            return SoftDevice.MAXIMUM_WORK_REQUESTS;
        }

        @Override
        public int sharedReceiveElements() {
            return SoftDevice.MAXIMUM_ELEMENTS;
        }

        @Override
        public int memoryWindows() {
            return SoftDevice.MAXIMUM_REGIONS;
        }
    }
}
