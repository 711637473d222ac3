package org.panamaverbs.netty;

import java.util.List;
import org.panamaverbs.Setting;
import org.panamaverbs.spi.DeclaredSettings;

/** Makes the setting of {@link NettyTransport} known. */
public final class DeclaredTransport implements DeclaredSettings {
    /** For {@link java.util.ServiceLoader}. */
    public DeclaredTransport() {
        // There is nothing to prepare.
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(NettyTransport.TRANSPORT);
    }
}
