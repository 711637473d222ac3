package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.ddp.ddpp.Datagrams.count;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 3.4 of draft-bailey-roi-ddpp-core-00: unreliable, unordered transports; here UDP. {@link DdppSimulationTest} checks section 3 on
 * random traffic.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>no additional rules apply</td><td>{@link #shouldDeliverWhatComesInAnyOrderAndSeveralTimes}</td></tr>
 * <tr><td>unregistering a buffer limits the time until a set</td><td>{@link #shouldPlaceNothingAfterDeregistration}</td></tr>
 * <tr><td>sets may be performed on a new buffer with the same STag</td><td>{@link #shouldPlaceIntoANewBufferWithTheSameStag}: so the client
 * chooses STags itself, and does not use one again for some time; {@code client.Buffers} keeps that quarantine.</td></tr>
 * </table>
 */
class DdppSection34Test {
    private static final int STAG = 5;

    private final Datagrams datagrams = new Datagrams();

    @Test
    void shouldDeliverWhatComesInAnyOrderAndSeveralTimes() {
        datagrams.client.register(STAG, 0, 8);
        datagrams.client.post(8);
        byte[] first = decorated(true, 1, STAG, 0, count(8));
        byte[] second = decorated(true, 2, STAG, 0, count(8));
        datagrams.receiveAll(List.of(second, first, undecorated(), second, first));
        assertEquals(List.of(2, 1, -1, 2, 1), datagrams.client.indications());
    }

    @Test
    void shouldPlaceNothingAfterDeregistration() {
        MemorySegment buffer = datagrams.client.register(STAG, 0, 8);
        datagrams.client.deregister(STAG);
        assertEquals(Drop.UNKNOWN_STAG, datagrams.receive(decorated(true, 1, STAG, 0, count(8))));
        assertArrayEquals(new byte[8], Datagrams.content(buffer));
    }

    @Test
    void shouldPlaceIntoANewBufferWithTheSameStag() {
        MemorySegment old = datagrams.client.register(STAG, 0, 8);
        byte[] delayed = decorated(true, 1, STAG, 0, count(8));
        datagrams.client.deregister(STAG);
        MemorySegment next = datagrams.client.register(STAG, 0, 8);
        datagrams.receiveAll(List.of(delayed));
        assertArrayEquals(new byte[8], Datagrams.content(old));
        assertArrayEquals(count(8), Datagrams.content(next), "the draft warns of this; a quarantine of STags prevents it");
    }
}
