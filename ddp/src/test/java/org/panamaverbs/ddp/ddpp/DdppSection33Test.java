package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.ordered;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Section 3.3 of draft-bailey-roi-ddpp-core-00: unreliable, ordered transports; here ordered UDP, whose datagrams the network may reorder
 * and duplicate. {@link DdppSimulationTest} checks the same rules on random traffic.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>MUST not deliver an indication more than once</td><td>{@link #shouldDeliverADuplicatedIndicationOnce}</td></tr>
 * <tr><td>MUST NOT deliver an indication before a preceding delivery</td>
 * <td>{@link #shouldNotDeliverAnIndicationAfterASubsequentDelivery}</td></tr>
 * <tr><td>MUST not deliver an undecorated message more than once</td>
 * <td>{@link #shouldDeliverADuplicatedUndecoratedMessageOnce}</td></tr>
 * <tr><td>MUST NOT deliver an undecorated message before a preceding delivery</td>
 * <td>{@link #shouldNotDeliverAnUndecoratedMessageAfterASubsequentDelivery}</td></tr>
 * <tr><td>the sequence rule of the mappings</td><td>{@link #shouldNumberEachMessageFrom0AndWrap},
 * {@link #shouldCompareWithHalfAWindow}, {@link #shouldAcceptAllThatFollowsAnIndicationHoweverMuchItIs},
 * {@link #shouldKeepASequenceForEachSource}, {@link #shouldAcceptTheFirstMessageOfASourceWhateverItsNumber},
 * {@link #shouldPlaceReorderedMessagesThatFollowTheLastDelivery}, {@link #shouldNotCountWhatIsNotDelivered}</td></tr>
 * </table>
 */
class DdppSection33Test {
    private static final int STAG = 5;

    private final Datagrams datagrams = new Datagrams();

    DdppSection33Test() {
        datagrams.client.register(STAG, 0, 8);
    }

    private static byte[] indication(int sequence) {
        return ordered(sequence, decorated(true, sequence & 0xFFFF, STAG, 0, (byte) sequence));
    }

    private static byte[] set(int sequence) {
        return ordered(sequence, decorated(false, 0, STAG, 0, (byte) sequence));
    }

    @Test
    void shouldDeliverADuplicatedIndicationOnce() {
        assertEquals(Drop.NONE, datagrams.receive(indication(7)));
        assertEquals(Drop.LATE, datagrams.receive(indication(7)));
        assertEquals(List.of(7), datagrams.client.indications());
    }

    @Test
    void shouldNotDeliverAnIndicationAfterASubsequentDelivery() {
        datagrams.client.post(1);
        assertEquals(Drop.NONE, datagrams.receive(indication(3)));
        assertEquals(Drop.LATE, datagrams.receive(indication(2)));
        assertEquals(Drop.NONE, datagrams.receive(ordered(5, undecorated((byte) 1))));
        assertEquals(Drop.LATE, datagrams.receive(indication(4)));
        assertEquals(List.of(3, -1), datagrams.client.indications());
    }

    @Test
    void shouldDeliverADuplicatedUndecoratedMessageOnce() {
        datagrams.client.post(1);
        datagrams.client.post(1);
        byte[] message = ordered(0, undecorated((byte) 1));
        assertEquals(Drop.NONE, datagrams.receive(message));
        assertEquals(Drop.LATE, datagrams.receive(message));
        assertEquals(1, datagrams.client.posted());
    }

    @Test
    void shouldNotDeliverAnUndecoratedMessageAfterASubsequentDelivery() {
        datagrams.client.post(1);
        datagrams.client.post(1);
        assertEquals(Drop.NONE, datagrams.receive(indication(3)));
        assertEquals(Drop.LATE, datagrams.receive(ordered(2, undecorated((byte) 1))));
        assertEquals(Drop.NONE, datagrams.receive(ordered(5, undecorated((byte) 1))));
        assertEquals(Drop.LATE, datagrams.receive(ordered(4, undecorated((byte) 1))));
        assertEquals(List.of(3, -1), datagrams.client.indications());
    }

    @Test
    void shouldNumberEachMessageFrom0AndWrap() {
        DdppTransmitter transmitter = new DdppTransmitter(1, 1, true);
        for (int i = 0; i < 0x10002; i += 2) {
            transmitter.beginDecorated(1, STAG, 0, true, i, false);
            byte[] decorated = Datagrams.parts(transmitter, (byte) 1).getFirst();
            assertEquals(indication(i).length, decorated.length);
            assertEquals(i & 0xFFFF, (decorated[2] & 0xFF) << 8 | decorated[3] & 0xFF);
            transmitter.beginUndecorated(0);
            byte[] undecorated = Datagrams.parts(transmitter).getFirst();
            assertEquals(i + 1 & 0xFFFF, (undecorated[2] & 0xFF) << 8 | undecorated[3] & 0xFF);
            assertEquals((byte) 0x82, undecorated[1]);
        }
    }

    @Test
    void shouldCompareWithHalfAWindow() {
        for (int last : new int[] { 0, 1, 0x7FFF, 0x8000, 0xFFFF }) {
            for (int distance : new int[] { 1, 2, 0x7FFF, 0, -1, -0x7FFF, -0x8000 }) {
                Datagrams fresh = new Datagrams();
                fresh.client.register(STAG, 0, 8);
                assertEquals(Drop.NONE, fresh.receive(indication(last)));
                assertEquals(distance > 0 ? Drop.NONE : Drop.LATE, fresh.receive(set(last + distance)), last + " and " + distance);
            }
        }
    }

    @Test
    void shouldAcceptAllThatFollowsAnIndicationHoweverMuchItIs() {
        assertEquals(Drop.NONE, datagrams.receive(indication(0)));
        for (int i = 1; i < 200_000; i += 1000) {
            assertEquals(Drop.NONE, datagrams.receive(set(i)), "message " + i);
        }
        assertEquals(Drop.NONE, datagrams.receive(set(199_001 - 5000)), "reordered, and after the indication");
        assertEquals(Drop.NONE, datagrams.receive(indication(200_000)));
        assertEquals(Drop.LATE, datagrams.receive(set(199_999)));
    }

    @Test
    void shouldKeepASequenceForEachSource() {
        assertEquals(Drop.NONE, datagrams.receive(indication(100), 1));
        assertEquals(Drop.NONE, datagrams.receive(indication(50), 2));
        assertEquals(Drop.LATE, datagrams.receive(set(60), 1));
        assertEquals(Drop.NONE, datagrams.receive(set(60), 2));
    }

    @Test
    void shouldAcceptTheFirstMessageOfASourceWhateverItsNumber() {
        for (int source = 0; source < 100; source++) {
            assertEquals(Drop.NONE, datagrams.receive(set(source * 1021), source));
            assertEquals(Drop.NONE, datagrams.receive(set(source * 1021 - 1), source), "nothing of it was delivered yet");
        }
    }

    @Test
    void shouldPlaceReorderedMessagesThatFollowTheLastDelivery() {
        assertEquals(Drop.NONE, datagrams.receive(indication(5)));
        assertEquals(Drop.NONE, datagrams.receive(set(9)));
        assertEquals(Drop.NONE, datagrams.receive(set(6)));
        assertEquals(Drop.NONE, datagrams.receive(set(6)), "a set may be performed again");
        assertEquals(Drop.NONE, datagrams.receive(indication(7)));
        assertEquals(Drop.LATE, datagrams.receive(set(6)));
        assertEquals(Drop.NONE, datagrams.receive(set(8)));
    }

    @Test
    void shouldNotCountWhatIsNotDelivered() {
        assertEquals(Drop.UNKNOWN_STAG, datagrams.receive(ordered(9, decorated(true, 1, STAG + 1, 0, (byte) 1))));
        assertEquals(Drop.WITHOUT_RECEIVE, datagrams.receive(ordered(10, undecorated((byte) 1))));
        datagrams.client.refuses = true;
        assertEquals(Drop.REFUSED_BY_BUFFER, datagrams.receive(indication(11)));
        assertEquals(Drop.NONE, datagrams.receive(indication(1)), "nothing was delivered before");
    }
}
