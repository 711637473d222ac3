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
    /** All connections begin within this time, if no fault hinders them; most need a few milliseconds. */
    private static final long BEGIN_MILLIS = 10_000;
    /** For one connection to begin. */
    private static final long CONNECT_MILLIS = 3_000;
    /** The same in lossy weather: TCP repeats a lost SYN after 1, 2 and 4 s. */
    private static final long WEATHER_MILLIS = 9_000;
    /** A fault that comes so soon may come before any connection has begun. */
    private static final int EARLY_MILLIS = 30;
    /** Longer than the kernel delays an acknowledgement, in milliseconds. */
    private static final long ACKNOWLEDGED_MILLIS = 300;
    private static final String FLUSHED = "FLUSHED=" + Memory.RECEIVES + "}";

    // The numbers of an end's progress.
    private static final int DONE = 0;
    private static final int SENT = 1;
    private static final int RECEIVED = 2;

    private final Place place;
    /** {@code null} between ends on one machine. */
    private final FaultyLink link;
    private final EndProcess[] ends;
    private final Fault fault;
    private final long seed;
    private final SplittableRandom random;
    private final FaultReport report;
    private final List<String> failures = new ArrayList<>();
    private final boolean[] gone = new boolean[2];
    /** Whether the fault comes while connections begin, or before. Otherwise all of them have begun and carried something. */
    private final boolean early;
    private final long moment;
    /** Over Java's own channels. */
    private final boolean nio;
    private final List<String> resources = new ArrayList<>();
    private String what = "";
    /** Of a cut in one direction, the end whose frames are lost, though it still receives those of its peer; or -1. */
    private int unheard = -1;
    /** Before the fault, and when it was complete. */
    private long struck;
    private long at;
    private long worst;
    private final long[] told = new long[2];
    private final long[] heard = new long[2];

    FaultRound(Place place, EndProcess[] ends, Fault fault, long seed, int longestMoment, FaultReport report) {
        this.place = place;
        this.link = place instanceof FaultyLink between ? between : null;
        this.ends = ends;
        this.fault = fault;
        this.seed = seed;
        this.report = report;
        random = new SplittableRandom(seed);
        boolean cut = fault == Fault.CUT || fault == Fault.CUT_BY_DEFAULT;
        nio = link != null && (fault == Fault.KILL_CLIENT || fault == Fault.KILL_SERVER || cut) && random.nextInt(4) == 0;
        // Over NIO a cut ends nothing but idle connections, and one that begins is not idle.
        early = !fault.survived && !(nio && cut) && random.nextInt(5) == 0;
        // Connections that shall live on have all begun, whatever the moment.
        moment = fault.survived ? longestMoment : random.nextInt(early ? EARLY_MILLIS : longestMoment);
    }

    List<String> failures() {
        return failures;
    }

    boolean isEarly() {
        return early;
    }

    /** Whether the process of an end cannot be used any more. */
    boolean isGone(int end) {
        return gone[end];
    }

    void run() throws IOException, InterruptedException {
        String settings = fault.settings.replace("epoll", nio ? "nio" : place.transport());
        int busy = random.nextInt(1, 4);
        int idle = random.nextInt(0, 3);
        what = busy + " busy and " + idle + " idle connections" + (nio ? " over nio" : "") + ", after " + moment + " ms "
                + (early ? "from the start " : "");
        expect("ok", both("open " + settings, 0));
        if (fault == Fault.WEATHER || early) {
            cloud();
        }
        expect("ok", both("start " + seed + " " + busy + " " + idle + " " + (fault == Fault.WEATHER ? WEATHER_MILLIS : CONNECT_MILLIS), 0));
        if (!early) {
            begin(busy + idle);
        }
        TimeUnit.MILLISECONDS.sleep(moment);
        if (nio && (fault == Fault.CUT || fault == Fault.CUT_BY_DEFAULT)) {
            quieten();
        }
        if (failures.isEmpty()) {
            if (fault.survived) {
                disturb();
                goOn(busy + idle);
            } else {
                strike();
                end(busy + idle);
            }
        }
        for (int end = 0; end < 2; end++) {
            if (!gone[end]) {
                release(end);
            }
        }
    }

    private void cloud() {
        if (fault == Fault.KILL_IN_LOSS || fault == Fault.WEATHER) {
            link.weather(new FaultyLink.Weather(random.nextDouble() * 0.05, random.nextDouble() * 0.05, random.nextDouble() * 0.1,
                    random.nextInt(5_000), random.nextInt(20_000)), seed);
        }
    }

    /** Waits until all connections have begun, and both ends have completed something: the fault meets traffic. */
    private void begin(int connections) throws InterruptedException {
        expect("ready", both("ready " + connections + " " + BEGIN_MILLIS, BEGIN_MILLIS));
        if (!await(BEGIN_MILLIS, now -> now[CLIENT][DONE] > 0 && now[SERVER][DONE] > 0)) {
            failures.add("no traffic before the fault");
        }
        if (fault == Fault.KILL_IN_LOSS) {
            cloud();
        }
    }

    /**
     * Stops the traffic, and waits until all of it is acknowledged. Java's channels cannot be asked what the peer has acknowledged, so
     * they have no user time-out: over a cut link keep-alive ends idle connections, but one with data under way stays as long as the
     * kernel repeats that data, which is some 15 minutes.
     */
    private void quieten() throws InterruptedException {
        expect("quiet", both("quiet " + BEGIN_MILLIS, BEGIN_MILLIS));
        if (!await(BEGIN_MILLIS, this::isAllHeard)) {
            failures.add("messages are lost before the fault");
        }
        TimeUnit.MILLISECONDS.sleep(ACKNOWLEDGED_MILLIS);
    }

    private boolean isAllHeard(long[][] now) {
        return now[CLIENT][SENT] == now[SERVER][RECEIVED] && now[SERVER][SENT] == now[CLIENT][RECEIVED];
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
        struck = System.nanoTime();
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
                unheard = end;
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

    // The consequences.

    /** Everything must end with errors. */
    private void end(int connections) throws InterruptedException {
        // Connections may just begin, of which the server does not know yet.
        TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
        String[] answers = both("await " + fault.limitMillis, fault.limitMillis);
        expect("over", answers);
        for (int end = 0; end < 2; end++) {
            if (gone[end]) {
                continue;
            }
            List<ConnectionSummary> all = connections(end, answers[end]);
            for (ConnectionSummary each : all) {
                String wrong = each.hasBegun() ? wrongEnd(end, each) : wrongStart(each);
                if (!wrong.isEmpty()) {
                    fail(end, wrong + ": " + each);
                }
            }
            if (!early && all.size() != connections) {
                fail(end, "of " + connections + " connections it had " + all.size());
            }
            if (!early && all.stream().noneMatch(each -> each.hasBegun() && each.done() > 0)) {
                fail(end, "no connection carried anything before the fault: " + all);
            }
        }
    }

    /** Why the end of a connection is not right. */
    private String wrongEnd(int end, ConnectionSummary each) {
        String peer = place.address(1 - end);
        boolean lost = each.cause().equals("LOST");
        boolean cut = fault == Fault.CUT || fault == Fault.CUT_BY_DEFAULT;
        // The system of a process that is killed ends its connections as if the process had, often between two messages. So does a peer that
        // gives up a connection whose start it does not see.
        boolean mayBeOrderly = !cut || early && end == unheard;
        if (!lost && !(mayBeOrderly && each.cause().equals("ORDERLY"))) {
            return "it ended " + each.cause();
        } else if (!each.state().equals("ERROR")) {
            return "its queue pair is in " + each.state();
        } else if (!each.failure().isEmpty()) {
            return "it threw " + each.failure();
        } else if (each.sends() != 0 || each.receives() != 0) {
            return "of its requests " + each.sends() + " and of its receives " + each.receives() + " did not complete";
        } else if (!each.received().matches("\\{(SUCCESS=\\d+, )?" + FLUSHED)) {
            return "its receives completed with " + each.received();
        } else if (!each.sent().matches("\\{(SUCCESS=\\d+)?(, )?(FLUSHED=\\d+)?}")) {
            return "its requests completed with " + each.sent();
        } else if (each.firstError() < struck) {
            return "it failed " + (struck - each.firstError()) / 1_000 + " us before the fault";
        }
        return lost == each.message().contains(peer) && (!lost || !cut || isNamed(each.message())) ? ""
                : "its end does not say whom it lost, and why: " + each.message();
    }

    /** Whether the failure of a connection over a cut link names its cause: a setting, or the reset of a peer that gave up first. */
    private boolean isNamed(String message) {
        if (nio) {
            // Java's channels report text alone.
            return message.contains("timed out") || message.contains("reset");
        }
        return message.contains("(setting panamaverbs.softiwarp.keepalive)")
                || message.contains("(setting panamaverbs.softiwarp.user-timeout)") || message.contains("ECONNRESET");
    }

    /** Why a connection that has not begun is not right. */
    private String wrongStart(ConnectionSummary each) {
        if (!early) {
            return "it had not begun before the fault";
        }
        return each.failure().isEmpty() ? "it has not begun, and nothing says why" : each.done() > 0 ? "it has not begun, and works" : "";
    }

    /** Everything must go on, and end in good order when the program says so. */
    private void goOn(int connections) throws InterruptedException {
        long[][] before = progress();
        if (!await(fault.limitMillis, now -> now[CLIENT][DONE] > before[CLIENT][DONE] && now[SERVER][DONE] > before[SERVER][DONE])) {
            failures.add("no progress: " + before[CLIENT][DONE] + ", " + before[SERVER][DONE] + " completions");
        }
        worst = (System.nanoTime() - at) / 1_000_000;
        expect("quiet", both("quiet " + fault.limitMillis, fault.limitMillis));
        // The last messages may be on their way.
        await(fault.limitMillis, this::isAllHeard);
        if (!gone[CLIENT]) {
            ends[CLIENT].ask("disconnect");
        }
        String[] answers = both("await " + fault.limitMillis, fault.limitMillis);
        expect("over", answers);
        for (int end = 0; end < 2; end++) {
            if (gone[end]) {
                continue;
            }
            List<ConnectionSummary> all = connections(end, answers[end]);
            for (ConnectionSummary each : all) {
                if (!each.cause().equals("ORDERLY") || !each.failure().isEmpty() || !each.message().isEmpty()
                        || !each.received().matches("\\{(SUCCESS=\\d+, )?" + FLUSHED) || !each.sent().matches("\\{(SUCCESS=\\d+)?}")) {
                    fail(end, "a connection ended " + each);
                }
            }
            if (all.size() != connections) {
                fail(end, "of " + connections + " connections it had " + all.size());
            }
        }
        if (told[CLIENT] != heard[SERVER] || told[SERVER] != heard[CLIENT]) {
            failures.add("messages sent and received: " + told[CLIENT] + ", " + heard[SERVER] + "; " + told[SERVER] + ", " + heard[CLIENT]);
        }
    }

    /** Waits until the progress of both ends is as it must be, or one is gone. */
    private boolean await(long millis, Predicate<long[][]> condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
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

    /** Reads and notes all connections of an end's answer. */
    private List<ConnectionSummary> connections(int end, String answer) {
        List<ConnectionSummary> all = new ArrayList<>();
        for (String summary : answer.substring(answer.indexOf(' ') + 1).split(";")) {
            if (summary.isEmpty()) {
                continue;
            }
            ConnectionSummary each = ConnectionSummary.parse(summary);
            all.add(each);
            long millis = Math.max(0, (each.last() - at) / 1_000_000);
            if (!fault.survived) {
                worst = Math.max(worst, millis);
            }
            told[end] += each.told();
            heard[end] += each.heard();
            report.add(fault, each, fault.survived ? worst : millis);
            if (!each.defect().isEmpty()) {
                fail(end, each.defect());
            }
        }
        return all;
    }

    private void release(int end) throws InterruptedException {
        ends[end].send("release " + RELEASE_MILLIS);
        String answer = ends[end].answer(RELEASE_MILLIS);
        if (!answer.startsWith("ok")) {
            fail(end, answer);
        }
        resources.add((end == CLIENT ? "the client held " : "the server held ") + answer.substring(answer.indexOf(' ') + 1));
        report.resources(fault, answer);
    }

    @Override
    public String toString() {
        return what + "; " + (fault.survived ? "traffic went on after " : "ended after ") + worst + " ms; " + String.join("; ", resources);
    }
}
