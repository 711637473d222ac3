package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.queue.SendQueue;

/**
 * The times of the posts of a queue pair's requests. The object exists from the first request on that is posted while a recording wants
 * slow operations.
 */
final class RequestTimes implements SendQueue.RetireListener {
    /** By slot: the time of the post, or 0. The queue publishes each together with the request. */
    private final long[] posted;
    private final int queuePair;
    private final InetSocketAddress remote;

    RequestTimes(int slots, int queuePair, InetSocketAddress remote) {
        this.posted = new long[slots];
        this.queuePair = queuePair;
        this.remote = remote;
    }

    private int slot(long sequence) {
        return (int) sequence & posted.length - 1;
    }

    /** A request is about to be published. Called under the posters' lock. */
    void onPosted(long sequence) {
        // Zero stands for "not taken".
        posted[slot(sequence)] = System.nanoTime() | 1;
    }

    @Override
    public void onRetired(long sequence, SendQueue.Operation operation, long length) {
        long begin = posted[slot(sequence)];
        posted[slot(sequence)] = 0;
        if (begin != 0 && Recorder.get().isTimingOperations()) {
            Recorder.get().onRequest(remote, queuePair, operation, length, System.nanoTime() - begin);
        }
    }
}
