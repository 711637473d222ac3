package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;

class ServiceTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LITTLE = Duration.ofNanos(1);

    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final Resources resources = new Resources(verbs.device(), 4096);
    private final StringWriter said = new StringWriter();
    private final BlockingQueue<Served> served = new LinkedBlockingQueue<>();
    private Service service;

    /** A client as the service sees it. */
    private record Served(Place place, Thread thread) {
    }

    private void start(int most, Duration silence) {
        service = new Service(ConnectionManager.of(verbs), new InetSocketAddress("127.0.0.1", 0), new Service.Limits(most, silence),
                new PrintWriter(said), "");
        Thread.ofPlatform().daemon().start(() -> service.serve(this::serve));
    }

    private void serve(ConnectionRequest request, Place place) {
        request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
        try (Connection connection = request.accept(ConnectionParameters.defaults(), SilentClient.PATIENCE)) {
            served.add(new Served(place, Thread.currentThread()));
            while (place.isHeld() && connection.isConnected()) {
                connection.awaitDisconnected(Duration.ofMillis(10));
            }
        }
    }

    private SilentClient connect() {
        return new SilentClient(verbs.device(), service.address());
    }

    private Served next() throws InterruptedException {
        return served.poll(SilentClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        service.close();
        verbs.close();
        resources.close();
    }

    @Test
    void shouldShowControlsOfALineAsNumbers() {
        start(1, LITTLE);
        service.say("10.0.0.1:7: PUT \u009B2J\nrefused");
        assertEquals("10.0.0.1:7: PUT \\u{9b}2J\\u{a}refused", said.toString().lines().skip(1).findFirst().orElse(""));
    }

    @Test
    void shouldServeOthersAfterAnErrorOfAClient() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        service = new Service(ConnectionManager.of(verbs), new InetSocketAddress("127.0.0.1", 0), new Service.Limits(1, LITTLE),
                new PrintWriter(said), "");
        Thread.ofPlatform().daemon().start(() -> service.serve((request, place) -> {
            if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("as a test wants");
            }
            serve(request, place);
        }));
        assertThrows(VerbsException.class, this::connect);
        try (SilentClient client = connectOncePlaceIsFree()) {
            assertTrue(client.isConnected());
        }
        assertTrue(said.toString().contains(": java.lang.OutOfMemoryError: as a test wants"), said::toString);
    }

    /** The program closes its device while a client is served. */
    @Test
    void shouldSayNothingOfAClientWhenTheProgramEnds() throws Exception {
        service = new Service(ConnectionManager.of(verbs), new InetSocketAddress("127.0.0.1", 0), new Service.Limits(1, LITTLE),
                new PrintWriter(said), "");
        Thread.ofPlatform().daemon().start(() -> service.serve((request, place) -> {
            request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
            try (Connection connection = request.accept(ConnectionParameters.defaults(), SilentClient.PATIENCE)) {
                served.add(new Served(place, Thread.currentThread()));
                connection.orThrow(resources.queue().take(LIMIT));
            }
        }));
        try (SilentClient client = connect()) {
            assertTrue(client.isConnected());
            Place place = next().place();
            verbs.close();
            for (long begin = System.nanoTime(); place.isHeld() && System.nanoTime() - begin < LIMIT.toNanos();) {
                Thread.onSpinWait();
            }
        }
        assertEquals(1, said.toString().lines().count(), said::toString);
    }

    /** A client may hear of its end a moment before its place is given back. */
    private SilentClient connectOncePlaceIsFree() throws Exception {
        long begin = System.nanoTime();
        while (true) {
            try {
                return connect();
            } catch (RejectedException e) {
                if (System.nanoTime() - begin > LIMIT.toNanos()) {
                    throw e;
                }
            }
        }
    }

    @Test
    void shouldGiveThePlaceOfTheLongestSilentToANewClient() throws Exception {
        start(4, LITTLE);
        try (SilentClient shorter = connect()) {
            Place its = next().place();
            try (SilentClient longer = connect()) {
                next().place().waiting();
                its.waiting();
                try (SilentClient fresh = connect()) {
                    assertAll(() -> assertTrue(longer.awaitEnd(), "the longest silent"),
                            () -> assertTrue(shorter.isConnected(), "the other"), () -> assertTrue(fresh.isConnected(), "the new one"));
                }
            }
        }
    }

    /** A machine that has its share keeps no other out, and takes nobody's place but its own. */
    @Test
    void shouldServeAnotherMachineWhenOneHasItsShare() throws Exception {
        start(4, LITTLE);
        Route other = Route.to(service.address()).from(new InetSocketAddress("127.0.0.2", 0));
        try (SilentClient first = connect(); SilentClient second = connect()) {
            Place firsts = next().place();
            Place seconds = next().place();
            assertThrows(RejectedException.class, this::connect);
            try (SilentClient others = new SilentClient(verbs.device(), other)) {
                next().place().waiting();
                assertThrows(RejectedException.class, this::connect);
                assertTrue(first.isConnected() && second.isConnected() && others.isConnected());
                assertTrue(firsts.isHeld() && seconds.isHeld());
            }
        }
    }

    @Test
    void shouldKeepAClientThatIsNotSilent() throws Exception {
        start(1, LITTLE);
        try (SilentClient client = connect()) {
            Place its = next().place();
            its.waiting();
            its.heard();
            assertThrows(RejectedException.class, this::connect);
            assertTrue(client.isConnected());
        }
    }

    @Test
    void shouldKeepAClientThatIsSilentForAShortTime() throws Exception {
        start(1, Duration.ofHours(1));
        try (SilentClient client = connect()) {
            next().place().waiting();
            assertThrows(RejectedException.class, this::connect);
            assertTrue(client.isConnected());
        }
    }

    @Test
    void shouldUseAPlaceThatWasLostOnlyOnce() throws Exception {
        start(1, LITTLE);
        try (SilentClient silent = connect()) {
            Served its = next();
            its.place().waiting();
            try (SilentClient fresh = connect()) {
                awaitEnd(its.thread());
                assertTrue(silent.awaitEnd(), "its connection ended");
                assertThrows(RejectedException.class, this::connect);
                assertTrue(fresh.isConnected());
            }
        }
    }

    @Test
    void shouldHaveThePlaceOfAClientThatLeft() throws Exception {
        start(1, Duration.ofHours(1));
        Thread its;
        try (SilentClient _ = connect()) {
            its = next().thread();
        }
        awaitEnd(its);
        connect().close();
    }

    /** Until a thread serves its client no longer. */
    private static void awaitEnd(Thread thread) throws InterruptedException {
        long end = System.nanoTime() + SilentClient.PATIENCE.toNanos();
        while (thread.getName().startsWith("serve-")) {
            assertTrue(System.nanoTime() < end, "its thread ended");
            Thread.sleep(1);
        }
    }
}
