package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Section 3.2 of draft-bailey-roi-ddpp-core-00: reliable, unordered transports; here the one in memory. {@link DdppSimulationTest} checks the
 * same rules on random traffic.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>MUST not deliver an indication more than once</td><td>{@link #shouldDeliverEachIndicationOnce}</td></tr>
 * <tr><td>MUST not deliver an undecorated message more than once</td><td>{@link #shouldDeliverEachUndecoratedMessageOnce}</td></tr>
 * <tr><td>the transport is reliable, and unordered</td><td>{@link #shouldDrawEachMessageOnceInAnOrderOfTheSeed},
 * {@link #shouldHaveSendersWaitWhenAllCellsAreInUse}</td></tr>
 * </table>
 */
class DdppSection32Test {
    private static final int CELLS = 20;

    private final Datagrams datagrams = new Datagrams();

    private static ShuffledMessages transport(long seed) {
        Random random = new Random(seed);
        return new ShuffledMessages(random::nextInt, CELLS, 64);
    }

    private static void send(ShuffledMessages transport, byte[] message) {
        int cell = transport.claim();
        assertNotEquals(ShuffledMessages.NO_CELL, cell);
        MemorySegment.copy(message, 0, transport.memory(), ValueLayout.JAVA_BYTE, transport.offset(cell), message.length);
        transport.add(cell, message.length);
    }

    private void receiveAll(ShuffledMessages transport) {
        while (transport.waiting() > 0) {
            int cell = transport.draw();
            byte[] message = Datagrams.content(transport.memory().asSlice(transport.offset(cell), transport.length(cell)));
            transport.release(cell);
            assertEquals(Drop.NONE, datagrams.receive(message));
        }
        assertEquals(ShuffledMessages.NO_CELL, transport.draw());
    }

    private List<Integer> exchange(long seed, boolean decorated) {
        datagrams.client.deliveries.clear();
        datagrams.client.register(5, 0, CELLS);
        ShuffledMessages transport = transport(seed);
        for (int i = 0; i < CELLS; i++) {
            datagrams.client.post(1);
            send(transport, decorated ? decorated(true, i, 5, i, (byte) i) : undecorated((byte) i));
        }
        receiveAll(transport);
        return datagrams.client.deliveries.stream().map(each -> Integer.parseInt(each.bytes(), 16)).toList();
    }

    private static List<Integer> sorted(List<Integer> numbers) {
        List<Integer> copy = new ArrayList<>(numbers);
        Collections.sort(copy);
        return copy;
    }

    private static List<Integer> all() {
        return IntStream.range(0, CELLS).boxed().toList();
    }

    @Test
    void shouldDeliverEachIndicationOnce() {
        assertEquals(all(), sorted(exchange(1, true)));
        assertEquals(all(), sorted(datagrams.client.indications()));
    }

    @Test
    void shouldDeliverEachUndecoratedMessageOnce() {
        assertEquals(all(), sorted(exchange(1, false)));
        assertEquals(Collections.nCopies(CELLS, -1), datagrams.client.indications());
    }

    @Test
    void shouldDrawEachMessageOnceInAnOrderOfTheSeed() {
        List<Integer> first = exchange(1, true);
        assertNotEquals(all(), first);
        assertEquals(first, exchange(1, true));
        assertNotEquals(first, exchange(2, true));
    }

    @Test
    void shouldHaveSendersWaitWhenAllCellsAreInUse() {
        ShuffledMessages transport = transport(1);
        for (int i = 0; i < CELLS; i++) {
            send(transport, undecorated((byte) i));
        }
        assertEquals(ShuffledMessages.NO_CELL, transport.claim());
        int cell = transport.draw();
        assertEquals(ShuffledMessages.NO_CELL, transport.claim(), "its message is not received yet");
        transport.release(cell);
        assertEquals(cell, transport.claim());
        assertEquals(CELLS - 1, transport.waiting());
    }
}
