package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Private data of a peer. Accepted data can be encoded, and is decoded to the same value. */
public final class PrivateDataFuzz {
    private PrivateDataFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) throws StreamProtocolException {
        PrivateData data;
        try {
            data = PrivateData.decode(input);
        } catch (StreamProtocolException e) {
            return;
        }
        assertEquals(data, PrivateData.decode(data.encode()));
    }
}
