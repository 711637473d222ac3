package org.panamaverbs.tools.shared;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.spi.support.Rollback;

/**
 * The objects that one connection of a command needs of a device: a domain, a completion queue and memory that lives as long. Closing
 * them ends the connection too.
 */
public final class Resources implements AutoCloseable {
    private static final int COMPLETIONS_PER_POLL = 64;

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    /** {@code null} if waiters wait for the queue itself. */
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final Completions completions;
    private final Rollback teardown;

    public Resources(Device device, int completionQueueEntries) {
        this(device, completionQueueEntries, false);
    }

    /** @param notified whether a completion channel wakes the waiting thread, as in programs of {@code ibv_get_cq_event} */
    public Resources(Device device, int completionQueueEntries, boolean notified) {
        try (Rollback undo = new Rollback()) {
            // Last: until the queue pair and the regions are gone, the memory may be in use.
            undo.add(arena::close);
            completions = Completions.allocate(COMPLETIONS_PER_POLL);
            if (notified) {
                channel = device.createCompletionChannel();
                undo.add(channel::close);
                queue = device.createCompletionQueue(completionQueueEntries, channel);
            } else {
                channel = null;
                queue = device.createCompletionQueue(completionQueueEntries);
            }
            undo.add(queue::close);
            domain = device.allocateProtectionDomain();
            undo.add(domain::close);
            teardown = undo.commit();
        }
    }

    public Arena arena() {
        return arena;
    }

    /**
     * Registers new memory, which lives as long as this.
     *
     * @throws ResourceException if there is not so much
     */
    public MemoryRegion register(long size, long alignment, Set<Access> rights) {
        MemorySegment memory;
        try {
            memory = arena.allocate(size, alignment);
        } catch (OutOfMemoryError e) {
            throw new ResourceException("there is not enough memory for a buffer of " + Quantity.text(size) + ": " + e.getMessage()
                    + "; -XX:MaxDirectMemorySize in JAVA_TOOL_OPTIONS allows more", e);
        }
        return domain.register(memory, rights);
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
     * Fills the cursor, and waits if there is no completion yet.
     *
     * @return how many there were; 0 if the time was up, or the channel notified of completions that an earlier poll has taken
     */
    public int await(Duration timeout) {
        if (channel == null) {
            return queue.await(completions, timeout);
        }
        int count = queue.poll(completions);
        if (count > 0) {
            return count;
        }
        queue.requestNotification(false);
        // Completions from before the request raise no event.
        count = queue.poll(completions);
        if (count > 0) {
            return count;
        }
        try {
            channel.await(timeout);
        } catch (VerbsTimeoutException e) {
            return 0;
        }
        return queue.poll(completions);
    }

    /**
     * Moves the cursor to the next completion, waiting if there is none.
     *
     * @return {@code false} if the time was up
     */
    public boolean next(Duration timeout) {
        if (completions.next()) {
            return true;
        }
        return await(timeout) > 0 && completions.next();
    }

    @Override
    public void close() {
        teardown.close();
    }
}
