package org.panamaverbs.rpcrdma.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.simulation.SimulatedLink.Traits;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/** A run: two nodes, a connection, and the events that befall them, all out of one seed. */
final class SimulatedWorld {
    private static final int SPARE = 8;
    private static final int[] THRESHOLDS = { 1024, 2048, 4096, 8192, 16_384 };
    private static final int[] CREDITS = { 1, 2, 3, 16, 64 };
    private static final int MOST_STEPS = 100_000;
    private final long seed;
    private final Random random;

    SimulatedWorld(long seed) {
        this.seed = seed;
        // Random's first numbers are alike for seeds that are near.
        random = new Random(seed * 0x9E37_79B9_7F4A_7C15L);
    }

    /** Runs; returns how it ended. */
    String run() {
        int clientHighest = 1 + random.nextInt(2);
        int serverHighest = 1 + random.nextInt(2);
        int forward = CREDITS[random.nextInt(CREDITS.length)];
        int forwardGranted = CREDITS[random.nextInt(CREDITS.length)];
        int backward = CREDITS[random.nextInt(CREDITS.length)];
        int backwardGranted = random.nextInt(3) == 0 ? 0 : CREDITS[random.nextInt(CREDITS.length)];
        int messages = forward + forwardGranted + backward + backwardGranted + SPARE;
        Traits clientTraits = traits(messages);
        Traits serverTraits = traits(messages);
        EndpointOptions clientOptions = options(true, clientHighest, forward, backwardGranted, clientTraits);
        EndpointOptions serverOptions = options(false, serverHighest, backward, forwardGranted, serverTraits);
        try (SimulatedWire wire = new SimulatedWire(random, clientTraits, serverTraits)) {
            try {
                wire.log("client " + clientOptions + " " + clientTraits);
                wire.log("server " + serverOptions + " " + serverTraits);
                SimulatedNode client = new SimulatedNode(wire, wire.client, clientOptions, random.nextInt());
                // Both may use the same XIDs: a direction has its own (RFC 8167, 2.3).
                SimulatedNode server = new SimulatedNode(wire, wire.server, serverOptions, client.calls.size() + random.nextInt(4));
                List<CreditCheck> checks = new ArrayList<>(List.of(new CreditCheck(wire, wire.client, forward, forwardGranted)));
                if (backwardGranted > 0) {
                    checks.add(new CreditCheck(wire, wire.server, backward, backwardGranted));
                }
                wire.onSend((from, bytes) -> checks.forEach(check -> check.onSend(from, bytes)));
                return run(wire, client, server, backwardGranted > 0);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", wire.log()), e);
            }
        }
    }

    private Traits traits(int messages) {
        int send = THRESHOLDS[random.nextInt(THRESHOLDS.length)];
        int receive = THRESHOLDS[random.nextInt(THRESHOLDS.length)];
        boolean invalidates = random.nextBoolean();
        return new Traits(send, receive, messages, messages, new PrivateData(invalidates, send, receive), random.nextBoolean(),
                invalidates);
    }

    private EndpointOptions options(boolean client, int highest, int asked, int granted, Traits traits) {
        return new EndpointOptions(client, 1, highest, asked, granted, 1 << 20, 16, 16, 16, traits.sendCapacity());
    }

    private String run(SimulatedWire wire, SimulatedNode client, SimulatedNode server, boolean backwardTaken) {
        int callsLeft = random.nextInt(60);
        int cancels = random.nextInt(3) == 0 ? random.nextInt(10) : 0;
        int lossAt = random.nextInt(4) == 0 ? random.nextInt(600) : -1;
        for (int step = 0; step < MOST_STEPS; step++) {
            if (step == lossAt) {
                wire.lose("the network is gone");
            }
            int choice = random.nextInt(100);
            SimulatedNode node = random.nextInt(3) == 0 ? server : client;
            if (choice < 10 && callsLeft > 0) {
                boolean heard = client.calls.stream().anyMatch(call -> "answered".equals(call.outcome()));
                if (node == client || backwardTaken && heard && server.knowsHowToCallBack()) {
                    node.call();
                    callsLeft--;
                }
            } else if (choice < 30 && node.canAnswer()) {
                node.answerOne();
            } else if (choice == 31 && cancels > 0 && !node.calls.isEmpty()) {
                cancels--;
                node.cancelOne();
            } else if (!wire.step() && callsLeft == 0 && !client.canAnswer() && !server.canAnswer()) {
                return end(wire, client, server);
            } else if (callsLeft > 0 && step > MOST_STEPS / 2) {
                callsLeft = 0;
            }
        }
        throw wire.broken("it does not come to rest");
    }

    /** All is at rest: of the calls that remain, each waits for one that the program does not answer. */
    private String end(SimulatedWire wire, SimulatedNode client, SimulatedNode server) {
        boolean cancelled = client.calls.stream().anyMatch(SimulatedCall::wasCancelled)
                || server.calls.stream().anyMatch(SimulatedCall::wasCancelled);
        if (!wire.failures().isEmpty()) {
            throw wire.broken("a sound peer lost its connection: " + wire.failures());
        }
        for (int handle : wire.violatedHandles()) {
            // A cancelled call's memory is closed while the peer may still use it: that ends the connection.
            if (!cancelled || !wire.client.revoked.contains(handle) && !wire.server.revoked.contains(handle)) {
                throw wire.broken("a sound peer touched memory that is not open to it: " + wire.violations());
            }
        }
        boolean lost = !client.endpoint.isOpen();
        if (!lost) {
            for (SimulatedNode node : List.of(client, server)) {
                boolean stuck = node.calls.stream().anyMatch(call -> !call.isDone() && call.plan.answered);
                boolean unanswered = node.calls.stream().anyMatch(call -> !call.plan.answered || call.wasCancelled());
                if (stuck && !unanswered) {
                    throw wire.broken("calls of " + node.link.name + " hang");
                }
                node.cancelAll();
            }
            wire.settle();
        }
        wire.lose("the run is over");
        wire.settle();
        client.answerAll();
        server.answerAll();
        wire.settle();
        client.check();
        server.check();
        return (lost ? wire.violations().isEmpty() ? "lost" : "cut by a cancel" : "good") + ", version " + client.endpoint.version();
    }
}
