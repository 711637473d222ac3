package org.panamaverbs;

import org.jspecify.annotations.Nullable;

/** One completion, copied out of a completion queue: for paths that are not hot. {@link Completions} gives the same without allocation. */
public final class Completion {
    private final Values values;

    private record Values(long id, CompletionStatus status, boolean isReceive, CompletionOpcode opcode, int vendorError, long byteLength,
            int immediate, int queuePairNumber, @Nullable Object attachment) {
    }

    private Completion(Values values) {
        this.values = values;
    }

    /**
     * Copies the completion that a cursor is on.
     *
     * @param cursor its {@link Completions#next()} has returned {@code true}
     * @return stays valid after the next poll
     */
    public static Completion of(Completions cursor) {
        boolean success = cursor.isSuccess();
        CompletionOpcode opcode = success ? cursor.opcode() : CompletionOpcode.UNKNOWN;
        boolean counted = switch (opcode) {
            case RECEIVE, RECEIVE_WRITE_WITH_IMMEDIATE, READ -> true;
            default -> false;
        };
        return new Completion(new Values(cursor.id(), cursor.status(), cursor.isReceive(), opcode, success ? 0 : cursor.vendorError(),
                counted ? cursor.byteLength() : 0, success && cursor.hasImmediate() ? cursor.immediate() : 0, cursor.queuePairNumber(),
                cursor.attachment()));
    }

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} if {@link #status()} names the failure
     */
    public boolean isSuccess() {
        return values.status == CompletionStatus.SUCCESS;
    }

    /**
     * Insists on success. {@link org.panamaverbs.cm.Connection#orThrow(Completion)} also names the end of the connection if the request was
     * flushed.
     *
     * @return this
     * @throws RequestFailedException if the request failed
     */
    public Completion orThrow() {
        if (!isSuccess()) {
            throw new RequestFailedException(
                    (values.isReceive ? "receive " : "request ") + values.id + " of queue pair " + values.queuePairNumber + " failed: "
                            + values.status.text()
                            + (values.status == CompletionStatus.FLUSHED ? ": Connection.orThrow names the reason of the end" : "")
                            + (values.vendorError == 0 ? "" : " (vendor error 0x" + Integer.toHexString(values.vendorError) + ")"),
                    values.status);
        }
        return this;
    }

    /** {@return the number that was given when the request was posted} */
    public long id() {
        return values.id;
    }

    /** {@return how the request ended} */
    public CompletionStatus status() {
        return values.status;
    }

    /** {@return whether the request was a receive; valid on failure, too} */
    public boolean isReceive() {
        return values.isReceive;
    }

    /** {@return the operation that completed; {@link CompletionOpcode#UNKNOWN} if the request failed} */
    public CompletionOpcode opcode() {
        return values.opcode;
    }

    /** {@return the provider's own code for a failure, as {@link Completions#vendorError()}} */
    public int vendorError() {
        return values.vendorError;
    }

    /** {@return the number of bytes that were received or read; 0 for other requests and on failure} */
    public long byteLength() {
        return values.byteLength;
    }

    /** {@return the immediate data of a receive, as {@link Completions#immediate()}; 0 if it has none} */
    public int immediate() {
        return values.immediate;
    }

    /** {@return the number of the queue pair, as {@link QueuePair#number()}} */
    public int queuePairNumber() {
        return values.queuePairNumber;
    }

    /** {@return the object that {@link QueuePairAttributes#withAttachment} gave to the queue pair, or {@code null}} */
    public @Nullable Object attachment() {
        return values.attachment;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Completion that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "Completion." + values;
    }
}
