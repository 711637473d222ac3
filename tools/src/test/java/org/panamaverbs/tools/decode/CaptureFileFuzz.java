package org.panamaverbs.tools.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Json;

/**
 * A target: a file of pcapng or pcap, with whatever is in it. It is decoded, or refused with a failure that says why, under the usual
 * limits and under low ones. The bytes are those of the file.
 */
public final class CaptureFileFuzz {
    private CaptureFileFuzz() {
    }

    /** Runs one input; throws if an exception escapes. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        decode(input, Limits.USUAL);
        decode(input, new Limits(1, 64, 1 << 10));
    }

    private static void decode(byte[] input, Limits limits) throws IOException {
        Decoder decoder = new Decoder(entry -> {
            if (entry.text().isEmpty() || Json.line(entry.fields()).isEmpty()) {
                throw new AssertionError("nothing is said");
            }
        }, limits);
        try (PacketFile file = PacketFile.of("file", new ByteArrayInputStream(input))) {
            decoder.decode(file);
        } catch (Failure e) {
            if (e.getMessage().isEmpty()) {
                throw new AssertionError("a failure without words", e);
            }
        }
        if (decoder.held() != 0) {
            throw new AssertionError(decoder.held() + " bytes are held");
        }
    }
}
