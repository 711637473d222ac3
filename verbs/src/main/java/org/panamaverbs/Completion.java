package org.panamaverbs;

/**
 * One completion, copied out of a completion queue: for paths that are not hot. {@link Completions} gives the same without allocation.
 *
 * @param id              the number that was given when the request was posted
 * @param status          how the request ended
 * @param isReceive       whether the request was a receive; valid on failure, too
 * @param opcode          the operation that completed; {@link CompletionOpcode#UNKNOWN} if the request failed
 * @param vendorError     the provider's own code for a failure, as {@link Completions#vendorError()}
 * @param byteLength      the number of bytes that were received or read; 0 for other requests and on failure
 * @param immediate       the immediate data of a receive, as {@link Completions#immediate()}; 0 if it has none
 * @param queuePairNumber the number of the queue pair, as {@link QueuePair#number()}
 * @param attachment      the object that {@link QueuePairAttributes#withAttachment} gave to the queue pair, or {@code null}
 */
public record Completion(long id, CompletionStatus status, boolean isReceive, CompletionOpcode opcode, int vendorError, long byteLength,
        int immediate, int queuePairNumber, Object attachment) {
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
        return new Completion(cursor.id(), cursor.status(), cursor.isReceive(), opcode, success ? 0 : cursor.vendorError(),
                counted ? cursor.byteLength() : 0, success && cursor.hasImmediate() ? cursor.immediate() : 0, cursor.queuePairNumber(),
                cursor.attachment());
    }

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} if {@link #status()} names the failure
     */
    public boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }

    /**
     * Insists on success.
     *
     * @return this
     * @throws RequestFailedException if the request failed
     */
    public Completion orThrow() {
        if (!isSuccess()) {
            throw new RequestFailedException(
                    (isReceive ? "receive " : "request ") + id + " of queue pair " + queuePairNumber + " failed: " + status.text()
                            + (vendorError == 0 ? "" : " (vendor error 0x" + Integer.toHexString(vendorError) + ")"),
                    status);
        }
        return this;
    }
}
