package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 2.1 of draft-bailey-roi-ddpp-core-00: splitting decorated messages.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>equivalent content</td><td>{@link #shouldSplitIntoPartsOfEquivalentContent}</td></tr>
 * <tr><td>MAY be sent in any order</td><td>{@link #shouldPlaceTheTwoMessagesOfTheExampleInAnyOrder}</td></tr>
 * <tr><td>MUST request an indication in the last message, with the client's identifier, if the client requested one</td>
 * <td>{@link #shouldRequestTheIndicationInTheLastPart}</td></tr>
 * <tr><td>MUST NOT request an indication in any other message</td><td>{@link #shouldNotRequestAnIndicationInAnyOtherPart},
 * {@link #shouldNotRequestAnIndicationThatTheClientDidNotRequest}</td></tr>
 * <tr><td>MUST provide a way to send atomically, or not at all</td><td>{@link #shouldRefuseAnAtomicMessageThatDoesNotFit},
 * {@link #shouldSendAnAtomicMessageThatFitsWhole}</td></tr>
 * </table>
 */
class DdppSection21Test {
    private static final int PAYLOAD = 100;
    private static final int STAG = 0x600D;

    private final DdppTransmitter transmitter = new DdppTransmitter(PAYLOAD, PAYLOAD, false);
    private final Datagrams datagrams = new Datagrams();

    private List<byte[]> split(int length, boolean notifying) {
        assertTrue(transmitter.beginDecorated(length, STAG, 50, notifying, 77, false));
        return Datagrams.parts(transmitter, Datagrams.count(length));
    }

    @Test
    void shouldSplitIntoPartsOfEquivalentContent() {
        for (int length : new int[] { 1, 99, 100, 101, 200, 201, 1000 }) {
            Datagrams receiver = new Datagrams();
            MemorySegment buffer = receiver.client.register(STAG, 50, length);
            List<byte[]> parts = split(length, false);
            assertEquals((length + PAYLOAD - 1) / PAYLOAD, parts.size(), "no part is empty");
            receiver.receiveAll(parts);
            assertArrayEquals(Datagrams.count(length), Datagrams.content(buffer));
        }
    }

    @Test
    void shouldPlaceTheTwoMessagesOfTheExampleInAnyOrder() {
        MemorySegment buffer = datagrams.client.register(STAG, 50, 1000);
        DdppTransmitter half = new DdppTransmitter(500, 0, false);
        assertTrue(half.beginDecorated(1000, STAG, 50, false, 0, false));
        List<byte[]> parts = Datagrams.parts(half, Datagrams.count(1000));
        Collections.reverse(parts);
        assertEquals(550, Datagrams.offset(parts.getFirst()));
        datagrams.receiveAll(parts);
        assertArrayEquals(Datagrams.count(1000), Datagrams.content(buffer));
    }

    @Test
    void shouldRequestTheIndicationInTheLastPart() {
        for (int length : new int[] { 0, 1, 100, 101, 1000 }) {
            byte[] last = split(length, true).getLast();
            assertTrue(Datagrams.isNotifying(last));
            assertEquals(77, Datagrams.identifier(last));
        }
    }

    @Test
    void shouldNotRequestAnIndicationInAnyOtherPart() {
        List<byte[]> parts = split(1000, true);
        assertEquals(10, parts.size());
        parts.removeLast();
        parts.forEach(each -> assertFalse(Datagrams.isNotifying(each)));
    }

    @Test
    void shouldNotRequestAnIndicationThatTheClientDidNotRequest() {
        split(1000, false).forEach(each -> assertFalse(Datagrams.isNotifying(each)));
        assertThrows(IllegalArgumentException.class, () -> split(0, false), "neither places nor indicates anything");
    }

    @Test
    void shouldRefuseAnAtomicMessageThatDoesNotFit() {
        assertFalse(transmitter.beginDecorated(PAYLOAD + 1, STAG, 0, true, 1, true));
        assertFalse(transmitter.isUnderWay(), "nothing of it may be sent");
        assertFalse(transmitter.beginUndecorated(PAYLOAD + 1), "an undecorated message is never split");
        assertFalse(transmitter.isUnderWay(), "nothing of it may be sent");
    }

    @Test
    void shouldSendAnAtomicMessageThatFitsWhole() {
        assertTrue(transmitter.beginDecorated(PAYLOAD, STAG, 0, true, 1, true));
        assertEquals(Ddpp.DECORATED_SIZE + PAYLOAD, Datagrams.parts(transmitter, Datagrams.count(PAYLOAD)).getFirst().length);
        assertFalse(transmitter.isUnderWay());
        transmitter.limit(PAYLOAD + 1, 0);
        assertTrue(transmitter.beginDecorated(PAYLOAD + 1, STAG, 0, true, 1, true), "the limit of another destination");
    }
}
