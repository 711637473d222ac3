package org.panamaverbs.tools.shared;

import java.lang.foreign.Arena;
import java.time.Duration;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;

/**
 * What one connection of a command needs of a device: a domain, a completion queue and memory that lives as long. Closing it ends the
 * connection too.
 */
public final class Resources implements AutoCloseable {
    private static final int COMPLETIONS_PER_POLL = 64;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final Completions completions;

    public Resources(Device device, int completionQueueEntries) {
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(completionQueueEntries);
        completions = Completions.allocate(arena, COMPLETIONS_PER_POLL);
    }

    public Arena arena() {
        return arena;
    }

    public ProtectionDomain domain() {
        return domain;
    }

    public CompletionQueue queue() {
        return queue;
    }

    /** The cursor that polls fill. */
    public Completions completions() {
        return completions;
    }

    /**
     * Moves the cursor to the next completion, waiting where there is none.
     *
     * @return {@code false} where the time was up
     */
    public boolean next(Duration timeout) {
        if (completions.next()) {
            return true;
        }
        return queue.await(completions, timeout) > 0 && completions.next();
    }

    @Override
    public void close() {
        domain.close();
        queue.close();
        // Last: until the queue pair and the regions are gone, the memory may be in use.
        arena.close();
    }
}
