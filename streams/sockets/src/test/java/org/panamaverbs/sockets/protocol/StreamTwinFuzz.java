package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.panamaverbs.testing.fuzz.FuzzInput;

/** Two streams in any order of steps: each end reads the bytes that the other wrote, and in the end all of them. */
public final class StreamTwinFuzz {
    private StreamTwinFuzz() {
    }

    /** Draws from the input. */
    private static final class Choices extends Random {
        private static final long serialVersionUID = 1;
        private final transient FuzzInput input;

        Choices(FuzzInput input) {
            this.input = input;
        }

        @Override
        public int nextInt(int bound) {
            return input == null ? 0 : input.below(Math.min(bound, 256));
        }
    }

    public static void fuzzerTestOneInput(byte[] bytes) throws StreamProtocolException {
        FuzzInput input = new FuzzInput(bytes);
        Choices choices = new Choices(input);
        SimulatedEnd[] ends = { new SimulatedEnd(choices), new SimulatedEnd(choices) };
        ends[0].connect(ends[1]);
        ends[1].connect(ends[0]);
        while (input.hasMore()) {
            int step = input.octet();
            SimulatedEnd end = ends[step & 1];
            step(step >> 1 & 7, end, ends[1 - (step & 1)], step >> 4);
        }
        drain(ends);
        assertEquals(ends[0].written(), ends[1].read());
        assertEquals(ends[1].written(), ends[0].read());
    }

    private static void step(int what, SimulatedEnd end, SimulatedEnd peer, int amount) throws StreamProtocolException {
        switch (what) {
            case 0, 1 -> {
                if (!end.core().outputEnded()) {
                    end.write(1 + amount * 8);
                }
            }
            case 2 -> end.read(1 + amount * 8);
            case 3 -> end.control();
            case 4, 5 -> {
                if (end.hasPosted()) {
                    end.deliver(peer);
                }
            }
            case 6 -> {
                if (end.hasArrived()) {
                    end.take();
                }
            }
            default -> {
                if (!end.core().outputEnded() && !end.waits() && amount == 0) {
                    end.shutdown();
                }
            }
        }
    }

    private static void drain(SimulatedEnd[] ends) throws StreamProtocolException {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int i = 0; i < 2; i++) {
                for (; ends[i].hasArrived(); moved = true) {
                    ends[i].take();
                }
                ends[i].read(Integer.MAX_VALUE);
                ends[i].control();
                ends[i].send();
                if (ends[i].hasPosted()) {
                    ends[i].deliver(ends[1 - i]);
                    moved = true;
                }
            }
        }
    }
}
