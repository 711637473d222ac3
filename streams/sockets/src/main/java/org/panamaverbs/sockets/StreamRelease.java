package org.panamaverbs.sockets;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.spi.support.Workers;

/**
 * Closes the queue pair of a stream, and frees its memory when neither the queue pair nor the program needs it any more. Workers do both, as
 * a device takes its time.
 */
final class StreamRelease {
    /** The pause after a close that failed, for example for want of memory. */
    private static final long REST_NANOS = 100_000_000;

    private final AtomicInteger users = new AtomicInteger(2);
    // These exist before the end, as memory may be lacking then.
    private final Workers.Task closing = new Workers.Task(this::close);
    private final Workers.Task releasing;
    private volatile @Nullable Connection connection;

    /** @param releaseMemory frees the memory; called once */
    StreamRelease(Runnable releaseMemory) {
        releasing = new Workers.Task(releaseMemory);
    }

    /** Has a worker close a connection and its queue pair. */
    void close(Connection ended) {
        connection = ended;
        closing.submit();
    }

    private void close() {
        try {
            Objects.requireNonNull(connection).close();
        } catch (SystemException | OutOfMemoryError e) {
            // A close can be tried again. Until it succeeds, the peer may use the memory.
            LockSupport.parkNanos(REST_NANOS);
            closing.submit();
            return;
        }
        leave();
    }

    /** The queue pair, or the program, needs the memory no more. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            releasing.submit();
        }
    }
}
