package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.nio.Providers.Pair;

/** The processor time of a selector while nothing happens. {@code -Didle.seconds=20} makes it more exact. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class IdleSelectorTest {
    private static final int SECONDS = Integer.getInteger("idle.seconds", 2);
    private static final int SELECTORS = 4;
    private static final int PAIRS = 8;
    /** Of one processor. A selector that looks every millisecond takes more. */
    private static final double MOST_PER_CENT = 5;

    private static void select(Selector selector, int[] keys, int index) {
        try {
            keys[index] += selector.select(SECONDS * 1000L + 3000);
        } catch (IOException e) {
            keys[index] = -1;
        }
    }

    /** {@return the processor time of all threads, in nanoseconds} Not that of compilers and collectors, which work here for other tests. */
    private static long threadTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getAllThreadIds()).map(threads::getThreadCpuTime).filter(nanos -> nanos > 0).sum();
    }

    @ParameterizedTest
    @CsvSource({ "jdk, true", "shared-memory, true", "shared-memory, false", "epoll, true", "epoll, false" })
    void shouldCostNothing(String name, boolean mixed) throws Exception {
        List<Pair> pairs = new ArrayList<>();
        List<Selector> selectors = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        List<DatagramChannel> others = new ArrayList<>();
        int[] keys = new int[SELECTORS];
        try {
            for (int i = 0; i < SELECTORS; i++) {
                Selector selector = Providers.of(name).openSelector();
                selectors.add(selector);
                for (int j = 0; j < PAIRS; j++) {
                    Pair pair = Pair.of(Providers.of(name));
                    pairs.add(pair);
                    pair.far().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    pair.near().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    pair.near().write(ByteBuffer.allocate(1));
                    while (pair.far().read(ByteBuffer.allocate(1)) == 0) {
                        selector.selectNow();
                    }
                }
                if (mixed) {
                    DatagramChannel datagrams = Providers.of(name).openDatagramChannel(StandardProtocolFamily.INET)
                            .bind(Providers.anyPort());
                    others.add(datagrams);
                    datagrams.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                }
                while (selector.selectNow() > 0) {
                    selector.selectedKeys().clear();
                }
                int index = i;
                threads.add(Thread.ofPlatform().daemon().start(() -> select(selector, keys, index)));
            }
            Thread.sleep(1000);
            long before = threadTime();
            Thread.sleep(SECONDS * 1000L);
            double perCent = (threadTime() - before) / 1e7 / SECONDS;
            System.out.printf("%d idle selectors of %d channels each over %s%s: %.2f %% of a processor%n", SELECTORS, 2 * PAIRS, name,
                    mixed ? ", with a datagram channel" : "", perCent);
            assertTrue(perCent < MOST_PER_CENT, perCent + " %");
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
