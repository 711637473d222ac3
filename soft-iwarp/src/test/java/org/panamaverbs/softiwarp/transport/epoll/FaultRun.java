package org.panamaverbs.softiwarp.transport.epoll;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.softiwarp.transport.epoll.FaultySystem.Fault;

/**
 * A process that runs a {@link FaultScenario} again and again while the system is in trouble. Each run that fails must say so by an
 * exception of ours; none may hang, leave a descriptor, a thread or native memory, call the system without end, or bring wrong data. Run by
 * {@link FaultySystemTest}.
 */
final class FaultRun {
    /** No run needs a tenth of that; one that spins needs more. */
    private static final int MOST_CALLS = 20_000;
    private static final long SETTLE_NANOS = 60_000_000_000L;

    // @formatter:off
    /** The errors that a call may fail with, as its page of the manual says. */
    private static final Map<String, int[]> ERRORS = Map.ofEntries(
            Map.entry("epoll_create1", new int[] { Libc.EMFILE(), Libc.ENFILE(), Libc.ENOMEM() }),
            Map.entry("eventfd", new int[] { Libc.EMFILE(), Libc.ENFILE(), Libc.ENOMEM() }),
            Map.entry("calloc", new int[] { Errno.ENOMEM }),
            Map.entry("epoll_ctl", new int[] { Libc.ENOMEM(), Libc.ENOSPC() }),
            Map.entry("socket", new int[] { Libc.EMFILE(), Libc.ENFILE(), Libc.ENOBUFS(), Libc.ENOMEM() }),
            Map.entry("setsockopt", new int[] { Libc.ENOMEM(), Libc.ENOBUFS() }),
            Map.entry("getsockopt", new int[] { Libc.ENOBUFS() }),
            Map.entry("getsockname", new int[] { Libc.ENOBUFS() }),
            Map.entry("getpeername", new int[] { Libc.ENOBUFS() }),
            Map.entry("bind", new int[] { Libc.EADDRINUSE(), Libc.ENOMEM() }),
            Map.entry("listen", new int[] { Libc.EADDRINUSE() }),
            Map.entry("accept4", new int[] { Libc.EMFILE(), Libc.ENFILE(), Libc.ENOBUFS(), Libc.ENOMEM(), Libc.ECONNABORTED(),
                    Errno.EINTR }),
            Map.entry("connect", new int[] { Libc.ECONNREFUSED(), Libc.EADDRNOTAVAIL(), Libc.ENETUNREACH(), Errno.EINTR }),
            Map.entry("epoll_wait", new int[] { Errno.EINTR }),
            Map.entry("epoll_pwait2", new int[] { Errno.EINTR }),
            Map.entry("shutdown", new int[] { Libc.ENOTCONN() }),
            Map.entry("close", new int[] { Errno.EINTR, Libc.EIO() }),
            Map.entry("recv", new int[] { Errno.EINTR, Errno.EAGAIN, Errno.EFAULT, Errno.ECONNRESET, Libc.ETIMEDOUT(), Libc.ENOMEM(), 0 }),
            Map.entry("readv", new int[] { Errno.EINTR, Errno.EAGAIN, Errno.EFAULT, Errno.ECONNRESET, Libc.ENOMEM(), 0 }),
            Map.entry("send", new int[] { Errno.EINTR, Errno.EAGAIN, Errno.EFAULT, Errno.ECONNRESET, Errno.EPIPE, Libc.ENOBUFS(),
                    Libc.ENOMEM(), 0 }),
            Map.entry("writev", new int[] { Errno.EINTR, Errno.EAGAIN, Errno.EFAULT, Errno.ECONNRESET, Errno.EPIPE, Libc.ENOBUFS(),
                    Libc.ENOMEM(), 0 }));
    // @formatter:on
    /** Calls that every run makes: one that is missing is not tested, whatever else succeeds. */
    private static final List<String> EXPECTED = List.of("calloc", "epoll_create1", "eventfd", "epoll_ctl", "epoll_wait", "socket",
            "setsockopt", "getsockname", "bind", "listen", "accept4", "connect", "recv", "send", "shutdown", "close");

