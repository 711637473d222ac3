package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.Verbs;

/** Disconnecting, and ends in good order. */
abstract class DisconnectContract extends ConnectionContract {
    @Test
    void shouldStayConnectedWhileNobodyDisconnects() {
        Link link = connect();
        assertFalse(link.client().connection.awaitDisconnected(MOMENT));
        assertFalse(link.server().connection.awaitDisconnected(Duration.ZERO));
        assertTrue(link.client().connection.failure().isEmpty());
    }

    @Test
    void shouldEndInGoodOrderWhenTheClientDisconnects() {
        Link link = connect();
        link.exchange(1);
        disconnects(link.client(), link.server());
    }

    @Test
    void shouldEndInGoodOrderWhenTheServerDisconnects() {
        Link link = connect();
        link.exchange(1);
        disconnects(link.server(), link.client());
    }

    @Test
    void shouldEndInGoodOrderWhereNothingWasEverSent() {
        Link link = connect();
        disconnects(link.server(), link.client());
    }

    private static void disconnects(Endpoint first, Endpoint other) {
        MemoryRegion firstRegion = first.side.region(64);
        MemoryRegion otherRegion = other.side.region(64);
        for (int i = 0; i < 3; i++) {
            first.receive(10 + i, firstRegion, 0, 64);
            other.receive(20 + i, otherRegion, 0, 64);
        }
        Background<Boolean> waiting = Background.start(() -> other.connection.awaitDisconnected(Verbs.FOREVER)).settled();
        first.connection.disconnect();
        first.connection.disconnect();
        assertTrue(waiting.get());
        first.awaitOrderlyEnd();
        other.awaitOrderlyEnd();
        first.received.flushed(10, 11, 12);
        other.received.flushed(20, 21, 22);
        assertEquals(QueuePairState.ERROR, first.queuePair.state());
        assertEquals(QueuePairState.ERROR, other.queuePair.state());
        other.connection.disconnect();
    }

    @Test
    void shouldEndInGoodOrderWhenBothDisconnectAtOnce() {
        Link link = connect();
        link.exchange(1);
        Background<Void> other = Background.start(() -> {
            link.server().connection.disconnect();
            return null;
        });
        link.client().connection.disconnect();
        other.get();
        link.client().awaitOrderlyEnd();
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldEndInGoodOrderForThePeerWhenTheConnectionIsClosed() {
        Link link = connect();
        link.exchange(1);
        link.client().connection.close();
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldDeliverWhatWasSentBeforeTheDisconnect() {
        int length = 1 << 20;
        Link link = connect();
        MemoryRegion from = client.region(length);
        MemoryRegion to = server.region(length);
        Pattern.fill(from.segment(), 0, length, 9);
        link.server().receive(1, to, 0, length);
        link.client().send(2, from, 0, length);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.client().connection.disconnect();
        link.server().received.next().received(1, length);
        Pattern.verify(to.segment(), 0, length, 9);
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldFlushWhatIsPostedAfterTheDisconnect() {
        Link link = connect();
        link.client().connection.disconnect();
        link.client().awaitOrderlyEnd();
        MemoryRegion region = client.region(64);
        // Unsignalled too: a request that fails completes visibly.
        link.client().send(1, region, 0, 64, 0);
        link.client().send(2, region, 0, 64);
        link.client().sent.flushed(1, 2);
        link.client().receive(3, region, 0, 64);
        link.client().received.flushed(3);
    }

    @Test
    void shouldFailWithAVerbsExceptionThatTellsTheState() {
        Link link = connect();
        link.client().connection.close();
        ClosedException closed = assertThrows(ClosedException.class, () -> link.client().send(1, client.region(8), 0, 8));
        assertFalse(closed.getMessage() == null || closed.getMessage().isBlank(), "the exception says nothing");
    }
}
