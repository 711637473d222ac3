package org.panamaverbs.rdmacore.lifecycle;

/** An object of a device, which threads wait for: their waits fail once the device has failed. */
public interface DeviceFailureListener {
    /** Each wait fails. By the event reader: this does not wait. */
    void onDeviceFailure(DeviceFailure failure);
}
