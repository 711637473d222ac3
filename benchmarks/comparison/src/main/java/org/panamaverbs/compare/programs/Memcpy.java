package org.panamaverbs.compare.programs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** {@code Memcpy SIZE WARM_UP SECONDS}: how fast the JVM copies from one segment to another, again and again the same ones. */
public final class Memcpy {
    private Memcpy() {
    }

    /** Measures, and prints one JSON object. */
    public static void main(String[] arguments) throws Exception {
        long size = Long.parseLong(arguments[0]);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(size, 4096).fill((byte) 1);
            MemorySegment sink = arena.allocate(size, 4096);
            Timed.print(size, Double.parseDouble(arguments[1]), Double.parseDouble(arguments[2]),
                    () -> MemorySegment.copy(source, 0, sink, 0, size), () -> {
                    });
        }
    }
}
