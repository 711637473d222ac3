package org.panamaverbs.ddp.socket;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.softiwarp.FurtherSettings;

/** Opens contexts, and names their settings: to {@link DdpContext}, and to soft-iwarp, whose settings are all that a configuration knows. */
public final class SoftDdpProvider implements DdpContext.Provider, FurtherSettings {
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
        return DdpSettings.ALL;
    }
}
