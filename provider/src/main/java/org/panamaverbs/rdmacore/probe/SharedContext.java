package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.panamaverbs.Capability;

/**
 * Findings about a device's context, shared by all sessions: made when the first of them opens it, since trying takes a while, and forgotten
 * when the last one closes. librdmacm closes the context of a device that is unplugged once no session has it, and the next one may get its
 * address.
 */
public final class SharedContext {
    private static final Map<Long, SharedContext> OPEN = new HashMap<>();

    private final long address;
    private final MemorySegment kept;
    private final Set<Capability> capabilities;
    private int holders;

    private SharedContext(Contexts.Context context, MemorySegment limits) {
        this.address = context.address().address();
        this.kept = LibsiwKeys.keep(context.address(), context.name(), limits);
        try {
            this.capabilities = DeviceCapabilities.of(context, limits);
        } catch (RuntimeException | Error e) {
            LibsiwKeys.giveBack(kept);
            throw e;
        }
    }

    /**
     * That of a context; to be released once.
     *
     * @param limits its {@code ibv_device_attr}
     */
    public static SharedContext hold(Contexts.Context context, MemorySegment limits) {
        synchronized (OPEN) {
            SharedContext shared = OPEN.get(context.address().address());
            if (shared == null) {
                shared = new SharedContext(context, limits);
                OPEN.put(shared.address, shared);
            }
            shared.holders++;
            return shared;
        }
    }

    public Set<Capability> capabilities() {
        return capabilities;
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
