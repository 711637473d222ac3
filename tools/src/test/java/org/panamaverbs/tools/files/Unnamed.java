package org.panamaverbs.tools.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Files of a folder that a process has open, and that have no name: Linux tells them. */
public final class Unnamed {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Unnamed() {
    }

    /** Their links in /proc. */
    public static List<Path> in(Path folder, long process) throws IOException {
        String start = folder.toRealPath() + "/";
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + process + "/fd"))) {
            return descriptors.filter(each -> {
                try {
                    String file = Files.readSymbolicLink(each).toString();
                    return file.startsWith(start) && file.endsWith(" (deleted)");
                } catch (IOException e) {
                    // Closed meanwhile.
                    return false;
                }
            }).toList();
        }
    }

    public static void awaitOneIn(Path folder, long process) throws Exception {
        await(folder, process, false);
    }

    public static void awaitNoneIn(Path folder, long process) throws Exception {
        await(folder, process, true);
    }

    private static void await(Path folder, long process, boolean none) throws Exception {
        long start = System.nanoTime();
        while (in(folder, process).isEmpty() != none) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new AssertionError("open without a name: " + in(folder, process));
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** How much of the disk they take, in bytes. */
    public static long room(Path folder, long process) throws IOException {
        long sum = 0;
        // Each one is open twice: as our descriptor, and as the channel's.
        for (Path each : in(folder, process).subList(0, 1)) {
            Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", each.toString()).start();
            sum += 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes()).strip());
        }
        return sum;
    }
}
