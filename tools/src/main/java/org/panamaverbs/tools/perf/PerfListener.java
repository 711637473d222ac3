package org.panamaverbs.tools.perf;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import org.panamaverbs.Device;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Service;

/** The passive end of {@code pverbs perf}: a {@link Target} per connection that carries something, {@link IdleTargets} for all others. */
final class PerfListener implements AutoCloseable {
    private static final int MAXIMUM_CONNECTIONS = 256;

    private final Device device;
    private final Service service;
    private final IdleTargets idle;

    PerfListener(Device device, InetSocketAddress address, PrintWriter out) {
        this.device = device;
        service = new Service(device, address, MAXIMUM_CONNECTIONS, out, "");
        idle = new IdleTargets(device);
    }

    InetSocketAddress address() {
        return service.address();
    }

    /** Returns once it is closed. */
    void serve() {
        service.serve(this::serve);
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
