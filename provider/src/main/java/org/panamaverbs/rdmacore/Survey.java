package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Collectors;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** What devices there are, and whether the bindings fit the libraries. */
final class Survey {
    private Survey() {
    }

    static Availability of(Configuration configuration) {
        String misfit = misfit();
        if (misfit != null) {
            return no(misfit);
        }
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
            for (Contexts.Context context : contexts) {
                if (ibv_context.device(context.address()).address() == 0 || ibv_context.async_fd(context.address()) < 0) {
                    return no("struct ibv_context of device " + context.name() + " is not what the bindings say");
                }
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

    /** Why the generated layouts are not those that this code was written for, or {@code null}. */
    private static String misfit() {
        boolean fits = ibv_wc.sizeof() == Completions.SIZE && ibv_sge.sizeof() == 16 && ibv_send_wr.sizeof() == 128
                && ibv_wc.wr_id$offset() == Completions.ID && ibv_wc.status$offset() == Completions.STATUS
                && ibv_wc.byte_len$offset() == Completions.BYTE_LENGTH && ibv_wc.qp_num$offset() == Completions.QUEUE_PAIR
                && ibv_wc.wc_flags$offset() == Completions.FLAGS && MemorySegment.NULL.address() == 0;
        return fits ? null : "the layouts of the bindings are not those of x86_64: regenerate them";
    }

    private static Availability no(String detail) {
        return new Availability(false, detail);
    }
}
