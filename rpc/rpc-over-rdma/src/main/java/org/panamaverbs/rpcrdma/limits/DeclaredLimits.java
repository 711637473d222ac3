package org.panamaverbs.rpcrdma.limits;

import java.util.List;
import org.panamaverbs.Setting;
import org.panamaverbs.spi.DeclaredSettings;

/** Makes the settings of limits known. */
public final class DeclaredLimits implements DeclaredSettings {
    /** For {@link java.util.ServiceLoader}. */
    public DeclaredLimits() {
        // There is nothing to prepare.
    }

    @Override
    public List<Setting<?>> settings() {
        return ServiceLimits.settings();
    }
}
