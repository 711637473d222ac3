package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.RejectedException;

/** How connections end, as a program is told; and the asynchronous twins of what waits for connections. */
abstract class EndContract extends ContractTest {
    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Throwable failureOf(CompletionStage<?> stage) {
        return assertThrows(ExecutionException.class, () -> get(stage)).getCause();
    }

    @Test
    void shouldTellOfAnOrderlyEnd() throws Exception {
        Link link = connect();
        link.exchange(1);
        assertTrue(link.client().connection.end().isEmpty(), "it has not ended");
        CompletionStage<ConnectionEnd> watched = link.server().connection.ended();
        assertFalse(watched.toCompletableFuture().isDone());
        ConnectionEnd ours = get(link.client().connection.disconnectAsync());
        assertEquals(ConnectionEnd.orderly(), ours);
        assertEquals(ours, link.client().connection.end().orElseThrow());
        assertEquals(ConnectionEnd.Cause.ORDERLY, get(watched).cause());
        assertTrue(link.server().connection.failure().isEmpty());
        assertEquals(ConnectionEnd.orderly(), get(link.server().connection.ended()), "also if it is asked after the end");
    }

    @Test
    void shouldTellOfARequestThatThePeerRefused() throws Exception {
        assumeSupports(client.device, Capability.PEER_FAILURE);
        assumeSupports(server.device, Capability.PEER_FAILURE);
        Link link = connect();
        MemoryRegion local = client.region(64);
        link.client().queuePair
                .post(new SendRequest().write(1).local(local, 0, 64).remote(new RemoteMemory(0x10000, 0x7BCD_EF01, 64), 0).signaled());
        ConnectionEnd ours = get(link.client().connection.ended());
        ConnectionEnd theirs = get(link.server().connection.ended());
        assertEquals(ConnectionEnd.Cause.REMOTE_ERROR, ours.cause(), ours::toString);
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, theirs.cause(), theirs::toString);
        assertEquals(theirs.terminate(), ours.terminate(), "the Terminate that one side sent is the one that the other received");
        if (ours.terminate().isPresent()) {
            // DDP, tagged buffer, invalid STag (RFC 5041, 7.2).
            assertEquals("1 1 0", ours.layer().getAsInt() + " " + ours.type().getAsInt() + " " + ours.code().getAsInt());
        }
        assertEquals(ours.failure(), link.client().connection.failure());
    }

    @Test
    void shouldNameTheEndOfTheConnectionForAFlushedRequest() {
        Link link = connect();
        link.server().queuePair.close();
        MemoryRegion local = client.region(64);
        assertTrue(link.client().connection.awaitDisconnected(LIMIT));
        link.client().queuePair.post(new ReceiveRequest().receive(9).local(local, 0, 64));
        Completion flushed = link.client().receiveQueue.take(LIMIT);
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
        RequestFailedException thrown = assertThrows(RequestFailedException.class, () -> link.client().connection.orThrow(flushed));
        assertEquals(link.client().connection.failure().orElse(null), thrown.getCause());
        assertTrue(thrown.getMessage().contains("receive 9 "), thrown.getMessage());
        assertTrue(thrown.getMessage().contains(link.client().connection.failure().map(Throwable::getMessage).orElse("in good order")),
                thrown.getMessage());
    }

    /** A program that wrote where it may not learns by the next request what it did wrong. */
    @Test
    void shouldSayThatARightIsMissing() {
        assumeSupports(client.device, Capability.PEER_FAILURE);
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion readable = server.domain.register(server.memory(64), Access.LOCAL_WRITE, Access.REMOTE_READ);
        link.client().write(1, local, 0, 64, readable, 0);
        VerbsException failure = link.client().awaitFailure();
        assertTrue(failure.getMessage().matches("(?s).*\\bkey\\b.*\\bright\\b.*"), failure::getMessage);
        link.client().write(2, local, 0, 64, readable, 0);
        Completions completions = Completions.allocate(2);
        RequestFailedException thrown = assertThrows(RequestFailedException.class, () -> {
            while (link.client().sendQueue.await(completions, LIMIT) > 0) {
                while (completions.next()) {
                    if (completions.isSuccess() || completions.status() == CompletionStatus.FLUSHED) {
                        link.client().connection.orThrow(completions);
                    }
                }
            }
        });
        assertEquals(failure, thrown.getCause());
        assertTrue(thrown.getMessage().contains("request 2 ") && thrown.getMessage().contains(failure.getMessage()), thrown::getMessage);
        assertOfCaller(thrown, EndContract.class);
    }

    /** A server keeps no list of its connections. */
    @Test
    void shouldCloseAConnectionOnceItEnds() throws Exception {
        Link link = connect();
        link.server().receive(5, server.region(8), 0, 8);
        CompletionStage<Void> closed = link.server().connection.ended().thenRun(link.server().connection::close);
        link.client().connection.disconnect();
        get(closed);
        assertEquals(QueuePairState.CLOSED, link.server().queuePair.state());
        link.server().received.flushed(5);
    }

    /** A dependent that blocks stops nothing else. */
    @Test
    void shouldLetDependentsBlock() throws Exception {
        Link ending = connect();
        Link other = connect();
        MemoryRegion local = client.region(8);
        MemoryRegion remote = server.region(8);
        CompletionStage<Long> dependent = ending.client().connection.ended().thenApply(_ -> {
            other.client().write(7, local, 0, 8, remote, 0);
            return other.client().sendQueue.take(LIMIT).orThrow().id();
        });
        ending.client().connection.disconnect();
        assertEquals(7, get(dependent));
    }

    @Test
    void shouldConnectAndAcceptWithoutWaiting() throws Exception {
        CompletionStage<ConnectionRequest> asked = listener().awaitRequestAsync(LIMIT);
        try (Connector connector = client.connections().connector(listener().address(), LIMIT)) {
            connector.createQueuePair(client.domain, QueuePairAttributes.of(client.queue(256)).withInline(0));
            CompletionStage<Connection> connecting = connector.connectAsync(Dialer.reads(client, 4, 4), LIMIT);
            ConnectionRequest request = get(asked);
            request.createQueuePair(server.domain, QueuePairAttributes.of(server.queue(256)).withInline(0));
            CompletionStage<Connection> accepting = request.acceptAsync(Dialer.reads(server, 4, 4), LIMIT);
            assertTrue(get(connecting).isConnected());
            get(accepting).close();
            assertTrue(get(connecting).awaitDisconnected(LIMIT));
        }
    }

    @Test
    void shouldFailWithoutWaiting() throws Exception {
        assertInstanceOf(VerbsTimeoutException.class, failureOf(listener().awaitRequestAsync(MOMENT)));
        CompletionStage<ConnectionRequest> asked = listener().awaitRequestAsync(LIMIT);
        try (Connector connector = client.connections().connector(listener().address(), LIMIT)) {
            connector.createQueuePair(client.domain, QueuePairAttributes.of(client.queue(256)).withInline(0));
            CompletionStage<Connection> connecting = connector.connectAsync(Dialer.reads(client, 4, 4), LIMIT);
            get(asked).reject("no".getBytes());
            assertInstanceOf(RejectedException.class, failureOf(connecting));
        }
        try (Connector connector = client.connections().connector(listener().address(), LIMIT)) {
            assertInstanceOf(IllegalStateException.class,
                    failureOf(connector.connectAsync(ConnectionParameters.defaults().withReads(0, 0), LIMIT)), "without a queue pair");
        }
    }
}
