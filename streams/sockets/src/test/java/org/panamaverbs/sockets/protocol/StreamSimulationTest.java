package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two ends that do all that they may, in random order: {@code -Dstreams.runs} and {@code -Dstreams.seed} say how often and from where on. */
class StreamSimulationTest {
    private static final int MOST = 100;
    private static final int STEPS = 1_000;
    /** An end is connected after so many of its steps, about. */
    private static final int BEGINNING = 10;

    private long carried;
    private long early;

    @Test
    void shouldDeliverEveryByteInOrder() throws StreamProtocolException {
        long seed = Long.getLong("streams.seed", 30_000_000);
        int runs = Integer.getInteger("streams.runs", 2_000);
        long bytes = 0;
        carried = 0;
        early = 0;
        for (int i = 0; i < runs; i++) {
            try {
                bytes += run(new Random(seed + i));
            } catch (StreamProtocolException | RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + (seed + i), e);
            }
        }
        System.out.printf("%d runs of two streams, %d bytes, %d of them written before the connection, %d messages that carried bytes%n",
                runs, bytes, early, carried);
        assertTrue(early > runs * 10L, early + " bytes were written before the connection");
        assertTrue(bytes > runs * 500L, bytes + " bytes");
        assertTrue(carried > runs * 10L, carried + " messages that carried bytes");
    }

    private long run(Random random) throws StreamProtocolException {
        SimulatedEnd[] ends = { new SimulatedEnd(random), new SimulatedEnd(random) };
        for (int step = 0; step < STEPS || !ends[0].isConnected() || !ends[1].isConnected(); step++) {
            int which = random.nextInt(2);
            if (ends[which].isConnected()) {
                step(random, ends[which], ends[1 - which]);
            } else if (random.nextInt(BEGINNING) > 0) {
                ends[which].write(1 + random.nextInt(MOST));
            } else {
                ends[which].connect(ends[1 - which]);
            }
        }
        quiesce(ends);
        for (SimulatedEnd end : ends) {
            assertTrue(end.core().room() > 0, "an end cannot send, though all was read");
        }
        for (SimulatedEnd end : ends) {
            end.shutdown();
        }
        quiesce(ends);
        for (int i = 0; i < 2; i++) {
            assertEquals(ends[1 - i].written(), ends[i].read());
            assertTrue(ends[i].core().inputEnded() && ends[i].core().disconnected());
            assertEquals(0, ends[i].core().room());
        }
        carried += ends[0].carried() + ends[1].carried();
        early += ends[0].early() + ends[1].early();
        return ends[0].read() + ends[1].read();
    }

    private static void step(Random random, SimulatedEnd end, SimulatedEnd peer) throws StreamProtocolException {
        switch (random.nextInt(5)) {
            case 0 -> end.write(1 + random.nextInt(MOST));
            case 1 -> end.read(1 + random.nextInt(MOST));
            case 2 -> end.control();
            case 3 -> {
                if (end.hasPosted()) {
                    end.deliver(peer);
                }
            }
            default -> {
                if (end.hasArrived()) {
                    end.take();
                    end.send();
                }
            }
        }
    }

    /** Until nothing is on its way: all that was sent arrives and is read. */
    private static void quiesce(SimulatedEnd... ends) throws StreamProtocolException {
        do {
            for (int i = 0; i < 2; i++) {
                SimulatedEnd end = ends[i];
                if (end.hasPosted()) {
                    end.deliver(ends[1 - i]);
                }
                if (end.hasArrived()) {
                    end.take();
                }
                end.read(Integer.MAX_VALUE);
                end.control();
                end.send();
            }
        } while (ends[0].hasPosted() || ends[1].hasPosted() || ends[0].hasArrived() || ends[1].hasArrived());
    }
}
