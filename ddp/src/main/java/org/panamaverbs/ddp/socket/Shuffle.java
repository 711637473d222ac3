package org.panamaverbs.ddp.socket;

import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/** Random numbers that a seed decides. One thread at a time uses it. */
record Shuffle(SplittableRandom random) implements IntSupplier {
    Shuffle(long seed) {
        this(new SplittableRandom(seed));
    }

    @Override
    public int getAsInt() {
        return random.nextInt();
    }
}
