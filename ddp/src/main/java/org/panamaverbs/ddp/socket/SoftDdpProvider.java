package org.panamaverbs.ddp.socket;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.spi.DeclaredSettings;

/** Opens contexts, and names their one setting beside those of soft-iwarp. */
public final class SoftDdpProvider implements DdpContext.Provider, DeclaredSettings {
    static final Setting<Integer> QUARANTINE = Setting.integer("panamaverbs.softiwarp.ddp.stag-quarantine", 30_000, 0, 3_600_000,
            "Milliseconds for which the STag of a closed buffer is not used again on the same socket or group, since messages for it may "
                    + "still be under way");

    /** For {@link java.util.ServiceLoader}. */
    public SoftDdpProvider() {
        // Loads nothing: a context does.
    }

    @Override
    public DdpContext open(Configuration configuration) {
        return new SoftDdpContext(configuration);
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(QUARANTINE);
    }
}
