package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** A process in which memory runs out for one question about one of two silent peers. Both must break. Run by {@link FaultySystemTest}. */
final class FaultyWatch {
    private static final int USER_TIMEOUT = 300;
    private static final long STEP_NANOS = 50_000_000;
    private static final long LIMIT_NANOS = 60_000_000_000L;

    private static int failures;

    private FaultyWatch() {
    }

    /** Runs it. */
    public static void main(String[] arguments) {
        FaultySystem.install();
        Multiplexer multiplexer = new EpollMultiplexer(new TcpOptions("", 0, USER_TIMEOUT));
        Peers first = Peers.connect(multiplexer);
        Peers second = Peers.connect(multiplexer);
        IoVector message = Peers.vector(Arena.global().allocate(1));
        for (Peers each : new Peers[] { first, second }) {
            Deafness.begin(((EpollChannel) each.server.channel).source().socket().fd());
        }
        FaultySystem.begin((call, number) -> {
            if (call.equals("getsockopt") && number == 1) {
                throw new OutOfMemoryError("thrown by the test");
            }
            return null;
        });
        for (Peers each : new Peers[] { first, second }) {
            assertEquals(1, each.client.channel.write(message));
        }
        for (Peers each : new Peers[] { first, second }) {
            awaitEnd(multiplexer, each.client, message);
        }
        assertEquals(1, failures);
        System.out.println("survived");
        System.exit(0);
    }

    private static void awaitEnd(Multiplexer multiplexer, Peers.End end, IoVector into) {
        long begin = System.nanoTime();
        while (end.channel.read(into) != Channel.BROKEN) {
            assertTrue(System.nanoTime() - begin < LIMIT_NANOS, "a silent peer does not break");
            try {
                multiplexer.select(STEP_NANOS);
            } catch (OutOfMemoryError e) {
                failures++;
            }
        }
    }
}
