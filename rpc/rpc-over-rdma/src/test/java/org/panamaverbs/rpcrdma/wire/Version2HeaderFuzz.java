package org.panamaverbs.rpcrdma.wire;

/** Headers of version 2: nothing beyond the message is read, and a sound header is written again to the same bytes. */
public final class Version2HeaderFuzz {
    private Version2HeaderFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Reading.checkAnyMessage(Wire.VERSION_2, input);
    }
}
