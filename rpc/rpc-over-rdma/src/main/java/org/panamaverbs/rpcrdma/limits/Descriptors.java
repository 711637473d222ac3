package org.panamaverbs.rpcrdma.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The descriptors of this process: connections and open files take them, and without any the JVM cannot even load a class. */
public final class Descriptors {
    private static final String LIMIT = "Max open files";

    private Descriptors() {
    }

    /**
     * How many descriptors may be used up by one kind of thing.
     *
     * @param each how many one thing takes
     * @return so many things take a quarter of the descriptors that the system allows; {@link Integer#MAX_VALUE} if it does not say
     */
    public static int quarter(int each) {
        long limit = limit();
        return limit == Long.MAX_VALUE ? Integer.MAX_VALUE : (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit / 4 / each));
    }

    /** The soft limit; the largest number if there is none, or the system does not tell. */
    private static long limit() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
            return lines.filter(line -> line.startsWith(LIMIT)).map(line -> line.substring(LIMIT.length()).trim().split("\\s+")[0])
                    .mapToLong(Long::parseLong).findFirst().orElse(Long.MAX_VALUE);
        } catch (IOException | NumberFormatException e) {
            // Another system, or "unlimited".
            return Long.MAX_VALUE;
        }
    }
}
