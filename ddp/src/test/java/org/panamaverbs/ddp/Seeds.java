package org.panamaverbs.ddp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the first files of the corpora, each named after what happens in it. Run {@link #main} in the module's folder after the form of a
 * target's input has changed. The other files of a corpus, which are named after their content, the fuzzer has found.
 */
final class Seeds {
    private static final Path CORPORA = Path.of("src", "test", "fuzz");

    private Seeds() {
    }

    /** Writes them. */
    public static void main(String[] args) throws IOException {
        sessions();
        sockets();
        ddpp();
    }

    private static void write(String target, String name, int... octets) throws IOException {
        byte[] bytes = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            bytes[i] = (byte) octets[i];
        }
        Files.write(Files.createDirectories(CORPORA.resolve(target)).resolve(name), bytes);
    }

    private static void sessions() throws IOException {
        String target = "SctpMessagesFuzz";
        write(target, "segments-in-another-order", 0x00, 7, 0, 1, 9, 50, 1, 0, 60, 20, 3, 0, 70, 3, 1, 30, 4, 3, 20, 0, 0x51, 9, 10);
        write(target, "active-side", 0x01, 9, 0, 1, 9, 50, 3, 1, 9, 3, 1, 9, 6, 4, 0);
        write(target, "late-bind", 0x04, 9, 0, 1, 9, 50, 3, 1, 9, 3, 3, 9, 4, 1, 9);
        write(target, "commands", 0x02, 0, 0, 1, 9, 50, 3, 3, 1, 9, 1, 6, 4, 0, 0);
        write(target, "wrong-address", 0x00, 3, 0, 1, 9, 50, 1, 15, 9, 0, 50, 0, 1, 9, 50);
        write(target, "wrong-function", 0x00, 3, 6, 5, 0);
        write(target, "rejected", 0x62, 3, 0, 1, 9, 50, 0);
        write(target, "refused", 0x72, 3, 0, 1, 9, 50, 0);
        write(target, "gap", 0x00, 0, 224, 5, 1, 9, 50, 0, 1, 9, 50);
    }

    private static void sockets() throws IOException {
        String target = "SocketStreamFuzz";
        write(target, "messages", 0x1C, 5, 0, 50, 1, 0, 9, 0x81, 0, 60, 3, 0, 9, 0x82, 0, 70, 5, 0, 9, 0x83, 3, 1, 20, 3, 7, 150, 3, 3, 9,
                3, 1, 9);
        write(target, "every-tagged-message", 0x1E, 5, 0, 50, 1, 0, 9, 0x01, 0, 60, 3, 0, 9, 0x02, 0, 0, 5, 0, 9, 0x03);
        write(target, "long-messages", 0x1C, 9, 2, 16, 0, 0, 0, 0, 1, 2, 16, 0, 1, 6, 0, 1, 2, 16, 0, 3, 0, 9, 1, 3, 0, 99, 3, 1, 99, 0, 9,
                1, 0, 0, 1);
        write(target, "without-receive", 0x00, 3, 0, 50, 1, 0, 9, 1, 3, 1, 20);
        write(target, "too-long", 0x3C, 3, 3, 5, 220);
        write(target, "out-of-bounds", 0x1D, 3, 0, 50, 9, 0x17, 0x65, 1);
        write(target, "bad-crc", 0x1C, 3, 0, 50, 1, 0, 9, 1, 250, 1, 20);
        write(target, "ends-in-a-segment", 0x1C, 3, 0, 50, 1, 0, 9, 1, 240, 50, 1, 0, 9, 1);
    }

    private static void ddpp() throws IOException {
        write("DdppStreamFuzz", "messages", 7, 9, 0, 60, 1, 4, 3, 20, 3, 30, 0, 0, 1, 0, 1, 90, 3, 2, 0);
        write("DdppStreamFuzz", "long-messages", 7, 200, 2, 20, 0, 1, 0, 2, 20, 0, 3, 0, 10, 0, 5, 1, 1, 4, 3, 200);
        write("DdppStreamFuzz", "dropped", 0, 30, 0, 60, 13, 4, 0, 60, 1, 4, 3, 20);
        write("DdppStreamFuzz", "wrong-kind", 7, 3, 7, 20, 1, 4, 5, 9);
        write("DdppStreamFuzz", "too-short", 7, 3, 5, 6, 1, 1, 0, 0, 0, 0, 3, 20);
        write("DdppStreamFuzz", "wrong-preamble", 8, 3, 6, 9, 'D', 'D', 'P', 'P', '/', '2', 13, 10, 0);
        write("DdppDatagramFuzz", "messages", 7, 0, 1, 60, 0, 2, 20, 1, 0, 3, 0, 200, 40, 1, 3, 8, 1, 1, 0, 0, 0, 0, 0, 1, 2);
        write("DdppDatagramFuzz", "ordered", 7, 16, 1, 60, 5, 0, 16, 1, 60, 4, 0, 18, 20, 9, 0, 48, 1, 60, 0xFF, 0xFF, 0, 16, 1, 60, 8, 1);
        write("DdppDatagramFuzz", "dropped", 1, 2, 103, 0, 0, 13, 40, 0, 2, 10, 0, 2, 10, 0);
    }
}
