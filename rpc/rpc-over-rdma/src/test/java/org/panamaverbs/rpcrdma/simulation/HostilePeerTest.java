package org.panamaverbs.rpcrdma.simulation;

import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Hostile messages at random: {@code -Drpcrdma.fuzz=N} so many inputs, {@code -Drpcrdma.fuzz.input=HEX} replays one.
 */
class HostilePeerTest {
    private static final int INPUTS = 3000;

    @Test
    void shouldWithstandMessagesThatWereChanged() {
        String one = System.getProperty("rpcrdma.fuzz.input");
        if (one != null) {
            HostilePeerFuzz.fuzzerTestOneInput(HexFormat.of().parseHex(one));
            return;
        }
        Random random = new Random();
        for (int i = 0; i < Integer.getInteger("rpcrdma.fuzz", INPUTS); i++) {
            byte[] input = new byte[1 + random.nextInt(120)];
            random.nextBytes(input);
            try {
                HostilePeerFuzz.fuzzerTestOneInput(input);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Drpcrdma.fuzz.input=" + HexFormat.of().formatHex(input) + ": " + e, e);
            }
        }
    }
}
