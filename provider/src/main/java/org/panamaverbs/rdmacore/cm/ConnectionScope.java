package org.panamaverbs.rdmacore.cm;

import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.spi.support.Children;

/** The devices that a connection manager may use: all of a session, or one. */
public interface ConnectionScope {
    /** The reader of their connection events. */
    EventReader reader();

    /** The objects that are closed with them. */
    Children children();

    /** The device of a context, or {@code null} if it is none of these. */
    ConnectingDevice find(long address);

    /** Throws if none of these devices has connections. */
    void requireConnections();

    /** Names them in messages. */
    String describe();

    /** The device of a context. */
    default ConnectingDevice require(long context, String action, int errorNumber) {
        ConnectingDevice device = find(context);
        if (device == null) {
            throw new SystemException("cannot " + action + ": " + Errno.describe(errorNumber)
                    + "; the address belongs to another RDMA device " + "than " + describe() + (errorNumber == Libc.EADDRNOTAVAIL() ? ""
                            : ": use ConnectionManager.of(verbs), which takes the device that the route leads over"),
                    errorNumber);
        }
        return device;
    }
}
