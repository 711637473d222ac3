package org.panamaverbs.rdmacore.probe;

import java.util.List;
import java.util.stream.Collectors;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsException;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** Whether there are devices, and whether they can be used. */
public final class AvailabilityCheck {
    private AvailabilityCheck() {
    }

    public static Availability of(Configuration configuration) {
        List<Contexts.Context> contexts;
        String cure = "";
        try (Contexts opened = Contexts.open()) {
            contexts = opened.list();
            if (contexts.isEmpty()) {
                String refused = Permissions.missing(Permissions.DEVICES);
                return no(refused != null ? refused
                        : "there is no RDMA device: load its driver and see \"rdma link\" (soft-iWARP: modprobe siw, "
                                + "rdma link add siw0 type siw netdev eth0)");
            }
            Calls.linkAll();
            cure = " (modprobe rdma_ucm)";
            Calls.DESTROY_EVENT_CHANNEL.run(Calls.CREATE_EVENT_CHANNEL.object("open /dev/infiniband/rdma_cm"));
        } catch (VerbsException e) {
            String refused = Permissions.missing(Permissions.DEVICES);
            return no(e.getMessage() + (refused == null ? cure : "; " + refused));
        }
        return choose(configuration, contexts);
    }

    private static Availability choose(Configuration configuration, List<Contexts.Context> contexts) {
        String text = "devices " + contexts.stream().map(context -> context.name() + (context.active() ? " (active)" : " (down)"))
                .collect(Collectors.joining(", "));
        // Who asks for this provider by name gets it; a choice that is automatic wants a device that carries something.
        if (configuration.get(Configuration.PROVIDER).equals("auto")) {
            String wanted = configuration.get(Configuration.DEVICE);
            if (!wanted.isEmpty() && contexts.stream().noneMatch(context -> context.name().equals(wanted))) {
                return no("no RDMA device is called " + wanted + "; there are " + text);
            }
            if (contexts.stream().noneMatch(Contexts.Context::active)) {
                return no("no RDMA device has an active port: bring its network interface up; there are " + text);
            }
        }
        return new Availability(true, text);
    }

    private static Availability no(String detail) {
        return new Availability(false, detail);
    }
}
