package org.panamaverbs.sockets;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionDispatcher;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loop of all sockets of one device: a thread that waits for its socket turns it, or else a thread of the loop. */
final class SocketLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLoop.class);
    private static final int BATCH = 32;
    private static final long REST_NANOS = 1_000_000;

    private final StreamLoop streams;
    private final CompletionDispatcher dispatcher;
    private final Thread thread;
    private volatile boolean closed;

    SocketLoop(Device device) {
        streams = StreamLoop.of(device);
        dispatcher = new CompletionDispatcher(streams.queue(), BATCH, streams::handle, streams::endTurn);
        streams.onWakeup(dispatcher::wakeup);
        thread = Thread.ofPlatform().daemon().name("sockets-" + device.name()).start(this::run);
    }

    StreamLoop streams() {
        return streams;
    }

    /**
     * Waits until a condition holds.
     *
     * @return {@code false} if the time is up
     */
    boolean await(BooleanSupplier condition, Duration timeout) {
        return dispatcher.await(condition, timeout);
    }

    private void run() {
        while (!closed) {
            try {
                dispatcher.serve(() -> closed);
            } catch (ClosedException e) {
                return;
            } catch (VerbsException e) {
                LOG.error("the sockets of device {} do not work any more", streams.device().name(), e);
                return;
            } catch (RuntimeException | Error e) {
                LOG.error("a turn of the sockets of device {} failed", streams.device().name(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        dispatcher.wakeup();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        streams.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
