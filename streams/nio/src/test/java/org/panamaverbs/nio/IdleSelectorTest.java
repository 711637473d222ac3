package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.nio.Providers.Pair;
import org.panamaverbs.testing.Proofs;

/**
 * Selectors while nothing happens: their threads and those of event loops sleep, and nothing wakes them. In the profile, the processor time
 * as well; {@code -Didle.seconds=20} makes it more exact.
 */
class IdleSelectorTest {
    private static final int SECONDS = Integer.getInteger("idle.seconds", 2);
    private static final int SELECTORS = 4;
    private static final int PAIRS = 8;
    /** A selector's thread has this at the start of its name, an event loop that. */
    private static final List<String> NAMES = List.of("idle-selector", "soft-iwarp");
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** In the time of a look. A selector that looks every millisecond is woken some 200 times. */
    private static final int MOST_WAKE_UPS = 20;
    /** Of one processor. A selector that looks every millisecond takes more. */
    private static final double MOST_PER_CENT = 5;

    private static void select(Selector selector, int[] keys, int index) {
        try {
            keys[index] += selector.select();
        } catch (IOException e) {
            keys[index] = -1;
        }
    }

    /** The threads in question, as Linux has them: how often they have slept, and whether all sleep. */
    private record Sleep(int threads, long count, boolean isDeep) {
        static Sleep look(Set<Path> others) throws IOException {
            Sleep all = new Sleep(0, 0, true);
            for (Path task : tasks()) {
                if (!others.contains(task)) {
                    all = all.and(task.resolve("status"));
                }
            }
            return all;
        }

        /** All threads of this process. */
        static Set<Path> tasks() throws IOException {
            try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
                return tasks.collect(Collectors.toSet());
            }
        }

        private Sleep and(Path status) throws IOException {
            Map<String, String> fields = new HashMap<>();
            try {
                Files.readAllLines(status).forEach(line -> fields.put(line.replaceAll(":.*", ""), line.replaceAll("^[^:]*:\\s*", "")));
            } catch (IOException e) {
                // The thread has ended.
                return this;
            }
            return NAMES.stream().noneMatch(fields.getOrDefault("Name", "")::startsWith) ? this : new Sleep(threads + 1,
                    count + Long.parseLong(fields.get("voluntary_ctxt_switches")), isDeep && fields.get("State").startsWith("S"));
        }
    }

    /** Until all threads sleep and stay asleep. On a busy machine, what the start of the test has begun may take its time. */
    private static void awaitSleep(Set<Path> others) throws Exception {
        Sleep before = Sleep.look(others);
        for (long begin = System.nanoTime();;) {
            Thread.sleep(LOOK);
            Sleep after = Sleep.look(others);
            long count = after.count - before.count;
            if (after.threads >= SELECTORS && after.isDeep && count <= MOST_WAKE_UPS) {
                return;
            }
            assertTrue(System.nanoTime() - begin < LIMIT.toNanos(), () -> after + ", woken " + count + " times");
            before = after;
        }
    }

    private static void shouldTakeNoTime(String name, boolean mixed) throws InterruptedException {
        long before = threadTime();
        Thread.sleep(SECONDS * 1000L);
        double perCent = (threadTime() - before) / 1e7 / SECONDS;
        System.out.printf("%d idle selectors of %d channels each over %s%s: %.2f %% of a processor%n", SELECTORS, 2 * PAIRS, name,
                mixed ? ", with a datagram channel" : "", perCent);
        assertTrue(perCent < MOST_PER_CENT, perCent + " %");
    }

    /** {@return the processor time of all threads, in nanoseconds} Not that of compilers and collectors, which work here for other tests. */
    private static long threadTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getAllThreadIds()).map(threads::getThreadCpuTime).filter(nanos -> nanos > 0).sum();
    }

    @ParameterizedTest
    @CsvSource({ "jdk, true", "shared-memory, true", "shared-memory, false", "epoll, true", "epoll, false" })
    void shouldCostNothing(String name, boolean mixed) throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/task")), "Linux counts how often threads sleep");
        List<Pair> pairs = new ArrayList<>();
        List<Selector> selectors = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        List<DatagramChannel> others = new ArrayList<>();
        int[] keys = new int[SELECTORS];
        // Of other tests of this process.
        Set<Path> elsewhere = Sleep.tasks();
        SelectorProvider provider = Providers.make(name);
        try {
            for (int i = 0; i < SELECTORS; i++) {
                Selector selector = provider.openSelector();
                selectors.add(selector);
                for (int j = 0; j < PAIRS; j++) {
                    Pair pair = Pair.of(provider);
                    pairs.add(pair);
                    pair.far().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    pair.near().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    pair.near().write(ByteBuffer.allocate(1));
                    while (pair.far().read(ByteBuffer.allocate(1)) == 0) {
                        selector.selectNow();
                    }
                }
                if (mixed) {
                    DatagramChannel datagrams = provider.openDatagramChannel(StandardProtocolFamily.INET).bind(Providers.anyPort());
                    others.add(datagrams);
                    datagrams.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                }
                while (selector.selectNow() > 0) {
                    selector.selectedKeys().clear();
                }
                int index = i;
                threads.add(Thread.ofPlatform().daemon().name("idle-selector-" + i).start(() -> select(selector, keys, index)));
            }
            awaitSleep(elsewhere);
            if (Proofs.run()) {
                shouldTakeNoTime(name, mixed);
            }
            for (int i = 0; i < SELECTORS; i++) {
                assertTrue(threads.get(i).isAlive(), "a selector has returned");
                selectors.get(i).wakeup();
                threads.get(i).join();
                assertEquals(0, keys[i]);
            }
        } finally {
            for (Selector selector : selectors) {
                selector.close();
            }
            for (Pair pair : pairs) {
                pair.close();
            }
            for (DatagramChannel other : others) {
                other.close();
            }
        }
    }
}
