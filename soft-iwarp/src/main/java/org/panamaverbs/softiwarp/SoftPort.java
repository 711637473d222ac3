package org.panamaverbs.softiwarp;

import org.panamaverbs.device.PortAttributes;

/** The port of the device: it is always up, since TCP has no link. */
// Tested by DeviceContract.
final class SoftPort implements PortAttributes {
    @Override
    public int number() {
        return 1;
    }

    @Override
    public String physicalState() {
        return "LINK_UP";
    }

    @Override
    public int maximumMtu() {
        return SoftDevice.MTU;
    }

    @Override
    public int activeMtu() {
        return SoftDevice.MTU;
    }

    @Override
    public long maximumMessageSize() {
        return SoftDevice.MAXIMUM_MESSAGE;
    }
}
