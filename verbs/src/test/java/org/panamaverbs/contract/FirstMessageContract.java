package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.Connector;

/** A peer sends at once, and a thread takes its message that has not connected: it finds the connection, and answers. */
abstract class FirstMessageContract extends ConnectionContract {
    private static final int LENGTH = 64;
    private static final int ROUNDS = 30;
    private static final byte[] GREETING = { 1, 2, 3, 4 };

    @Test
    void shouldFindTheConnectionOfAQueuePair() {
        Connector connector = connector();
        QueuePair pair = connector.createQueuePair(client.domain, attributes(client));
        assertEquals(Optional.empty(), Connection.of(pair));
        Background<Endpoint> accepting = Background.start(dialer()::accept);
        Connection connection = connector.connect(parameters(client), LIMIT);
        assertSame(connection, Connection.of(pair).orElseThrow());
        Endpoint accepted = accepting.get();
        assertSame(accepted.connection, Connection.of(accepted.queuePair).orElseThrow());
        pair.close();
        assertSame(connection, Connection.of(pair).orElseThrow());
    }

    @Test
    void shouldFindNoConnectionThatWasNeverMade() {
        Connector connector = connector();
        QueuePair pair = connector.createQueuePair(client.domain, attributes(client));
        connector.close();
        assertEquals(Optional.empty(), Connection.of(pair));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFindTheConnectionByTheFirstMessage(boolean activeTakes) {
        for (int i = 0; i < rounds(ROUNDS); i++) {
            exchange(activeTakes, null);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFindTheConnectionByTheFirstMessageFromASharedQueue(boolean activeTakes) {
        Side taker = activeTakes ? client : server;
        assumeSupports(taker.device, Capability.SHARED_RECEIVE_QUEUE);
        SharedReceiveQueue receives = taker.domain.createSharedReceiveQueue(4, 1);
        for (int i = 0; i < rounds(ROUNDS); i++) {
            exchange(activeTakes, receives);
        }
    }

    private void exchange(boolean activeTakes, SharedReceiveQueue receives) {
        Side taker = activeTakes ? client : server;
        MemoryRegion sent = (activeTakes ? server : client).region(2 * LENGTH);
        MemoryRegion room = taker.region(LENGTH);
        CompletionQueue queue = taker.queue(256);
        AtomicReference<QueuePair> pair = new AtomicReference<>();
        UnaryOperator<QueuePairAttributes> ofTaker = attributes -> attributes.withAttachment(pair).withSharedReceiveQueue(receives);
        BiConsumer<Side, QueuePair> receive = (side, created) -> {
            if (side == taker) {
                pair.set(created);
                (receives == null ? created : receives).post(new ReceiveRequest().receive(8).local(room, 0, LENGTH));
            } else {
                created.post(new ReceiveRequest().receive(7).local(sent, LENGTH, LENGTH));
            }
        };
        Dialer dialer = dialer().prepareClient(receive).prepareServer(receive)
                .clientParameters(parameters(client).withPrivateData(GREETING))
                .serverParameters(parameters(server).withPrivateData(GREETING));
        if (activeTakes) {
            dialer.clientQueues(queue, queue).clientAttributes(ofTaker);
        } else {
            dialer.serverQueues(queue, queue).serverAttributes(ofTaker);
        }
        Background<Connection> taking = Background.start(() -> answer(queue, room));
        // The sender does not wait until the other side has returned.
        Background<Endpoint> accepting = Background.start(() -> activeTakes ? send(dialer.accept(), sent) : dialer.accept());
        Endpoint active = activeTakes ? dialer.dial() : send(dialer.dial(), sent);
        Endpoint passive = accepting.get();
        assertSame((activeTakes ? active : passive).connection, taking.get());
        (activeTakes ? passive : active).received.next().received(7, LENGTH);
        active.connection.close();
        passive.connection.close();
    }

    private static Endpoint send(Endpoint end, MemoryRegion from) {
        end.send(1, from, 0, LENGTH);
        return end;
    }

    /** By a thread that has nothing but the completion queue. */
    private Connection answer(CompletionQueue queue, MemoryRegion room) {
        Completions cursor = Completions.allocate(4);
        long begin = System.nanoTime();
        while ((pair().spins() ? queue.poll(cursor) : queue.await(cursor, MOMENT)) == 0) {
            assertTrue(System.nanoTime() - begin < LIMIT.toNanos(), "no message came");
        }
        assertTrue(cursor.next() && cursor.isReceive() && cursor.isSuccess());
        QueuePair pair = (QueuePair) ((AtomicReference<?>) cursor.attachment()).get();
        Connection connection = Connection.of(pair).orElseThrow();
        assertPrivateData(GREETING, connection.privateData());
        assertTrue(connection.remoteAddress().getPort() != 0);
        pair.post(new SendRequest().send(2).local(room, 0, LENGTH).signaled());
        return connection;
    }
}
