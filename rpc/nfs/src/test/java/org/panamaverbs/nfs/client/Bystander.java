package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.RegistrableArena;

/** An honest client beside attackers: asks for attributes, reads 64 KiB and 1 MiB, again and again, and takes the time. */
final class Bystander {
    private static final int MOST = 1 << 20;
    private static final int LEAST = 30;
    private final NfsClient client;
    private final long pauseMillis;
    private final long[] nanos = new long[MOST];
    private int count;
    private int errors;
    private String error = "";

    Bystander(NfsClient client) {
        this(client, 0);
    }

    /** Pauses for so long after each call. */
    Bystander(NfsClient client, long pauseMillis) {
        this.client = client;
        this.pauseMillis = pauseMillis;
    }

    /** Works for so long, and makes some calls at least; a failure is counted. */
    void run(long nanoseconds) throws IOException {
        NfsFile big = client.lookup(Attackers.BIG);
        OpenFile file = client.open(big);
        long begin = System.nanoTime();
        try (RegistrableArena arena = RegistrableArena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 20, 8);
            for (int i = 0; (count < LEAST || System.nanoTime() - begin < nanoseconds) && count < MOST; i++) {
                long start = System.nanoTime();
                try {
                    switch (i % 3) {
                        case 0 -> client.attributes(big, NfsClient.USUAL);
                        case 1 -> read(file, memory.asSlice(0, 64 << 10));
                        default -> read(file, memory);
                    }
                } catch (IOException e) {
                    errors++;
                    error = e.toString();
                }
                nanos[count++] = System.nanoTime() - start;
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
            }
        }
        client.close(file);
        Arrays.sort(nanos, 0, count);
    }

    private void read(OpenFile file, MemorySegment memory) throws IOException {
        client.read(file, 0, memory, done -> {
            // Nobody counts.
        });
    }

    int count() {
        return count;
    }

    int errors() {
        return errors;
    }

    /** Milliseconds. */
    double quantile(double share) {
        return count == 0 ? Double.NaN : nanos[(int) Math.min(count - 1, share * count)] / 1e6;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d calls, %d errors%s, p50 %.2f ms, p99 %.2f ms, longest %.1f ms", count, errors,
                error.isEmpty() ? "" : " (" + error + ")", quantile(0.5), quantile(0.99), quantile(1));
    }
}
