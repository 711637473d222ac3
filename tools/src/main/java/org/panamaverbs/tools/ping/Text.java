package org.panamaverbs.tools.ping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.tools.shared.Printable;

/** The text of {@code rping}: "rdma-ping-N: ", then the characters from 'A' to 'z' round and round, one further each time, and a zero. */
final class Text {
    /** Room for the longest head, as {@code rping} asks for. */
    static final int MINIMUM = "rdma-ping-2147483647: ".length() + 2;
    /** The most that {@code rping} takes. */
    static final int MAXIMUM_OF_RPING = 64 << 10;

    private static final int FIRST = 'A';
    private static final int COUNT = 'z' - 'A' + 1;

    private Text() {
    }

    /** Fills a buffer for the round of a number. */
    static void fill(MemorySegment buffer, long size, int round) {
        byte[] head = ("rdma-ping-" + round + ": ").getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(head, 0, buffer, ValueLayout.JAVA_BYTE, 0, head.length);
        int character = round % COUNT;
        for (long i = head.length; i < size - 1; i++) {
            buffer.set(ValueLayout.JAVA_BYTE, i, (byte) (FIRST + character));
            character = character + 1 == COUNT ? 0 : character + 1;
        }
        buffer.set(ValueLayout.JAVA_BYTE, size - 1, (byte) 0);
    }

    /** The text that a peer sent, up to the zero if there is one, as a terminal may show it. */
    static String read(MemorySegment buffer) {
        String text = new String(buffer.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
        int end = text.indexOf(0);
        return Printable.of(end < 0 ? text : text.substring(0, end));
    }
}
