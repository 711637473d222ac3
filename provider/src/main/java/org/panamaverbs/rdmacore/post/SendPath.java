package org.panamaverbs.rdmacore.post;

/** A path of requests to the device. For one thread at a time. */
interface SendPath {
    /**
     * Submits requests to the device, all at once. Each but the last names the next one already.
     *
     * @param first the sequence of the first
     * @param last  that after the last
     * @return the error number, or 0; some libraries report none if the device was full
     */
    int post(int first, int last);

    /** The call that submits them, for messages. */
    String call();

    /** The first one of those that it did not take; {@code last} if it took all. */
    int refused();
}
