package org.panamaverbs.rpcrdma.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/**
 * An endpoint between a program and a peer that both do anything. The first byte names the kind of endpoint; after it comes one operation after the
 * other. Whatever happens, nothing is thrown, each caller hears once how its call ended, and nothing is open to the peer at the end.
 */
public final class EndpointFuzz {
    private static final int MOST_CALLS = 32;
    private static final int LONGEST = 1 << 14;
    private static final int CREDITS = 4;
    private final Bench bench;
    private final ByteBuffer input;
    private final List<Bench.Caller> callers = new ArrayList<>();
    private int replies;

    private EndpointFuzz(ByteBuffer input) {
        this.input = input;
        int kind = next();
        int highest = 1 + (kind & 1);
        int lowest = (kind & 2) == 0 ? 1 : highest;
        EndpointOptions options = new EndpointOptions((kind & 4) == 0, lowest, highest, CREDITS, (kind & 8) == 0 ? CREDITS : 0, LONGEST, 4,
                (kind & 32) == 0 ? 2 : 0, (kind & 64) == 0 ? 2 : 0, 4096);
        bench = new Bench(options, (kind & 16) == 0 ? null : new PrivateData(true, 4096, 2048));
    }

    public static void fuzzerTestOneInput(byte[] bytes) {
        EndpointFuzz run = new EndpointFuzz(ByteBuffer.wrap(bytes));
        while (run.input.hasRemaining() && run.bench.endpoint.isOpen()) {
            run.step();
        }
        run.bench.link.end("the end of the input");
        run.bench.link.run();
        run.check();
    }

    private int next() {
        return input.hasRemaining() ? input.get() & 0xff : 0;
    }

    private void step() {
        int operation = next();
        switch (operation & 7) {
            case 0 -> {
                byte[] message = new byte[Math.min(next(), input.remaining())];
                input.get(message);
                bench.receive(message, (operation & 8) != 0, 0x100 + (operation >> 4));
            }
            case 1 -> call(List.of());
            case 2 -> call(List.of(Bench.data(1 + next())));
            case 3 -> {
                if (replies < bench.calls.size()) {
                    bench.reply(replies++, Bench.data(1 + next() * next() % 6000), 7);
                }
            }
            case 4 -> bench.endpoint.cancel(next() & 15, new java.io.IOException("cancelled"), () -> {
                // It was not outstanding.
            });
            case 5 -> {
                if (bench.endpoint.confirmedVersion() == 2) {
                    bench.endpoint.requestReceiveSize(1024 * (1 + next()));
                }
            }
            default -> bench.link.run();
        }
    }

    private void call(List<java.lang.foreign.MemorySegment> results) {
        if (callers.size() < MOST_CALLS) {
            callers.add(bench.call(next() & 15, results, 16 * next(), 1, Bench.data(1 + next() * next() % 6000)));
        }
    }

    private void check() {
        for (Bench.Caller caller : callers) {
            if (caller.heard != 1) {
                throw new AssertionError("a caller heard " + caller.heard + " times how its call ended");
            }
        }
        for (FakeLink.Opened opened : bench.link.opened) {
            if (!opened.revoked) {
                throw new AssertionError("memory with handle 0x" + Integer.toHexString(opened.handle) + " stays open to the peer");
            }
        }
    }
}
