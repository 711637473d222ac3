package org.panamaverbs.rpcrdma.wire;

/** Headers of version 1: nothing beyond the message is read, and a sound header is written again to the same bytes. */
public final class Version1HeaderFuzz {
    private Version1HeaderFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Reading.checkAnyMessage(Wire.VERSION_1, input);
    }
}
