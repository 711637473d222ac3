package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.spi.support.Rollback;

/**
 * Findings about a device's context, shared by all sessions: made when the first of them opens it, since trying takes a while, and forgotten
 * when the last one closes. librdmacm closes the context of a device that is unplugged once no session has it, and the next one may get its
 * address.
 */
public final class SharedContext {
    private static final Map<Long, SharedContext> OPEN = new HashMap<>();

    private final long address;
    private final MemorySegment kept;
    private final DeviceCapabilities capabilities;
    private int holders;

    private SharedContext(Contexts.Context context, DeviceQuery query) {
        this.address = context.address().address();
        try (Rollback undo = new Rollback()) {
            this.kept = query.quirks().contains(Quirk.LOSES_QUEUE_KEY) ? LibsiwKeys.keep(context.address(), context.name())
                    : MemorySegment.NULL;
            undo.add(() -> LibsiwKeys.giveBack(kept));
            this.capabilities = DeviceCapabilities.of(context, query);
            undo.commit();
        }
    }

    /**
     * The findings about a context; to be released once.
     *
     * @param query of its device
     */
    public static SharedContext hold(Contexts.Context context, DeviceQuery query) {
        synchronized (OPEN) {
            SharedContext shared = OPEN.get(context.address().address());
            if (shared == null) {
                shared = new SharedContext(context, query);
                OPEN.put(shared.address, shared);
            }
            shared.holders++;
            return shared;
        }
    }

    public Set<Capability> capabilities() {
        return capabilities.all();
    }

    /** The rates to which connections can be limited. */
    public Optional<RateLimits> rateLimits() {
        return capabilities.rateLimits();
    }

    /** The clock that stamps completions. */
    public Optional<CompletionClock> clock() {
        return capabilities.clock();
    }

    /** A session closes; the context is still open. */
    public void release() {
        synchronized (OPEN) {
            if (--holders == 0) {
                OPEN.remove(address);
                LibsiwKeys.giveBack(kept);
            }
        }
    }
}
