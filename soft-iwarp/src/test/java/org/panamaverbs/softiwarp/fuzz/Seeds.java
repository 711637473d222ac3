package org.panamaverbs.softiwarp.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
        connections();
        messages();
        fpdus();
        handshakes();
    }

    private static void write(String target, String name, int... octets) throws IOException {
        byte[] bytes = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            bytes[i] = (byte) octets[i];
        }
        Files.write(Files.createDirectories(CORPORA.resolve(target)).resolve(name), bytes);
    }

    private static void connections() throws IOException {
        for (String target : List.of("ConnectionFuzz", "TwinConnectionFuzz")) {
            // The victim is the responder: receives, Writes and Sends in one segment and in four, Immediate Data, the end.
            write(target, "writes-and-sends", 0x40, 0x33, 0, 15, 96, 15, 96, 15, 40, 15, 96, 0, 200, 1, 0, 2, 0, 90, 2, 0xC8, 96, 30, 1, 8,
                    0, 2, 4, 20, 31, 0);
            write(target, "long-writes", 0x00, 0x33, 2, 29, 5, 150, 1, 29, 5, 159, 1, 15, 96, 2, 0, 50, 31, 3);
            // The victim is the initiator: Reads and atomics of both sides.
            write(target, "reads", 0x01, 0x33, 3, 20, 0, 90, 1, 7, 9, 20, 0, 12, 1, 7, 9, 6, 50, 6, 200, 6, 200, 6, 200, 6, 200, 4, 0, 77,
                    1, 2, 4, 2, 0, 1, 2, 31, 0);
            write(target, "atomics", 0x01, 0x33, 1, 20, 2, 0, 1, 7, 9, 20, 3, 0, 0, 7, 9, 6, 1, 6, 2, 5, 0, 3, 4, 5, 2, 3, 4, 5, 0x40, 9, 9,
                    31, 3);
            // The peer adds with each mask, and swaps: what it compares is right, wrong, or masked.
            write(target, "peer-atomics", 0x40, 0x33, 0, 5, 0, 9, 4, 5, 0, 200, 0, 5, 0, 130, 0, 5, 0x20, 3, 0, 5, 2, 8, 4, 5, 2, 7, 0, 5,
                    2, 130, 5, 5, 2, 8, 1, 5, 0x42, 3, 7, 31, 3);
            // Immediate Data behind the ready-to-receive indication, behind a Write, a Write in segments, a Write of no bytes, and behind a Read.
            write(target, "peer-immediate-data", 0x00, 0x33, 0, 15, 96, 15, 96, 15, 96, 15, 96, 15, 96, 8, 0x28, 0, 40, 0, 0, 8, 0x31, 29,
                    3, 20, 1, 8, 0x38, 30, 1, 8, 0x40, 0, 7, 0, 0, 4, 0, 9, 1, 2, 8, 0x48, 31, 3);
            // Windows of both types, Writes to them, and their end by both sides.
            write(target, "windows", 0x01, 0x33, 0, 22, 0, 0, 64, 22, 1, 64, 64, 42, 0x40, 8, 8, 0, 0, 4, 1, 2, 3, 4, 42, 0x40, 9, 9, 0, 70,
                    4, 1, 2, 3, 4, 15, 96, 2, 4, 10, 8, 23, 0, 42, 0x40, 9, 9, 0, 70, 4, 1, 2, 3, 4, 42, 0x40, 0, 0, 0, 0, 4, 1, 2, 3, 4);
            write(target, "program-sends", 0x01, 0x33, 0, 18, 0, 90, 18, 1, 0, 18, 2, 255, 18, 3, 50, 18, 12, 20, 31, 3, 28, 60);
            write(target, "markers", 0x05, 0x33, 2, 18, 0, 255, 18, 2, 255, 18, 2, 255, 18, 2, 255, 18, 2, 255, 4, 0, 255, 1, 2, 31, 3);
            write(target, "terminate-for-a-read", 0x01, 0x33, 0, 20, 0, 90, 1, 7, 9, 9, 3, 1, 0, 0xE0, 0, 46, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            write(target, "bad-crc", 0x40, 0x33, 0, 0, 20, 0, 0, 14, 0, 0, 20, 0, 100, 0, 4, 1);
            write(target, "bad-header", 0x42, 0x33, 0, 0, 20, 0, 0, 14, 0, 0, 20, 0, 100, 0, 3, 1);
            write(target, "foreign-memory", 0x01, 0x33, 0, 42, 0x40, 6, 6, 0, 0, 4, 1, 2, 3, 4);
            write(target, "peer-takes-nothing", 0x01, 0x33, 0, 27, 10, 18, 0, 200, 18, 2, 200, 4, 0, 200, 1, 2, 31, 3, 28, 50, 28, 50);
            write(target, "peer-pauses", 0x01, 0x33, 0, 27, 10, 18, 0, 200, 18, 2, 200, 27, 18, 0, 9, 31, 3);
            write(target, "long-answers", 0x01, 0x33, 3, 4, 32, 0x40, 0, 1, 2, 27, 99, 4, 32, 0x4A, 0, 1, 2, 27, 27, 99, 4, 32, 0x4A, 0, 1,
                    2, 31, 4);
            write(target, "reset", 0x01, 0x33, 0, 20, 0, 90, 1, 7, 9, 15, 96, 31, 2);
            write(target, "silent-initiator", 0x60, 0x33, 0, 15, 96, 18, 0, 20, 4, 0, 50, 1, 2, 31, 4);
            write(target, "gathered-and-cut", 0x01, 0x33, 66, 26, 6, 0, 50, 0, 0, 0, 50, 0, 60, 30, 1, 4, 0, 20, 1, 2, 25, 6, 15, 96, 13, 3,
                    0, 40, 1, 31, 0);
        }
    }

    private static void messages() throws IOException {
        String target = "RdmapFuzz";
        write(target, "all-legal", 0xFE, 0, 0, 8, 10, 20, 1, 0, 20, 11, 0, 20, 3, 2, 20, 0, 4, 3, 0, 7, 6, 0, 6, 0, 6, 0);
        write(target, "reads-answered", 0x18, 35, 0, 35, 0, 5, 0, 5, 0);
        write(target, "invalidates", 0x06, 11, 0, 4, 11, 8, 4, 0, 8, 4, 10);
        write(target, "stranger", 0x06, 9, 0x4E, 0);
        write(target, "without-extensions", 0x07, 0, 0, 8, 10, 7);
        write(target, "terminate", 0x08, 8, 52, 1, 0, 0xE0, 0, 0, 46, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0);
        write(target, "terminate-of-siw", 0x08, 8, 52, 0x10, 0, 7, 0, 0, 46, 0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0);
        write(target, "read-too-long", 0x08, 35, 2, 0, 1, 0, 0, 10);
        write(target, "answer-too-long", 0x08, 5, 1, 30);
        write(target, "read-request-too-short", 0x08, 73, 2, 10, 0, 20);
        write(target, "atomic-request-too-short", 0x08, 64, 3, 0, 20);
        write(target, "immediate-data-too-short", 0x06, 67, 3);
        write(target, "atomic-unaligned", 0x08, 4, 3, 3);
    }

    private static void fpdus() throws IOException {
        String target = "FpduFuzz";
        write(target, "tagged-and-untagged", 0, 3, 0, 1, 50, 0, 9, 7, 0, 0, 60, 1, 0, 5, 9, 40, 0, 8, 4, 20, 0, 1, 4, 30, 1, 2, 4, 9, 3, 4);
        write(target, "long-write", 0, 40, 2, 0, 16, 0, 0, 0, 1, 10, 16, 0, 1, 1, 10, 16, 0, 1, 2, 10, 1, 0, 0, 3, 2, 1, 8, 0, 4, 0, 7);
        write(target, "long-send", 0, 41, 5, 18, 0, 0, 1, 5, 4, 0, 1, 2, 5, 18, 0, 3, 9);
        write(target, "many-short", 0, 45, 0, 1, 9, 0, 1, 1, 0, 1, 9, 0, 20, 2, 0, 1, 9, 0, 40, 3, 0, 1, 9, 0, 60, 4, 0, 1, 9, 0, 80, 5, 0,
                1, 9, 0, 100, 6, 0, 1, 9, 0, 120, 7, 0, 1, 9, 0, 140, 8, 0, 1, 9, 0, 160, 9, 4, 20, 1, 1, 4, 20, 1, 1, 4, 20, 3, 1);
        write(target, "sink", 1, 5, 2, 3, 16, 0, 0, 0, 1, 0, 3, 40, 0, 0, 2);
        write(target, "bad-crc", 0, 20, 0, 0, 50, 0, 9, 7, 9, 60, 1, 4, 240, 0, 50, 0, 9, 7);
        write(target, "bad-crc-behind-a-verified-segment", 0, 1, 2, 0, 16, 0, 0, 0, 1, 250, 16, 0, 1, 1);
        write(target, "verify-before-place", 2, 7, 2, 0, 16, 0, 0, 0, 1, 10, 16, 0, 0, 1, 4, 9, 1, 1);
        write(target, "wrong-length", 0, 3, 11, 0x40, 30, 0, 0, 1, 9);
        write(target, "wrong-header", 1, 3, 6, 0, 20, 0x41, 0x43, 2, 1, 0, 5, 1);
        write(target, "cut-short", 0, 3, 4, 9, 1, 1, 8, 9, 0, 40, 0x41, 0x43, 0, 0, 0, 0, 0);
    }

    private static void handshakes() throws IOException {
        String target = "HandshakeFuzz";
        write(target, "reply", 0x07, 4, 4, 10, 3, 0x50, 2, 0, 8, 0xC0, 4, 0xC0, 4, 1, 2, 3, 4);
        write(target, "reply-of-revision-1", 0x01, 4, 4, 10, 3, 0x40, 1, 0, 4, 1, 2, 3, 4);
        write(target, "reply-with-markers-that-wants-too-much", 0x03, 4, 4, 10, 3, 0xD0, 2, 0, 4, 0xC0, 4, 0xC0, 9);
        write(target, "reply-without-indication", 0x03, 4, 4, 10, 3, 0x10, 2, 0, 4, 0x80, 4, 0, 4);
        write(target, "rejection", 0x03, 4, 4, 10, 3, 0x30, 2, 0, 6, 0xC0, 4, 0xC0, 9, 5, 6);
        write(target, "request", 0x06, 4, 4, 10, 3, 0x50, 2, 0, 8, 0xC0, 4, 0xC0, 4, 1, 2, 3, 4);
        write(target, "request-that-is-rejected", 0x0E, 4, 4, 10, 3, 0x50, 2, 0, 8, 0xC0, 4, 0xC0, 4, 1, 2, 3, 4);
        write(target, "request-of-revision-1", 0x00, 4, 4, 0, 0, 0x00, 1, 0, 0);
        write(target, "request-without-depths", 0x02, 0, 4, 0, 0, 0x10, 2, 0, 4, 0xBF, 0xFF, 0x7F, 0xFF);
        write(target, "request-that-is-cut", 0x10, 4, 4, 0, 0, 0x10, 2, 0, 4, 0xBF);
        write(target, "too-much-private-data", 0x02, 4, 4, 0, 0, 0x10, 2, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8);
        write(target, "not-mpa", 0x20, 4, 4, 0, 0, 'G', 'E', 'T', ' ', '/');
    }
}
