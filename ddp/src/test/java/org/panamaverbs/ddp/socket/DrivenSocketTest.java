package org.panamaverbs.ddp.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.SystemException;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;

/** A failure of this side ends one socket as a whole, whatever failed. */
class DrivenSocketTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);

    private final SoftDdpContext context = new SoftDdpContext(Configuration.load());
    private final SoftDdpGroup group = (SoftDdpGroup) context.newGroup();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void shouldEndIfReceivingFails() {
        Failing socket = new Failing(new OutOfMemoryError("a test"));
        Indication indication = socket.newIndication();
        assertTrue(socket.receive(indication, LONG));
        assertEquals(Indication.Kind.ERROR, indication.kind());
        assertEquals(SystemException.class, indication.failure().getClass());
        assertTrue(indication.failure().getMessage().contains("a test"), indication.failure()::getMessage);
        assertEquals(LOCAL, indication.source());
        assertThrows(SystemException.class, socket::checkSending);
        assertTrue(socket.isReadyToSend(), "a thread that waits to send must see the end");
        assertThrows(ClosedException.class, () -> socket.receive(indication, LONG));
        assertEquals(1, turns.get());
        socket.close();
        assertEquals(1, releases.get());
    }

    @Test
    void shouldGiveItsMemoryBackIfItsGroupHasClosed() {
        group.close();
        Arena[] memory = new Arena[1];
        assertThrows(ClosedException.class, () -> SoftDdpContext.newSocket(group, arena -> {
            memory[0] = arena;
            return new Failing(null, arena);
        }));
        assertFalse(memory[0].scope().isAlive());
    }

    @Test
    void shouldLeaveTheOtherSocketsOfTheLoopAlone() {
        Failing failing = new Failing(new IllegalStateException("a test"));
        Failing other = new Failing(null);
        assertTrue(failing.receive(failing.newIndication(), LONG));
        assertFalse(other.receive(other.newIndication(), Duration.ofMillis(1)));
        other.checkSending();
    }

    /** Nothing outside reports events: it fails in its first turn, or never. */
    private final class Failing extends DrivenSocket {
        private final Throwable failure;

        Failing(Throwable failure) {
            this(failure, Arena.ofShared());
        }

        Failing(Throwable failure, Arena memory) {
            super(group, DdpTransport.UDP, DdpOptions.DEFAULT, context.nextLoop(), Client.Protocol.DDPP, memory);
            this.failure = failure;
        }

        @Override
        boolean receives() {
            return !isBroken();
        }

        @Override
        void receive() {
            readable(false);
            turns.incrementAndGet();
            switch (failure) {
                case Error error -> throw error;
                case RuntimeException exception -> throw exception;
                case null, default -> {
                    // Nothing comes.
                }
            }
        }

        @Override
        void onEnd() {
            // The test sees the indication.
        }

        @Override
        void onRelease() {
            releases.incrementAndGet();
        }

        @Override
        void onClose() {
            loop().call(this::release);
        }

        @Override
        public String describe() {
            return "the test's socket";
        }

        @Override
        public void send(MemorySegment message, long offset, long length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MessageSizes maximumSizes() {
            return new MessageSizes(1, 1);
        }

        @Override
        public InetSocketAddress localAddress() {
            return LOCAL;
        }

        @Override
        public Optional<InetSocketAddress> remoteAddress() {
            return Optional.empty();
        }

        @Override
        public DdpCounters counters() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void shutdownOutput() {
            // There is no output.
        }
    }
}
