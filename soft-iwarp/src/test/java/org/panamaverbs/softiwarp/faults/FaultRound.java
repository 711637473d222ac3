package org.panamaverbs.softiwarp.faults;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** One round: traffic, a fault at a random moment, what the survivors say of their connections, and what they hold then. */
final class FaultRound {
    private static final int CLIENT = 0;
    private static final int SERVER = 1;
    private static final long SETTLE_MILLIS = 50;
    private static final long RELEASE_MILLIS = 8_000;
    // Parts of a connection's summary: see Traffic.
    private static final int CAUSE = 1;
    private static final int STATE = 2;
    private static final int LAST = 3;
    private static final int TOLD = 4;
    private static final int HEARD = 5;
    private static final int DEFECT = 6;
    private static final int STATUSES = 7;
    private static final int PARTS = 9;

    // The numbers of an end's progress.
    private static final int DONE = 0;
    private static final int SENT = 1;
    private static final int RECEIVED = 2;

    private final FaultyLink link;
    private final EndProcess[] ends;
    private final Fault fault;
    private final long seed;
    private final SplittableRandom random;
    private final FaultReport report;
    private final List<String> failures = new ArrayList<>();
    private final boolean[] gone = new boolean[2];
    private final long moment;
    private String what = "";
    private long at;
    private long worst;
    private final long[] told = new long[2];
    private final long[] heard = new long[2];

    FaultRound(FaultyLink link, EndProcess[] ends, Fault fault, long seed, int longestMoment, FaultReport report) {
        this.link = link;
        this.ends = ends;
        this.fault = fault;
        this.seed = seed;
        this.report = report;
        random = new SplittableRandom(seed);
        // Some faults come while connections begin; connections that shall live on must be there.
        moment = fault.survived ? longestMoment : random.nextInt(random.nextInt(5) == 0 ? 30 : longestMoment);
    }

    List<String> failures() {
        return failures;
    }

    /** Whether the process of an end cannot be used any more. */
    boolean isGone(int end) {
        return gone[end];
    }

    void run() throws IOException, InterruptedException {
        // Java's own channels have no user time-out, but learn of a death as epoll does.
        boolean nio = (fault == Fault.KILL_CLIENT || fault == Fault.KILL_SERVER) && random.nextInt(4) == 0;
        String settings = nio ? fault.settings.replace("epoll", "nio") : fault.settings;
        int busy = random.nextInt(1, 4);
        int idle = random.nextInt(0, 3);
        what = busy + " busy and " + idle + " idle connections" + (nio ? " over nio" : "") + ", after " + moment + " ms ";
        expect("ok", both("open " + settings, 0));
        if (fault == Fault.KILL_IN_LOSS || fault == Fault.WEATHER) {
            link.weather(new FaultyLink.Weather(random.nextDouble() * 0.05, random.nextDouble() * 0.05, random.nextDouble() * 0.1,
                    random.nextInt(5_000), random.nextInt(20_000)), seed);
        }
        expect("ok", both("start " + seed + " " + busy + " " + idle, 0));
        if (fault.survived) {
            expect("ready", both("ready " + (busy + idle) + " " + fault.limitMillis, fault.limitMillis));
        }
        TimeUnit.MILLISECONDS.sleep(moment);
        if (failures.isEmpty()) {
            if (fault.survived) {
                disturb();
                goOn(busy + idle);
            } else {
                strike();
                end();
            }
        }
        for (int end = 0; end < 2; end++) {
            if (!gone[end]) {
                release(end);
            }
        }
    }

    private String[] both(String command, long millis) throws InterruptedException {
        String[] answers = new String[2];
        for (int end = 0; end < 2; end++) {
            if (!gone[end]) {
                ends[end].send(command);
            }
        }
        for (int end = 0; end < 2; end++) {
            answers[end] = gone[end] ? null : ends[end].answer(millis);
        }
        return answers;
    }

    private void expect(String word, String... answers) {
        for (int end = 0; end < answers.length; end++) {
            if (answers[end] != null && !answers[end].startsWith(word)) {
                fail(end, answers[end]);
            }
        }
    }

    private void fail(int end, String words) {
        failures.add((end == CLIENT ? "client: " : "server: ") + words);
        gone[end] = true;
    }

    // The faults.

    private void strike() throws IOException, InterruptedException {
        switch (fault) {
            case KILL_CLIENT -> kill(CLIENT);
            case KILL_SERVER -> kill(SERVER);
            case KILL_IN_LOSS -> kill(random.nextInt(2));
            default -> cut();
        }
        at = System.nanoTime();
    }

    private void kill(int end) throws InterruptedException {
        what += "kill -9 of the " + (end == CLIENT ? "client" : "server");
        ends[end].kill();
        gone[end] = true;
    }

    private void cut() throws IOException, InterruptedException {
        int end = random.nextInt(2);
        String side = end == CLIENT ? "client" : "server";
        switch (random.nextInt(3)) {
            case 0 -> {
                what += "the interface of the " + side + " went down";
                link.interfaceOf(end, false);
            }
            case 1 -> {
                what += "no frame of the " + side + " arrived";
                link.drop(end, true);
            }
            default -> {
                what += "no frame arrived";
                link.drop(CLIENT, true);
                link.drop(SERVER, true);
            }
        }
    }

