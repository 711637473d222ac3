package org.panamaverbs.tools.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Json;

/**
 * A target: a file of pcapng or pcap, with whatever is in it. It is decoded, or refused with a failure that says why. The bytes are those
 * of the file.
 */
public final class CaptureFileFuzz {
    private CaptureFileFuzz() {
    }

    /** Runs one input; throws if an exception escapes. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Decoder decoder = new Decoder(entry -> {
            if (entry.text().isEmpty() || Json.line(entry.fields()).isEmpty()) {
                throw new AssertionError("nothing is said");
            }
        });
        try (PacketFile file = PacketFile.of("file", new ByteArrayInputStream(input))) {
            decoder.decode(file);
        } catch (Failure e) {
            if (e.getMessage().isEmpty()) {
                throw new AssertionError("a failure without words", e);
            }
        }
    }
}
