package org.panamaverbs.rdmacore.queue;

/** A completion queue, as the work queues see it whose requests complete there. */
public interface CompletionSink {
    /** A completion that waited for the one which is being delivered, or {@code null}; under the completion queue's lock. */
    void addLate(KeptCompletion completion);

    /** Takes what the device has, unless the program has left too much in the queue already. */
    void drainForRoom();

    /** The device had no room for a request that is to complete here. */
    void onStalled();

    /** The requests of a ring that the device never reported are flushed. Its queue pair takes no more, or is locked. */
    void flush(WorkRing ring, boolean isSend, int queuePairNumber, Object attachment);
}