    private final SplittableRandom random;
    private long end;
    private final MemorySegment memory = Arena.global().allocate(FaultScenario.memorySize(), 64);
    private final Configuration configuration;
    /** The messages of failures, and how often each came. */
    private final Map<String, Integer> said = new TreeMap<>();
    private int runs;
    private int failed;
    private int descriptors;
    /** Runs in which something was done to a call, or native memory ended. */
    private int disturbed;
    /** Native memory that is in use before the first fault. */
    private long native0 = -1;

    private FaultRun(long seed, int threads) {
        random = new SplittableRandom(seed);
        configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.transport", "epoll")
                .set("panamaverbs.softiwarp.progress-threads", Integer.toString(threads)).build();
    }

    /** Arguments: {@code errors}, {@code harmless} or {@code memory}; a seed; for how many milliseconds. */
    public static void main(String[] arguments) throws Exception {
        FaultySystem.install();
        long seed = Long.parseLong(arguments[1]);
        FaultRun run = new FaultRun(seed, 1 + (int) (seed & 1));
        for (int i = 0; i < 3; i++) {
            // Opens what stays open for ever.
            run.once((call, number) -> null, "nothing");
            EXPECTED.forEach(call -> check(FaultySystem.calls(call) > 0, "no run calls " + call + ": it is not tested"));
        }
        if (run.failed > 0) {
            throw new AssertionError("the scenario fails by itself: " + run.said);
        }
        run.native0 = OwnedMemory.inUse();
        run.end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000;
        switch (arguments[0]) {
            case "errors" -> run.errors();
            case "harmless" -> run.harmless();
            default -> run.memory();
        }
        check(run.disturbed > 0, "nothing was done to any call in " + run.runs + " runs");
        run.compareMemory("all");
        run.said.forEach((text, count) -> System.out.println(count + " x " + text));
        System.out.println("survived " + run.runs + " runs, " + run.disturbed + " of which met faults and " + run.failed + " failed");
        System.exit(0);
    }

    private boolean isOver() {
        return disturbed > 0 && System.nanoTime() > end;
    }

    /** The nth call of each name fails with each of its errors, in an order that the seed chooses, until there are no more calls. */
    private void errors() {
        List<Map.Entry<String, Fault>> all = new ArrayList<>();
        ERRORS.forEach((call, numbers) -> {
            for (int number : numbers) {
                all.add(Map.entry(call, new Fault(number)));
            }
        });
        for (int nth = 1; !all.isEmpty() && !isOver(); nth++) {
            shuffle(all);
            int number = nth;
            for (Map.Entry<String, Fault> each : List.copyOf(all)) {
                String call = each.getKey();
                if (isOver()) {
                    return;
                }
                once((name, count) -> count == number && name.equals(call) ? each.getValue() : null,
                        call + " " + nth + " " + each.getValue());
                check(number > 1 || FaultySystem.calls(call) > 0 || !EXPECTED.contains(call), call + " is not called, and cannot fail");
                if (FaultySystem.calls(call) < number) {
                    all.remove(each);
                } else {
                    // A call that moves few bytes anyway has no short count.
                    check(each.getValue().isShort() || !FaultySystem.injected().isEmpty(), call + " " + number + " did not fail");
                }
            }
        }
    }

    private void shuffle(List<?> list) {
        for (int i = list.size(); i > 1; i--) {
            Collections.swap(list, i - 1, random.nextInt(i));
        }
    }

    /** Interrupted calls, short counts and sockets that are not ready after all, at random: no program notices. */
    private void harmless() {
        while (!isOver()) {
            int chance = 2 + random.nextInt(20);
            long seed = random.nextLong();
            int before = failed;
            once((name, count) -> harmless(name, new SplittableRandom(seed ^ name.hashCode() ^ count * 0x9E3779B97F4A7C15L), chance),
                    "one in " + chance);
            if (failed > before) {
                throw new AssertionError("faults that do no harm made a run fail: " + FaultySystem.injected() + "\n" + said);
            }
        }
    }