    private void disturb() throws IOException, InterruptedException {
        switch (fault) {
            case CUT_AND_RETURN -> {
                cut();
                int millis = random.nextInt(50, 1500);
                what += " for " + millis + " ms";
                TimeUnit.MILLISECONDS.sleep(millis);
                link.mend();
            }
            case STOP -> {
                int end = random.nextInt(2);
                int millis = random.nextInt(2_500, 3_500);
                what += "the " + (end == CLIENT ? "client" : "server") + " stood still for " + millis + " ms";
                ends[end].stop(true);
                TimeUnit.MILLISECONDS.sleep(millis);
                ends[end].stop(false);
            }
            default -> {
                int millis = random.nextInt(200, 1500);
                what += millis + " ms of lossy weather more";
                TimeUnit.MILLISECONDS.sleep(millis);
            }
        }
        at = System.nanoTime();
    }

    // What follows.

    /** Everything must end with errors. */
    private void end() throws InterruptedException {
        // Connections may just begin, of which the server does not know yet.
        TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
        String[] answers = both("await " + fault.limitMillis, fault.limitMillis);
        expect("over", answers);
        forEach(answers, (end, parts) -> {
            boolean begun = !parts[CAUSE].equals("NEVER");
            if (begun && !parts[STATE].equals("ERROR")) {
                fail(end, "a queue pair is in " + parts[STATE]);
            }
            // The system of a process that is killed ends its connections as if the process had, often between two messages.
            boolean orderly = parts[CAUSE].equals("ORDERLY") && (fault == Fault.CUT || fault == Fault.CUT_BY_DEFAULT);
            if (orderly || parts[CAUSE].equals("OPEN")) {
                fail(end, "a connection ended " + parts[CAUSE]);
            }
        });
    }

    /** Everything must go on, and end in good order when the program says so. */
    private void goOn(int connections) throws InterruptedException {
        long[][] before = progress();
        if (!await(now -> now[CLIENT][DONE] > before[CLIENT][DONE] && now[SERVER][DONE] > before[SERVER][DONE])) {
            failures.add("no progress: " + before[CLIENT][DONE] + ", " + before[SERVER][DONE] + " completions");
        }
        worst = (System.nanoTime() - at) / 1_000_000;
        expect("quiet", both("quiet " + fault.limitMillis, fault.limitMillis));
        // The last messages may be on their way.
        await(now -> now[CLIENT][SENT] == now[SERVER][RECEIVED] && now[SERVER][SENT] == now[CLIENT][RECEIVED]);
        if (!gone[CLIENT]) {
            ends[CLIENT].ask("disconnect");
        }
        String[] answers = both("await " + fault.limitMillis, fault.limitMillis);
        expect("over", answers);
        int[] seen = new int[2];
        forEach(answers, (end, parts) -> {
            seen[end]++;
            if (!parts[CAUSE].equals("ORDERLY") || !parts[STATUSES].matches("\\{(SUCCESS=\\d+, )?FLUSHED=8\\}")) {
                fail(end, "a connection ended " + String.join("|", parts));
            }
        });
        if (seen[CLIENT] != connections || seen[SERVER] != connections) {
            failures.add("of " + connections + " connections the ends had " + seen[CLIENT] + " and " + seen[SERVER]);
        }
        if (told[CLIENT] != heard[SERVER] || told[SERVER] != heard[CLIENT]) {
            failures.add("messages sent and received: " + told[CLIENT] + ", " + heard[SERVER] + "; " + told[SERVER] + ", " + heard[CLIENT]);
        }
    }

    /** Waits until the progress of both ends is as it must be, or one is gone. */
    private boolean await(Predicate<long[][]> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(fault.limitMillis);
        while (!gone[CLIENT] && !gone[SERVER]) {
            if (condition.test(progress())) {
                return true;
            }
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return true;
    }

    private long[][] progress() throws InterruptedException {
        String[] answers = both("progress", 0);
        expect("done", answers);
        long[][] numbers = new long[2][RECEIVED + 1];
        for (int end = 0; end < 2; end++) {
            if (!gone[end]) {
                numbers[end] = Stream.of(answers[end].substring("done ".length()).split(" ")).mapToLong(Long::parseLong).toArray();
            }
        }
        return numbers;
    }

    private interface EachConnection {
        void take(int end, String[] parts);
    }

    /** Notes all connections of the survivors' answers. */
    private void forEach(String[] answers, EachConnection each) {
        for (int end = 0; end < 2; end++) {
            String answer = answers[end];
            if (answer == null || answer.indexOf(' ') == answer.length() - 1) {
                continue;
            }
            for (String summary : answer.substring(answer.indexOf(' ') + 1).split(";")) {
                String[] parts = summary.split("\\|", PARTS);
                if (parts.length < PARTS) {
                    fail(end, "not a summary: " + summary);
                    continue;
                }
                long millis = Math.max(0, (Long.parseLong(parts[LAST]) - at) / 1_000_000);
                if (!fault.survived) {
                    worst = Math.max(worst, millis);
                }
                told[end] += Long.parseLong(parts[TOLD]);
                heard[end] += Long.parseLong(parts[HEARD]);
                report.add(fault, parts[CAUSE], parts[STATUSES], fault.survived ? worst : millis);
                if (!parts[DEFECT].isEmpty()) {
                    fail(end, parts[DEFECT]);
                }
                each.take(end, parts);
            }
        }
    }

    private void release(int end) throws InterruptedException {
        ends[end].send("release " + RELEASE_MILLIS);
        String answer = ends[end].answer(RELEASE_MILLIS);
        if (!answer.startsWith("ok")) {
            fail(end, answer);
        }
        report.resources(fault, answer);
    }

    @Override
    public String toString() {
        return what + "; " + (fault.survived ? "traffic went on after " : "ended after ") + worst + " ms";
    }
}
