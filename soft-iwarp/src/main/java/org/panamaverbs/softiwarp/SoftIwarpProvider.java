package org.panamaverbs.softiwarp;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Setting;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.spi.VerbsProvider;

/** The provider of iWARP in user space, which needs no RDMA device. */
public final class SoftIwarpProvider implements VerbsProvider {
    static final String NAME = "soft-iwarp";

    /** For {@link java.util.ServiceLoader}. */
    public SoftIwarpProvider() {
        // Loads nothing: a session does.
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int preference() {
        return 0;
    }

    @Override
    public List<Setting<?>> settings() {
        return Settings.ALL;
    }

    @Override
    public Availability availability(Configuration configuration) {
        try {
            Settings settings = Settings.of(configuration);
            Transports.Choice transport = Transports.choose(settings.transport(), settings.tcp().congestionControl());
            return new Availability(true, "iWARP in user space, transport " + transport.kind() + ": " + transport.reason());
        } catch (UnsupportedVerbException e) {
            return new Availability(false, e.getMessage());
        }
    }

    @Override
    public Session open(Configuration configuration) {
        SoftDevice device = new SoftDevice(Settings.of(configuration));
        return new Session() {
            @Override
            public List<Device> devices() {
                return List.of(device);
            }

            @Override
            public void close() {
                device.close();
            }
        };
    }
}
