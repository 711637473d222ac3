package org.panamaverbs.rdmacore;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.NoProviderException;
import org.panamaverbs.Setting;
import org.panamaverbs.rdmacore.ffi.Libraries;
import org.panamaverbs.rdmacore.lifecycle.KeepAlive;
import org.panamaverbs.rdmacore.probe.AvailabilityCheck;
import org.panamaverbs.spi.VerbsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider for RDMA devices. Nothing native is loaded before {@link #availability} is asked. It ranks above soft-iwarp. Under
 * {@code auto} it counts as available only if a reliable connection over one of its devices is possible, or over the one that
 * {@code panamaverbs.device} names.
 */
public final class RdmaCoreProvider implements VerbsProvider {
    static final String NAME = "rdma-core";

    private static final Logger LOG = LoggerFactory.getLogger(RdmaCoreProvider.class);

    static final Setting<Integer> BUSY_POLL = Setting.integer("panamaverbs.rdmacore.busy-poll", 50, 0, 10_000,
            "Microseconds for which a waiting thread busy-polls before it sleeps. The thread busy-polls less often while it finds nothing, and "
                    + "never on a single processor; 0: it sleeps at once");

    /** For {@link java.util.ServiceLoader}. */
    public RdmaCoreProvider() {
        // Nothing to do.
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int preference() {
        return 10;
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(BUSY_POLL, KeepAlive.SETTING);
    }

    @Override
    public Availability availability(Configuration configuration) {
        String missing = Libraries.missing();
        if (missing != null) {
            return new Availability(false, missing);
        }
        if (DeviceClaim.isElsewhere()) {
            return new Availability(false, DeviceClaim.REFUSAL);
        }
        try {
            return AvailabilityCheck.of(configuration);
        } catch (RuntimeException | LinkageError e) {
            return new Availability(false, "the RDMA libraries are there, but cannot be used: " + e);
        }
    }

    @Override
    public Session open(Configuration configuration) {
        Availability availability = availability(configuration);
        if (!availability.available()) {
            throw new NoProviderException("provider " + NAME + " is not available: " + availability.detail());
        }
        String caution = Libraries.caution();
        if (caution != null) {
            LOG.warn(caution);
        }
        return new CoreSession(configuration.get(BUSY_POLL) * 1000L, configuration.get(KeepAlive.SETTING));
    }
}
