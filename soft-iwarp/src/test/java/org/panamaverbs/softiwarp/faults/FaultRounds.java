package org.panamaverbs.softiwarp.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.testing.TestClasses;

/**
 * Two processes in two network namespaces, with traffic of all kinds between them, and faults of the processes and of the link, one after
 * the other. Not part of the ordinary run: profile {@code faults} has the command. Needs Linux, root and /dev/net/tun.
 *
 * <pre>
 * -Dfaults.rounds=20     how many
 * -Dfaults.seed=N        where to begin
 * -Dfaults.place=host    both processes on this machine, with shared memory between them
 * -Dfaults.replay=FAULT:N    one round, as its line in target/faults/rounds.log says
 * </pre>
 */
class FaultRounds {
    private static final int LONGEST_MOMENT_MILLIS = 500;

    private final Path folder = TestClasses.module().resolve("target/faults");
    private final List<String> log = new ArrayList<>();
    private final FaultReport report = new FaultReport();
    private final boolean onOneHost = System.getProperty("faults.place", "").equals("host");
    private Place place;
    private StartImage image;
    /** The client and the server, and a spare of each, which starts meanwhile. */
    private final EndProcess[] ends = new EndProcess[2];
    private final EndProcess[] spares = new EndProcess[2];

    @Test
    @Timeout(value = 7, unit = TimeUnit.DAYS)
    void shouldEndOrSurviveInTimeAndLeaveNothing() throws Exception {
        // No ordinary run has this class: whoever asks for it wants rounds, and not a run that passes without any.
        assertEquals("", onOneHost ? "" : missing(), "the fault rounds cannot run");
        Files.createDirectories(folder);
        int failed = 0;
        try (Place made = onOneHost ? new Place.OneHost() : new FaultyLink()) {
            place = made;
            image = StartImage.make(folder);
            try {
                for (int end = 0; end < 2; end++) {
                    ends[end] = spawn(end);
                    spares[end] = spawn(end);
                }
                failed = runAll();
            } finally {
                for (int end = 0; end < 2; end++) {
                    kill(ends[end]);
                    kill(spares[end]);
                }
                Files.write(folder.resolve("rounds.log"), log);
                Files.writeString(folder.resolve("report.md"), report.toString());
                System.out.println(report);
            }
        }
        assertEquals(0, failed, "rounds failed: see " + folder.resolve("rounds.log"));
    }

    /** Names the things that this machine lacks, and how to get them; empty if it has all. */
    private static String missing() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "they need Linux: network namespaces and TAP interfaces";
        } else if (!Files.isReadable(Path.of("/dev/net/tun"))) {
            return "/dev/net/tun is missing or not readable: load the module (modprobe tun), or give the container the device"
                    + " (docker run --device /dev/net/tun), and run as root";
        } else if (!Files.isWritable(Path.of("/run"))) {
            return "/run is not writable, where ip(8) keeps network namespaces: run as root, with CAP_NET_ADMIN and CAP_SYS_ADMIN";
        }
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, "ip"))) {
                return "";
            }
        }
        return "the command ip is missing: install the package iproute2";
    }

    private static void kill(EndProcess process) throws InterruptedException {
        if (process != null) {
            process.kill();
        }
    }

    private int runAll() throws IOException, InterruptedException {
        String replay = System.getProperty("faults.replay", "");
        if (!replay.isEmpty()) {
            String[] parts = replay.split(":");
            return run(Fault.valueOf(parts[0]), Long.parseLong(parts[1])) ? 0 : 1;
        }
        long seed = Long.getLong("faults.seed", System.currentTimeMillis());
        int failed = 0;
        for (int i = 0; i < Integer.getInteger("faults.rounds", 20); i++) {
            failed += run(Fault.of(i, onOneHost), seed + i) ? 0 : 1;
        }
        return failed;
    }

    private EndProcess spawn(int end) throws IOException {
        return new EndProcess(place, end == 0, folder.resolve(end == 0 ? "client.log" : "server.log"), image);
    }

    /** Runs a round; {@code false} if it failed. */
    private boolean run(Fault fault, long seed) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        FaultRound round = new FaultRound(place, ends, fault, seed, LONGEST_MOMENT_MILLIS, report);
        round.run();
        place.mend();
        for (int end = 0; end < 2; end++) {
            if (round.isGone(end)) {
                ends[end].kill();
                ends[end] = spares[end];
                spares[end] = spawn(end);
            }
        }
        boolean passed = round.failures().isEmpty();
        report.add(fault, !passed, round.isEarly());
        log.add(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + " " + (passed ? "ok   " : "FAIL ") + "-Dfaults.replay=" + fault + ":"
                + seed + " " + (System.nanoTime() - begin) / 1_000_000 + " ms: " + round + (passed ? "" : " " + round.failures()));
        System.out.println(log.getLast());
        Files.writeString(folder.resolve("report.md"), report.toString());
        return passed;
    }
}
