package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.util.Objects;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;

/** The server refused an operation (RFC 8881, 15). */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1L;
    /** The status of the operation that failed. */
    private final Operation operation;
    /** How. */
    private final Status status;

    NfsException(Operation operation, Status status, String object) {
        super(object + ": " + status.text() + " (" + status.rfcName() + " of " + operation + ")");
        this.operation = operation;
        this.status = Objects.requireNonNull(status);
    }

    /**
     * The operation that failed.
     *
     * @return one of the compound's
     */
    public Operation operation() {
        return operation;
    }

    /**
     * How it failed.
     *
     * @return any status but OK
     */
    public Status status() {
        return status;
    }
}
