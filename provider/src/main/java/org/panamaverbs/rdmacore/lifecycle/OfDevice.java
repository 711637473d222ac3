package org.panamaverbs.rdmacore.lifecycle;

/** What was made on a device, and has somebody waiting who waits in vain once the device has failed. */
public interface OfDevice {
    /** Whoever waits is to fail. By the event reader: this does not wait. */
    void onDeviceFailure(DeviceFailure failure);
}
