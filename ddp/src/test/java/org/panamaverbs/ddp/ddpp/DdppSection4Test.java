package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 4 of draft-bailey-roi-ddpp-core-00: multisource and multidestination transports.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>no special considerations apply to multisource transports</td><td>{@link #shouldPlaceFromSeveralSourcesIntoOneBuffer}</td></tr>
 * <tr><td>different receivers assign the same buffer address; anycast MUST</td>
 * <td>{@link #shouldPlaceTheSameMessagesAtEachReceiverWithTheSameAddress}</td></tr>
 * <tr><td>senders send several messages with the same contents and different addresses</td>
 * <td>{@link #shouldPlaceMessagesWithTheSameContentsAtReceiversWithDifferentAddresses}</td></tr>
 * </table>
 */
class DdppSection4Test {
    private static final byte[] CONTENT = Datagrams.count(1000);

    private final DdppTransmitter transmitter = new DdppTransmitter(300, 0, false);

    private List<byte[]> messages(int stag, long offset) {
        assertTrue(transmitter.beginDecorated(CONTENT.length, stag, offset, true, 9, false));
        return Datagrams.parts(transmitter, CONTENT);
    }

    @Test
    void shouldPlaceFromSeveralSourcesIntoOneBuffer() {
        Datagrams receiver = new Datagrams();
        MemorySegment buffer = receiver.client.register(1, 0, CONTENT.length);
        int source = 0;
        for (byte[] message : messages(1, 0)) {
            assertEquals(Drop.NONE, receiver.receive(message, source++));
        }
        assertArrayEquals(CONTENT, Datagrams.content(buffer));
        assertEquals(List.of(9), receiver.client.indications());
    }

    @Test
    void shouldPlaceTheSameMessagesAtEachReceiverWithTheSameAddress() {
        List<byte[]> messages = messages(0xCA57, 1L << 40);
        for (int i = 0; i < 2; i++) {
            Datagrams receiver = new Datagrams();
            MemorySegment buffer = receiver.client.register(0xCA57, 1L << 40, CONTENT.length);
            receiver.receiveAll(messages);
            assertArrayEquals(CONTENT, Datagrams.content(buffer));
            assertEquals(List.of(9), receiver.client.indications());
        }
    }

    @Test
    void shouldPlaceMessagesWithTheSameContentsAtReceiversWithDifferentAddresses() {
        List<byte[]> messages = new ArrayList<>(messages(1, 0));
        messages.addAll(messages(2, 5000));
        for (int i = 0; i < 2; i++) {
            Datagrams receiver = new Datagrams();
            MemorySegment buffer = receiver.client.register(1 + i, i * 5000, CONTENT.length);
            messages.forEach(receiver::receive);
            assertArrayEquals(CONTENT, Datagrams.content(buffer));
            assertEquals(List.of(9), receiver.client.indications());
            assertEquals(4, receiver.tally.drops.get(Drop.UNKNOWN_STAG), "the messages for the other receiver");
        }
    }
}
