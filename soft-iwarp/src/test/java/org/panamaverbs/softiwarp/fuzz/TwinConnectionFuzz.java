package org.panamaverbs.softiwarp.fuzz;

import java.util.List;

/**
 * A target: the input of {@link ConnectionFuzz}, run twice. In one run each FPDU arrives whole, in the other byte by byte. What the victim
 * sends, its states and its completions are the same.
 */
public final class TwinConnectionFuzz {
    private TwinConnectionFuzz() {
    }

    /** Runs one input; throws if what happens depends on how the bytes are cut. */
    public static void fuzzerTestOneInput(byte[] input) {
        List<String> whole = ConnectionFuzz.runTwin(input, false);
        List<String> single = ConnectionFuzz.runTwin(input, true);
        for (int i = 0; i < Math.max(whole.size(), single.size()); i++) {
            String expected = i < whole.size() ? whole.get(i) : "nothing";
            String found = i < single.size() ? single.get(i) : "nothing";
            if (!expected.equals(found)) {
                throw new AssertionError("at step " + i + ", byte by byte: " + found + ", and at once: " + expected);
            }
        }
    }
}
