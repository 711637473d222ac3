package org.panamaverbs.rdmacore.lifecycle;

import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;

/**
 * A device failed or was removed.
 *
 * @param device its name, to start a sentence
 * @param how    how that showed
 */
public record DeviceFailure(String device, String how) {
    /** The exception of a thread that waits for something of the device; each thread gets one of its own. */
    public SystemException exception() {
        return new SystemException(device + " is gone, or has failed (" + how + "): close everything on it", Libc.ENODEV());
    }
}
