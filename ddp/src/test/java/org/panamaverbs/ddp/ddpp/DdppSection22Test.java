package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Section 2.2 of draft-bailey-roi-ddpp-core-00: the decoration.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>N: notify the client of the reception</td><td>{@link #shouldIndicateAMessageWithN}</td></tr>
 * <tr><td>the identifier is passed to the client, and opaque to DDPP; at least 15, and SHOULD be 31 bits</td>
 * <td>{@link #shouldPassAnyIdentifierOf31Bits}</td></tr>
 * <tr><td>the identifier is ignored without N</td><td>{@link #shouldIgnoreTheIdentifierWithoutN}</td></tr>
 * <tr><td>the STag MUST be 32 bits</td><td>{@link #shouldFindABufferByAllBitsOfTheStag}</td></tr>
 * <tr><td>the offset MUST be 64 bits</td><td>{@link #shouldPlaceAtAnyOffsetOf64Bits}</td></tr>
 * <tr><td>all four in every message</td><td>{@link #shouldDropAMessageThatIsShorterThanItsDecoration}</td></tr>
 * </table>
 */
class DdppSection22Test {
    private final Datagrams datagrams = new Datagrams();

    @Test
    void shouldIndicateAMessageWithN() {
        datagrams.client.register(5, 0, 10);
        datagrams.receiveAll(List.of(decorated(false, 1, 5, 0, (byte) 1), decorated(true, 2, 5, 1, (byte) 1), decorated(true, 3, 5, 10)));
        assertEquals(List.of(2, 3), datagrams.client.indications());
    }

    @Test
    void shouldPassAnyIdentifierOf31Bits() {
        datagrams.client.register(5, 0, 10);
        for (int identifier : new int[] { 0, 1, 0x7FFF, 0x8000, 0x12345678, Ddpp.MOST_IDENTIFIER }) {
            datagrams.client.deliveries.clear();
            assertEquals(Drop.NONE, datagrams.receive(decorated(true, identifier, 5, 0, (byte) 1)));
            assertEquals(List.of(identifier), datagrams.client.indications());
        }
    }

    @Test
    void shouldIgnoreTheIdentifierWithoutN() {
        datagrams.client.register(5, 0, 10);
        datagrams.receiveAll(List.of(decorated(false, Ddpp.MOST_IDENTIFIER, 5, 0, (byte) 1)));
        assertEquals(List.of(), datagrams.client.indications());
        assertEquals(0, datagrams.client.deliveries.getFirst().identifier(), "nothing above can depend on it");
    }

    @Test
    void shouldFindABufferByAllBitsOfTheStag() {
        datagrams.client.register(0x80000001, 0, 10);
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            assertEquals(Drop.UNKNOWN_STAG, datagrams.receive(decorated(true, 1, 0x80000001 ^ 1 << bit, 0, (byte) 1)));
        }
        assertEquals(Drop.NONE, datagrams.receive(decorated(true, 1, 0x80000001, 0, (byte) 1)));
        assertEquals(Map.of(Drop.UNKNOWN_STAG, 32), datagrams.tally.drops);
    }

    @Test
    void shouldPlaceAtAnyOffsetOf64Bits() {
        for (long base : new long[] { 0, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, -8 }) {
            datagrams.client.register(5, base, 8);
            assertEquals(Drop.NONE, datagrams.receive(decorated(false, 0, 5, base + 7, (byte) 9)));
            assertEquals(base + 7, datagrams.client.deliveries.getLast().offset());
            assertEquals("09", datagrams.client.deliveries.getLast().bytes());
        }
    }

    @Test
    void shouldDropAMessageThatIsShorterThanItsDecoration() {
        datagrams.client.register(0, 0, 8);
        byte[] whole = decorated(true, 1, 0, 0);
        for (int length = 0; length < Ddpp.DECORATED_SIZE; length++) {
            assertEquals(Drop.MALFORMED, datagrams.receive(Arrays.copyOf(whole, length)));
        }
        assertTrue(datagrams.client.deliveries.isEmpty());
        assertEquals(Drop.NONE, datagrams.receive(whole));
    }
}
