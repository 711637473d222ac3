package org.panamaverbs.rdmacore.probe;

import java.util.ArrayList;
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
        String cure = "";
        try (Contexts opened = Contexts.open()) {
            List<Contexts.Context> contexts = opened.list();
            if (contexts.isEmpty()) {
                String refused = Permissions.missing(Permissions.DEVICES);
                return no(refused != null ? refused
                        : "there is no RDMA device: load its driver and see \"rdma link\" (soft-iWARP: modprobe siw, "
                                + "rdma link add siw0 type siw netdev eth0)");
            }
            Calls.linkAll();
            if (ConnectionCheck.needsConnections(contexts)) {
                cure = " (modprobe rdma_ucm)";
                Calls.DESTROY_EVENT_CHANNEL.run(Calls.CREATE_EVENT_CHANNEL.object("open /dev/infiniband/rdma_cm"));
            }
            return choose(configuration, contexts);
        } catch (VerbsException e) {
            String refused = Permissions.missing(Permissions.DEVICES);
            return no(e.getMessage() + (refused == null ? cure : "; " + refused));
        }
    }

    private static Availability choose(Configuration configuration, List<Contexts.Context> contexts) {
        String text = "devices " + contexts.stream().map(context -> context.name() + (context.active() ? " (active)" : " (down)"))
                .collect(Collectors.joining(", "));
        String refused = configuration.get(Configuration.PROVIDER).equals("auto")
                ? refusal(configuration.get(Configuration.DEVICE), contexts, text) : null;
        return refused != null ? no(refused) : new Availability(true, text);
    }

    /**
     * A program that names this provider gets it, so that it can list devices that are down. An automatic choice takes it only if a
     * connection over a device is possible, or over the device that the program names.
     */
    private static String refusal(String wanted, List<Contexts.Context> contexts, String text) {
        LocalInterfaces interfaces = LocalInterfaces.find();
        List<String> refusals = new ArrayList<>();
        for (Contexts.Context context : contexts) {
            if (wanted.isEmpty() || context.name().equals(wanted)) {
                String refused = ConnectionCheck.refusal(context, interfaces);
                if (refused == null) {
                    return null;
                }
                refusals.add(refused);
            }
        }
        return refusals.isEmpty() ? "no RDMA device is called " + wanted + "; there are " + text : String.join("; ", refusals);
    }

    private static Availability no(String detail) {
        return new Availability(false, detail);
    }
}
