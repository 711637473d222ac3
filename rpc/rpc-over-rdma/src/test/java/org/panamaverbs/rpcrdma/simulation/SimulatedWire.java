package org.panamaverbs.rpcrdma.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The wire between two {@link SimulatedLink}s: it takes one step at a time, of those that are possible, by a seeded choice. */
final class SimulatedWire implements AutoCloseable {
    private static final int LOGGED = 80;
    final Random random;
    final SimulatedLink client;
    final SimulatedLink server;
    private final Arena arena = Arena.ofConfined();
    private final Deque<Supplier<String>> log = new ArrayDeque<>();
    private BiConsumer<SimulatedLink, byte[]> tap = (link, bytes) -> {
    };
    private final List<String> violations = new ArrayList<>();
    private final List<Integer> violatedHandles = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    SimulatedWire(Random random, SimulatedLink.Traits client, SimulatedLink.Traits server) {
        this.random = random;
        this.client = new SimulatedLink("client", this, client);
        this.server = new SimulatedLink("server", this, server);
        this.client.connect(this.server);
        this.server.connect(this.client);
    }

    void onSend(BiConsumer<SimulatedLink, byte[]> listener) {
        tap = listener;
    }

    void tap(SimulatedLink from, byte[] message) {
        log(() -> from.name + " sends " + message.length + " bytes: " + describe(message));
        tap.accept(from, message);
    }

    private static String describe(byte[] message) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i + 4 <= Math.min(message.length, 32); i += 4) {
            words.append(String.format("%02x%02x%02x%02x ", message[i], message[i + 1], message[i + 2], message[i + 3]));
        }
        return words.toString();
    }

    void log(String line) {
        log(() -> line);
    }

    void log(Supplier<String> line) {
        if (log.size() == LOGGED) {
            log.remove();
        }
        log.add(line);
    }

    List<String> log() {
        return log.stream().map(Supplier::get).toList();
    }

    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, 8).fill((byte) 0xCC);
    }

    AssertionError broken(String what) {
        return new AssertionError(what);
    }

    /** A remote access that a device refuses: both sides lose the connection. */
    void violation(SimulatedLink of, int handle, String what) {
        log("violation at " + of.name + ": " + what);
        violations.add(what);
        violatedHandles.add(handle);
        lose(what);
    }

    void failed(SimulatedLink by, String reason) {
        log(by.name + " ends the connection: " + reason);
        failures.add(by.name + ": " + reason);
        lose(reason);
    }

    void lose(String reason) {
        client.lose(reason);
        server.lose(reason);
    }

    List<String> violations() {
        return violations;
    }

    List<Integer> violatedHandles() {
        return violatedHandles;
    }

    /** Why the sides themselves ended the connection. */
    List<String> failures() {
        return failures;
    }

    /** Takes a step; {@code false} if none is possible. */
    boolean step() {
        List<Runnable> possible = new ArrayList<>();
        for (SimulatedLink link : List.of(client, server)) {
            if (!link.isEnding() && !link.posted.isEmpty()) {
                possible.add(link::carryOut);
            }
            if (!link.isEnding() && !link.reads.isEmpty()) {
                possible.add(link::finishRead);
            }
            if (!link.events.isEmpty()) {
                possible.add(() -> link.events.remove().run());
            }
            if (link.isEnding() && !link.hasEnded()) {
                possible.add(link::end);
            }
        }
        if (possible.isEmpty()) {
            return false;
        }
        possible.get(random.nextInt(possible.size())).run();
        return true;
    }

    /** Takes steps until none is possible. */
    void settle() {
        for (int steps = 0; step(); steps++) {
            if (steps > 200_000) {
                throw broken("it does not come to rest");
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
