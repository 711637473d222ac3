package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.testing.Proofs;

/** The end of a connection that this side gives up after a disconnect. */
class GivenUpEndTest {
    private static final int REQUEST_SIZE = 24;
    /** More than the buffers of both sockets hold. */
    private static final int LENGTH = 64 << 20;

    /** The fault is not this side's: the peer does not answer any more. Both steps of the end take the 2 s that a peer has. */
    @Test
    @Tag(Proofs.TAG)
    void shouldCallAPeerThatTakesNoDataLost() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (Host host = new Host("epoll"); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            socket.getOutputStream().write(Forge.start(false, true, 16, 16));
            over.await(Host.LIMIT.toSeconds(), TimeUnit.SECONDS);
        })) {
            AsynchronousEvents events = host.device.asynchronousEvents();
            Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            MemoryRegion region = host.region(LENGTH, Access.LOCAL_WRITE);
            end.queuePair.post(new SendRequest().send(1).local(region, 0, LENGTH).signaled());
            end.connection.disconnect();
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
            ConnectionEnd how = end.connection.end().orElseThrow();
            assertEquals(ConnectionEnd.Cause.LOST, how.cause(), how::toString);
            assertTrue(how.failure().orElseThrow().getMessage().contains("the peer took no data"), how::toString);
            assertTrue(how.terminate().isEmpty(), "the peer took none");
            assertEquals(AsynchronousEvent.Type.QUEUE_PAIR_FATAL, events.await(Host.LIMIT).type(), "the peer made no wrong request");
            assertEquals(CompletionStatus.FLUSHED, end.next().status());
        } finally {
            over.countDown();
        }
    }
}
