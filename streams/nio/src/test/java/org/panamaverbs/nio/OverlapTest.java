package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.nio.Scene.Operation;
import org.panamaverbs.nio.Scene.State;
import org.panamaverbs.testing.Proofs;

/**
 * Pairs of operations that overlap: the first waits, and another thread calls the second. On our provider the second returns, fails or
 * waits as on the JDK's, and the first as well, then and after a close.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class OverlapTest {
    private static final int THREADS = 40;
    /**
     * After so long an operation counts as one that waits. Pairs that are not as expected run again: some are races, which end in several
     * ways on the JDK, too; others need more time on a busy machine.
     */
    private static final long[] MILLIS = { 60, 60, 60, 1000, 1000, 5000, 60_000 };

    private record Pair(String name, State state, Operation first, Operation second) {
    }

    /** Operations that wait, with the state in which they do. */
    private static Map<String, Operation> waitingReads() {
        Map<String, Operation> reads = new LinkedHashMap<>();
        reads.put("read", scene -> scene.channel.read(ByteBuffer.allocate(4)));
        reads.put("read of several", scene -> scene.channel.read(new ByteBuffer[] { ByteBuffer.allocate(4) }));
        reads.put("Channels' read", scene -> Channels.newInputStream(scene.channel).read());
        reads.put("socket's read", scene -> scene.channel.socket().getInputStream().read());
        reads.put("socket's read, time limit", scene -> {
            scene.channel.socket().setSoTimeout(100_000);
            return scene.channel.socket().getInputStream().read();
        });
        reads.put("read under the lock", scene -> {
            synchronized (scene.channel.blockingLock()) {
                return scene.channel.read(ByteBuffer.allocate(4));
            }
        });
        return reads;
    }

    /** More than {@link #narrow} channels hold. */
    private static final byte[] LARGE = new byte[4 << 20];

    /** The buffers of the system are small. */
    private static void narrow(Scene scene) throws IOException {
        scene.connect();
        scene.narrow();
    }

    private static Map<String, Operation> waitingWrites() {
        Map<String, Operation> writes = new LinkedHashMap<>();
        writes.put("write", scene -> scene.channel.write(ByteBuffer.wrap(LARGE)) > 0);
        writes.put("write of several", scene -> scene.channel.write(new ByteBuffer[] { ByteBuffer.wrap(LARGE) }) > 0);
        writes.put("Channels' write", scene -> {
            Channels.newOutputStream(scene.channel).write(LARGE);
            return "done";
        });
        writes.put("socket's write", scene -> {
            scene.channel.socket().getOutputStream().write(LARGE);
            return "done";
        });
        return writes;
    }

    /** The peer answers these: it has sent bytes, or there is room. */
    private static Map<String, Operation> calls() {
        Map<String, Operation> calls = new LinkedHashMap<>();
        calls.put("write", scene -> scene.channel.write(ByteBuffer.allocate(4)));
        calls.put("Channels' write", scene -> {
            Channels.newOutputStream(scene.channel).write(1);
            return "done";
        });
        calls.put("socket's write", scene -> {
            scene.channel.socket().getOutputStream().write(1);
            return "done";
        });
        calls.put("write under the lock", scene -> {
            synchronized (scene.channel.blockingLock()) {
                return scene.channel.write(ByteBuffer.allocate(4));
            }
        });
        calls.put("read", scene -> scene.channel.read(ByteBuffer.allocate(4)));
        calls.put("Channels' read", scene -> Channels.newInputStream(scene.channel).read());
        calls.put("socket's read", scene -> scene.channel.socket().getInputStream().read());
        calls.put("socket's read, time limit", scene -> {
            scene.channel.socket().setSoTimeout(50);
            return scene.channel.socket().getInputStream().read();
        });
        calls.put("read under the lock", scene -> {
            synchronized (scene.channel.blockingLock()) {
                return scene.channel.read(ByteBuffer.allocate(4));
            }
        });
        calls.put("connect", scene -> scene.channel.connect(scene.address()));
        calls.put("socket's connect", scene -> {
            scene.channel.socket().connect(scene.address(), 1000);
            return "done";
        });
        calls.put("finishConnect", scene -> scene.channel.finishConnect());
        calls.put("bind", scene -> scene.channel.bind(Providers.anyPort()));
        calls.put("close", scene -> {
            scene.channel.close();
            return "done";
        });
        calls.put("socket's close", scene -> {
            scene.channel.socket().close();
            return "done";
        });
        calls.put("shutdownInput", scene -> scene.channel.shutdownInput());
        calls.put("shutdownOutput", scene -> scene.channel.shutdownOutput());
        calls.put("socket's shutdownInput", scene -> {
            scene.channel.socket().shutdownInput();
            return "done";
        });
        calls.put("setOption", scene -> scene.channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true));
        calls.put("getOption", scene -> scene.channel.getOption(StandardSocketOptions.SO_LINGER));
        calls.put("socket's setSoTimeout", scene -> {
            scene.channel.socket().setSoTimeout(1);
            return scene.channel.socket().getSoTimeout();
        });
        calls.put("socket's available", scene -> scene.channel.socket().getInputStream().available());
        calls.put("getters", scene -> List.of(scene.channel.isOpen(), scene.channel.isConnected(), scene.channel.isConnectionPending(),
                scene.channel.isBlocking(), scene.channel.isRegistered(), scene.channel.socket().isBound()));
        calls.put("addresses", scene -> scene.channel.getLocalAddress() != null && scene.channel.getRemoteAddress() != null);
        calls.put("toString", scene -> scene.channel.toString().length() > 0);
        calls.put("configureBlocking(false)", scene -> scene.channel.configureBlocking(false));
        calls.put("configureBlocking(true)", scene -> scene.channel.configureBlocking(true));
        calls.put("register", scene -> scene.channel.register(scene.closedAtTheEnd(scene.provider.openSelector()), SelectionKey.OP_READ));
        calls.put("the lock", scene -> {
            synchronized (scene.channel.blockingLock()) {
                return "done";
            }
        });
        return calls;
    }

    private static void cross(List<Pair> pairs, String where, State state, Map<String, Operation> first, Map<String, Operation> second) {
        first.forEach(
                (one, waits) -> second.forEach((other, call) -> pairs.add(new Pair(where + one + " | " + other, state, waits, call))));
    }

    private static List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        cross(pairs, "", Scene::connect, waitingReads(), calls());
        cross(pairs, "", OverlapTest::narrow, waitingWrites(), calls());
        cross(pairs, "connecting: ", Overlaps::unanswered, Overlaps.waitingConnects(), calls());
        cross(pairs, "", Scene::serve, Overlaps.waitingAccepts(), Overlaps.serverCalls());
        cross(pairs, "", Overlaps::select, Overlaps.waitingSelects(), Overlaps.selectorCalls());
        return pairs;
    }

    /** Pairs that differ: docs/reference/nio.md has the reasons. */
    private static final Set<String> KNOWN = Set.of(
            // A program that holds the lock while it reads or writes keeps the streams of Channels out.
            "read under the lock | Channels' write",
            // It meets the shut output at its next write.
            "Channels' write | shutdownOutput");

    /** Of each pair, what came of it on the JDK's provider; the same for all. */
    private static final Map<String, Set<String>> EXPECTED = new ConcurrentHashMap<>();

    static Stream<String> providers() {
        return Stream.of(System.getProperty("overlap.providers", Proofs.run() ? "epoll,tcp" : "epoll").split(","));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldOverlapAsOnTheJdk(String name) throws Exception {
        List<Pair> pairs = pairs();
        Map<String, String> different = null;
        long before = MILLIS[0];
        for (long millis : MILLIS) {
            if (millis != before) {
                pairs.forEach(pair -> EXPECTED.remove(pair.name));
            }
            before = millis;
            boolean again = different != null;
            Map<String, String> results = compare(pairs, Providers.of(name), millis, again);
            pairs.removeIf(pair -> results.containsKey(pair.name) == KNOWN.contains(pair.name));
            results.keySet().removeAll(KNOWN);
            results.forEach((pair, result) -> System.out.println("different within " + millis + " ms: " + pair + result));
            different = results;
        }
        assertEquals("", different.entrySet().stream().map(each -> each.getKey() + each.getValue()).collect(Collectors.joining("\n")));
        assertEquals(List.of(), pairs.stream().map(Pair::name).toList(), "differences that are none any more");
    }

    /** Runs the pairs, those that run again on the JDK's provider as well; returns the differences. */
    private static Map<String, String> compare(List<Pair> pairs, SelectorProvider ours, long millis, boolean again) throws Exception {
        Map<String, Future<String>> running = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (Pair pair : pairs) {
                running.put(pair.name, threads.submit(() -> {
                    Set<String> expected = EXPECTED.computeIfAbsent(pair.name, _ -> ConcurrentHashMap.newKeySet());
                    if (expected.isEmpty() || again) {
                        expected.add(run(pair, Providers.of(Providers.JDK), millis));
                    }
                    String result = run(pair, ours, millis);
                    return expected.contains(result) ? ""
                            : "\n    JDK:  " + String.join("\n       or ", expected) + "\n    ours: " + result;
                }));
            }
        }
        Map<String, String> different = new LinkedHashMap<>();
        for (Map.Entry<String, Future<String>> each : running.entrySet()) {
            if (!each.getValue().get().isEmpty()) {
                different.put(each.getKey(), each.getValue().get());
            }
        }
        return different;
    }

    private static String run(Pair pair, SelectorProvider provider, long millis) {
        try (Scene scene = new Scene(provider, millis)) {
            pair.state.prepare(scene);
            return Overlaps.run(scene, pair.first, pair.second, millis);
        } catch (Exception e) {
            return "the state is not reached: " + e;
        }
    }
}