    private static Fault harmless(String name, SplittableRandom chance, int one) {
        if (chance.nextInt(one) != 0) {
            return null;
        }
        return switch (name) {
            case "recv", "readv", "send", "writev" -> switch (chance.nextInt(4)) {
                case 0 -> new Fault(Errno.EINTR);
                case 1 -> new Fault(Errno.EAGAIN);
                default -> Fault.SHORT;
            };
            case "epoll_wait", "epoll_pwait2", "connect", "close" -> new Fault(Errno.EINTR);
            case "accept4" -> new Fault(chance.nextBoolean() ? Errno.EINTR : Libc.ECONNABORTED());
            default -> null;
        };
    }

    /** One allocation of native memory after another fails, until the scenario has no further one. */
    private void memory() {
        for (int nth = 1; !isOver(); nth++) {
            int number = nth;
            once((name, count) -> count == number && name.equals("calloc") ? new Fault(Errno.ENOMEM) : null, "calloc " + nth);
            if (FaultySystem.calls("calloc") < number) {
                System.out.println("allocates " + (number - 1) + " times");
                return;
            }
        }
    }

    /** Runs that are over hold no native memory, whether they failed or not. */
    private void compareMemory(String what) {
        long limit = System.nanoTime() + SETTLE_NANOS;
        while (OwnedMemory.inUse() > native0 && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        check(OwnedMemory.inUse() <= native0,
                what + ": native memory in use grew from " + native0 + " to " + OwnedMemory.inUse() + " bytes in " + runs + " runs");
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }

    private List<Throwable> once(FaultySystem.Plan plan, String what) {
        long begin = System.nanoTime();
        FaultySystem.begin(plan);
        Thread guard = Thread.ofPlatform().daemon().start(() -> watch(what));
        List<Throwable> failures = new FaultScenario(configuration, memory).run();
        guard.interrupt();
        long took = (System.nanoTime() - begin) / 1_000_000;
        if (Boolean.getBoolean("faults.log")) {
            System.out.println(took + " ms: " + what + ": " + FaultySystem.injected() + ": " + failures);
        }
        int calls = FaultySystem.calls();
        FaultySystem.end();
        runs++;
        disturbed += FaultySystem.injected().isEmpty() ? 0 : 1;
        for (Throwable failure : failures) {
            check(what, failure);
        }
        failed += failures.isEmpty() ? 0 : 1;
        if (calls > MOST_CALLS) {
            throw new AssertionError(what + ": " + calls + " system calls: a busy loop");
        }
        settle(what);
        if (native0 >= 0) {
            compareMemory(what);
        }
        return failures;
    }

    private static void watch(String what) {
        try {
            Thread.sleep(150_000);
        } catch (InterruptedException e) {
            return;
        }
        System.out.println(what + ": it hangs after " + FaultySystem.injected());
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            System.out.println(thread);
            for (StackTraceElement element : stack) {
                System.out.println("    " + element);
            }
        });
        System.exit(3);
    }

    /** An exception of ours that says something, or memory that ran out; no hang, no defect. */
    private void check(String what, Throwable failure) {
        boolean ours = failure instanceof VerbsException && !(failure instanceof VerbsTimeoutException)
                || failure instanceof OutOfMemoryError;
        String message = String.valueOf(failure.getMessage());
        said.merge(failure.getClass().getSimpleName() + ": " + message.replaceAll(":\\d+", ":port").replaceAll("0x[0-9a-f]+", "0x?"), 1,
                Integer::sum);
        if (!ours || message.length() < 10) {
            throw new AssertionError(what + ": " + FaultySystem.injected() + ": " + failure, failure);
        }
    }

    /** Waits until the descriptors and threads of the run are gone. */
    private void settle(String what) {
        long limit = System.nanoTime() + SETTLE_NANOS;
        while (true) {
            int open = openDescriptors();
            List<String> threads = Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                    .filter(name -> name.startsWith("soft-iwarp") || name.startsWith("scenario")).toList();
            if (runs <= 3) {
                descriptors = open;
            }
            if (open <= descriptors && threads.isEmpty()) {
                return;
            }
            if (System.nanoTime() > limit) {
                throw new AssertionError(what + ": " + FaultySystem.injected() + ": " + (open - descriptors)
                        + " descriptors are left open, and the threads " + threads);
            }
            Thread.onSpinWait();
        }
    }

    private static int openDescriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }
}
