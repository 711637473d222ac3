package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import org.panamaverbs.nfs.xdr.Status;

/** An operation fails with a status; the compound ends there. */
public final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    private final Status status;

    /** Makes one. */
    public Refused(Status status) {
        super(status.rfcName());
        this.status = status;
    }

    /** For the client. */
    public Status status() {
        return status;
    }

    /** Strangers provoke these as often as they like. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
