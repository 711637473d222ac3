package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.PeerException;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.RejectedException;

class WaitsTest {
    static Stream<VerbsException> failures() {
        return Stream.of(new PeerException("peer"), new SystemException("system", 5), new ResourceException("resource"),
                new ClosedException("closed"), new RequestFailedException("request", CompletionStatus.FLUSHED),
                new UnsupportedVerbException("unsupported"),
                new RejectedException("rejected", new byte[] { 7 }, OptionalInt.of(1), OptionalInt.of(2)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldLeadToTheCallerAndToTheFailure(VerbsException failure) {
        VerbsException thrown = Waits.failed(failure);
        assertSame(failure.getClass(), thrown.getClass());
        assertSame(failure, thrown.getCause());
        assertEquals(failure.getMessage(), thrown.getMessage());
        assertEquals(Waits.class.getName(), thrown.getStackTrace()[0].getClassName());
        assertEquals("shouldLeadToTheCallerAndToTheFailure", thrown.getStackTrace()[1].getMethodName());
        switch (thrown) {
            case SystemException system -> assertEquals(5, system.errorNumber());
            case RequestFailedException request -> assertEquals(CompletionStatus.FLUSHED, request.status());
            case RejectedException rejected -> {
                assertArrayEquals(new byte[] { 7 }, rejected.privateData());
                assertEquals(OptionalInt.of(1), rejected.remoteInboundReads());
                assertEquals(OptionalInt.of(2), rejected.remoteOutboundReads());
            }
            default -> {
                // The message is all that it has.
            }
        }
    }

    @Test
    void shouldThrowTimeOutsAsTheyAre() {
        VerbsTimeoutException own = new VerbsTimeoutException("late");
        assertSame(own, Waits.failed(own));
    }

    @Test
    void shouldSayInOneSentenceThatNoProgramListens() {
        SystemException refused = Waits.refused(new InetSocketAddress("192.0.2.1", 7), null);
        assertEquals("192.0.2.1:7 refuses connections: is a server running there? (ECONNREFUSED)", refused.getMessage());
        assertEquals(111, refused.errorNumber());
    }

    @Test
    void shouldJoinDespiteAnInterruptAndKeepIt() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread joined = Thread.ofPlatform().start(() -> awaitQuietly(end));
        AtomicBoolean keptInterrupt = new AtomicBoolean();
        Thread caller = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            Waits.join(joined);
            keptInterrupt.set(!joined.isAlive() && Thread.currentThread().isInterrupted());
        });
        // Waiting, the caller has taken the interrupt.
        while (caller.getState() != Thread.State.WAITING || caller.isInterrupted()) {
            Thread.onSpinWait();
        }
        end.countDown();
        caller.join();
        assertTrue(keptInterrupt.get());
    }

    private static void awaitQuietly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldNotWaitForTheThreadItself() {
        Waits.join(Thread.currentThread());
        assertFalse(Thread.currentThread().isInterrupted());
    }
}
