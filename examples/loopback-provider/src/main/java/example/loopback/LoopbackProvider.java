package example.loopback;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Setting;
import org.panamaverbs.spi.VerbsProvider;

/** The provider "loopback": each session has one device. */
public final class LoopbackProvider implements VerbsProvider {
    static final String NAME = "loopback";
    /** Under "auto" every other provider comes first. */
    private static final int PREFERENCE = -1000;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int preference() {
        return PREFERENCE;
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of();
    }

    @Override
    public Availability availability(Configuration configuration) {
        return new Availability(true, "connects queue pairs of this JVM alone");
    }

    @Override
    public Session open(Configuration configuration) {
        LoopbackDevice device = new LoopbackDevice();
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
