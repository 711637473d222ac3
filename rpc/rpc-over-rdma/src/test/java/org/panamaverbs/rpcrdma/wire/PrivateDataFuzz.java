package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;

/** Private data of a connection, at any offset: a value that is found can be written and found again. */
public final class PrivateDataFuzz {
    private PrivateDataFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Optional<PrivateData> found = PrivateData.decode(input);
        found.ifPresent(data -> assertEquals(found, PrivateData.decode(data.encode())));
    }
}
