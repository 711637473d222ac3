package org.panamaverbs.tools.perf;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Service;

/** The passive end of {@code pverbs perf}: a {@link Target} per connection that carries something, {@link IdleTargets} for all others. */
final class PerfListener implements AutoCloseable {
    /** No client gives way: a measurement may pause. */
    private static final Service.Limits LIMITS = new Service.Limits(256, Verbs.FOREVER);

    private final Device device;
    private final Service service;
    private final IdleTargets idle;

    PerfListener(Device device, InetSocketAddress address, PrintWriter out) {
        this.device = device;
        service = new Service(device, address, LIMITS, out, "");
        idle = new IdleTargets(device);
    }

    InetSocketAddress address() {
        return service.address();
    }

    /** Returns once it is closed. */
    void serve() {
        service.serve((request, place) -> serve(request));
    }

    private void serve(ConnectionRequest request) {
        Plan plan;
        try {
            plan = Plan.decode(request.privateData());
        } catch (IllegalArgumentException e) {
            service.reject(request, e.getMessage());
            return;
        }
        if (plan.mode() == Plan.Mode.IDLE) {
            idle.accept(request);
            return;
        }
        try (Target target = new Target(device, request, plan)) {
            service.say(HostPort.text(request.remoteAddress()) + ": " + plan.operation() + ", " + plan.size() + " bytes");
            target.serve();
        }
    }

    @Override
    public void close() {
        service.close();
        idle.close();
    }
}
