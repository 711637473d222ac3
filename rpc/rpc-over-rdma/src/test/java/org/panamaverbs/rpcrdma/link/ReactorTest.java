package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Device;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.gate.Seat;

/** Two links of one reactor: whatever is thrown for one ends that one, and the other goes on. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReactorTest {
    private static final long SECONDS = 20;
    private static final int PLACES = 8;
    private static final LinkOptions OPTIONS = new LinkOptions(4096, 4096, 4, 4, false,
            new EndpointOptions(true, 1, 1, 4, 0, 1 << 20, 16, 4, 4, 4096));
    private final MemorySegment memory = Arena.ofAuto().allocate(100, 8);
    private final Device device = Fakes.of(Device.class, this::ofDevice);
    /** What happened, in its order. */
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private FakeCompletionQueue queue;
    private Reactor reactor;
    private VerbsLink broken;
    private VerbsLink sound;
    private volatile Throwable thrown;

    private Object ofDevice(String method, Object[] arguments) {
        return switch (method) {
            case "attributes" -> (DeviceAttributes) () -> Transport.OTHER;
            case "createCompletionQueue" -> {
                queue = new FakeCompletionQueue(device());
                yield queue;
            }
            case "supports" -> false;
            case "allocateProtectionDomain" -> new FakeDomain(device());
            default -> throw new AssertionError(method);
        };
    }

    private Device device() {
        return device;
    }

    private VerbsLink link(String name) {
        assertTrue(reactor.enter());
        VerbsLink link = new VerbsLink(reactor, OPTIONS, new KeptRegistrations(), (xid, message) -> {
            throw new AssertionError("a call");
        }, Seat.alone(1 << 20));
        link.begin(Fakes.queuePair((method, arguments) -> switch (method) {
            case "post" -> null;
            case "tryPost" -> {
                if (link == broken && thrown != null) {
                    throw sneaky(thrown);
                }
                events.add(name + " posts a receive");
                yield true;
            }
            case "close" -> {
                events.add(name + " closes its queue pair");
                yield null;
            }
            default -> throw new AssertionError(method);
        }));
        return link;
    }

    @BeforeEach
    void open() throws Exception {
        reactor = new Reactor(device, OPTIONS.completions(), "reactor of a test");
        broken = link("broken");
        sound = link("sound");
        for (VerbsLink link : List.of(broken, sound)) {
            run(link, () -> events.add("open"));
            expect("open");
        }
        events.clear();
    }

    @AfterEach
    void close() {
        broken.close();
        sound.close();
        reactor.close();
    }

    /** Has the reactor run something for a link. */
    private void run(VerbsLink link, Runnable task) {
        List<Link.Exposure> exposed = List.of(link.expose(memory, true));
        link.revoke(exposed, false, 0, success -> task.run());
    }

    private void expect(String event) throws InterruptedException {
        String next;
        do {
            next = events.poll(SECONDS, TimeUnit.SECONDS);
        } while (next != null && next.endsWith("posts a receive") && !next.equals(event));
        assertEquals(event, next);
    }

    private static Throwable failure(boolean isError) {
        return isError ? new OutOfMemoryError("of a test") : new ArithmeticException("of a test");
    }

    private void expectSound() throws InterruptedException {
        events.clear();
        queue.receive(sound.served());
        expect("sound posts a receive");
        run(sound, () -> events.add("a task of the sound link"));
        expect("a task of the sound link");
        assertTrue(sound.endpoint().isOpen());
    }

    @Test
    void shouldFindTheConnectionByTheFirstMessage() throws Exception {
        assertNull(sound.connection());
        assertNull(sound.remoteAddress());
        queue.receive(sound.served());
        expect("sound posts a receive");
        assertNotNull(sound.connection());
        assertEquals(Fakes.PEER, sound.remoteAddress());
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldEndTheLinkAloneWhoseCompletionThrows(boolean isError) throws Exception {
        thrown = failure(isError);
        queue.receive(broken.served());
        expect("broken closes its queue pair");
        expectSound();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldEndTheLinkAloneWhoseTaskThrowsAndRunItsOtherTasks(boolean isError) throws Exception {
        run(broken, () -> {
            run(broken, () -> events.add("the next task"));
            throw sneaky(failure(isError));
        });
        expect("broken closes its queue pair");
        expect("the next task");
        expectSound();
    }

    private static RuntimeException sneaky(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }

    @Test
    void shouldHaveAPlaceAgainWhenALinkHasEnded() throws Exception {
        for (int links = 2; links < PLACES; links++) {
            assertTrue(reactor.enter());
        }
        assertFalse(reactor.enter());
        broken.close();
        expect("broken closes its queue pair");
        long begin = System.nanoTime();
        while (!reactor.enter()) {
            assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(SECONDS), "its place is lost");
            LockSupport.parkNanos(1_000_000);
        }
        assertFalse(reactor.enter());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 5 })
    void shouldGoOnAfterErrorsOfItsOwn(int errors) throws Exception {
        for (int i = 0; i < errors; i++) {
            queue.fail(new OutOfMemoryError("while waiting"));
            queue.receive(sound.served());
            expect("sound posts a receive");
        }
        expectSound();
        assertTrue(broken.endpoint().isOpen());
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldStillRunTasksWhenItsQueueTakesNoMore(boolean afterEnd) throws Exception {
        queue.fail(new IllegalStateException("the device is gone"));
        if (afterEnd) {
            run(broken, () -> events.add("a task of the broken link"));
            expect("a task of the broken link");
        }
        sound.close();
        expect("sound closes its queue pair");
    }
}
