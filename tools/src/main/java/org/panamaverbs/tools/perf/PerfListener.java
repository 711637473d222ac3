package org.panamaverbs.tools.perf;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Device;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.perf.idle.IdleTargets;
import org.panamaverbs.tools.perf.idle.MemoryBudget;
import org.panamaverbs.tools.perf.idle.Presence;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Quantity;
import org.panamaverbs.tools.shared.Service;

/** The passive end of {@code pverbs perf}: a {@link Target} per connection that carries something, {@link IdleTargets} for all others. */
final class PerfListener implements AutoCloseable {
    /** No client gives way: a measurement may pause. */
    private static final Service.Limits LIMITS = new Service.Limits(512, Verbs.FOREVER);
    /** It is longer than connecting many idle ones, or the steps before the first message, takes. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    private final Device device;
    private final Policy policy;
    private final Service service;
    private final MemoryBudget budget;
    private final Presence presence = new Presence(GRACE);
    private final IdleTargets idle;

    /**
     * The limits on the requests of peers.
     *
     * @param spin     whether threads poll without a pause if a peer asks for it; else they block
     * @param memory   of all connections together, in bytes
     * @param patience how long a peer that measures may do nothing
     */
    record Policy(boolean spin, long memory, Duration patience) {
        /** For peers of our own process, or started by it. */
        static Policy trusting(Duration patience) {
            return new Policy(true, Long.MAX_VALUE, patience);
        }
    }

    PerfListener(Device device, InetSocketAddress address, Policy policy, PrintWriter out) {
        this.device = device;
        this.policy = policy;
        budget = new MemoryBudget(policy.memory());
        service = new Service(ConnectionManager.of(device), address, LIMITS, out, "");
        idle = new IdleTargets(device, budget, presence);
    }

    InetSocketAddress address() {
        return service.address();
    }

    /** How much memory its connections have taken, in bytes. */
    long memoryTaken() {
        return budget.taken();
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
        String missing = Abilities.missing(device, plan);
        if (missing != null) {
            service.reject(request, missing);
            return;
        }
        long memory = plan.mode() == Plan.Mode.IDLE ? IdleTargets.MEMORY_EACH : Target.memory(plan);
        if (!budget.take(memory)) {
            service.reject(request, "this takes " + Quantity.text(memory) + " here, and all connections together may take "
                    + Quantity.text(budget.limit()) + ": start the listener with a larger --max-memory");
            return;
        }
        if (plan.mode() == Plan.Mode.IDLE) {
            // It gives the memory back.
            idle.accept(request);
            return;
        }
        InetAddress host = request.remoteAddress().getAddress();
        presence.begin(host);
        try {
            serve(request, plan);
        } finally {
            presence.end(host);
            budget.giveBack(memory);
        }
    }

    private void serve(ConnectionRequest request, Plan plan) {
        Waiting waiting = plan.waiting() == Waiting.SPIN && !policy.spin() ? Waiting.BLOCK : plan.waiting();
        if (plan.latency() && plan.operation() == Operation.WRITE && waiting != Waiting.SPIN) {
            service.reject(request, "in a ping-pong of Writes this end has to poll memory: start the listener with --allow-spin");
            return;
        }
        Target target;
        try {
            target = new Target(device, request, plan, waiting, policy.patience());
        } catch (ResourceException e) {
            service.reject(request, "there is not enough memory here for messages of " + plan.size() + " bytes: take smaller ones");
            return;
        }
        try (target) {
            service.say(HostPort.text(request.remoteAddress()) + ": " + plan.operation() + ", " + plan.size() + " bytes"
                    + (plan.both() ? ", both directions" : ""));
            target.serve();
        }
    }

    @Override
    public void close() {
        service.close();
        idle.close();
    }
}
