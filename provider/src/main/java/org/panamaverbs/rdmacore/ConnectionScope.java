package org.panamaverbs.rdmacore;

import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;

/** The devices that a connection manager may use: all of a session, or one. */
interface ConnectionScope {
    /** The reader of their connection events. */
    EventReader reader();

    /** What is closed with them. */
    Children children();

    /** The device of a context, or {@code null} if it is none of these. */
    CoreDevice find(long context);

    /** Names them in messages. */
    String describe();

    /** The device of a context. */
    default CoreDevice require(long context, String tried, int errorNumber) {
        CoreDevice device = find(context);
        if (device == null) {
            throw new SystemException(
                    "cannot " + tried + ": " + Errno.describe(errorNumber) + "; the address belongs to another RDMA device "
                            + "than " + describe() + (errorNumber == Libc.EADDRNOTAVAIL()
                                    ? ""
                                    : ": use ConnectionManager.of(verbs), which takes the device that the route leads over"),
                    errorNumber);
        }
        return device;
    }
}
