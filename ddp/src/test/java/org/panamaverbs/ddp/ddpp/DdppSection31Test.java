package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.ddp.ddpp.Datagrams.count;
import static org.panamaverbs.ddp.ddpp.Datagrams.decorated;
import static org.panamaverbs.ddp.ddpp.Datagrams.undecorated;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Section 3.1 of draft-bailey-roi-ddpp-core-00: reliable, ordered transports. {@link DdppSimulationTest} checks the same rules on random
 * traffic.
 *
 * <table>
 * <caption>Rules and their tests</caption>
 * <tr><td>MUST not deliver an indication more than once</td><td>{@link #shouldDeliverEachIndicationOnce}</td></tr>
 * <tr><td>MUST NOT deliver an indication before all preceding deliveries</td><td>{@link #shouldDeliverInTheOrderOfSending}</td></tr>
 * <tr><td>MUST not deliver an undecorated message more than once</td><td>{@link #shouldDeliverEachUndecoratedMessageOnce}</td></tr>
 * <tr><td>MUST NOT deliver an undecorated message before all preceding deliveries</td>
 * <td>{@link #shouldDeliverInTheOrderOfSending}</td></tr>
 * <tr><td>MUST perform all sets of a message before a subsequent delivery</td>
 * <td>{@link #shouldPlaceAMessageBeforeASubsequentIndication}, {@link #shouldPlaceAMessageBeforeASubsequentUndecoratedMessage}</td></tr>
 * <tr><td>the indication of the last of a group stands for the group</td><td>{@link #shouldPlaceAGroupBeforeItsIndication}</td></tr>
 * </table>
 */
class DdppSection31Test {
    private static final int STAG = 5;

    private final Streams streams = new Streams();

    @ParameterizedTest
    @ValueSource(ints = { 1, 5, 1000 })
    void shouldDeliverEachIndicationOnce(int most) {
        streams.client.register(STAG, 0, 8);
        byte[] same = decorated(true, 1, STAG, 0, count(8));
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(same, same, decorated(true, 2, STAG, 8)), most));
        assertEquals(List.of(1, 1, 2), streams.client.indications(), "two messages with the same identifier are two");
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 5, 1000 })
    void shouldDeliverInTheOrderOfSending(int most) {
        streams.client.register(STAG, 0, 8);
        streams.client.post(8);
        streams.client.post(8);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(decorated(true, 1, STAG, 0, count(8)), undecorated(count(8)),
                decorated(true, 2, STAG, 0), undecorated(), decorated(true, 3, STAG, 0, count(1))), most));
        assertEquals(List.of(1, -1, 2, -1, 3), streams.client.indications());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 5, 1000 })
    void shouldDeliverEachUndecoratedMessageOnce(int most) {
        streams.client.post(8);
        streams.client.post(8);
        streams.client.post(8);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(undecorated(count(8)), undecorated(count(3))), most));
        assertEquals(List.of("0102030405060708", "010203"), streams.client.deliveries.stream().map(TestClient.Delivery::bytes).toList());
        assertEquals(1, streams.client.posted());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 5000, 100_000 })
    void shouldPlaceAMessageBeforeASubsequentIndication(int most) {
        streams.client.register(STAG, 0, 10_000);
        // The indication is that of another message: when it comes, the client sees what is in place of the first one.
        assertEquals(StreamError.NONE,
                streams.feed(Streams.stream(decorated(false, 0, STAG, 0, count(10_000)), decorated(true, 1, STAG, 0)), most));
        assertEquals(HexFormat.of().formatHex(count(10_000)), streams.client.deliveries.getFirst().bytes());
        assertEquals(List.of(false, true), streams.client.deliveries.stream().map(TestClient.Delivery::notifying).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 5000, 100_000 })
    void shouldPlaceAMessageBeforeASubsequentUndecoratedMessage(int most) {
        streams.client.register(STAG, 0, 10_000);
        streams.client.post(1);
        assertEquals(StreamError.NONE,
                streams.feed(Streams.stream(decorated(false, 0, STAG, 0, count(10_000)), undecorated((byte) 1)), most));
        assertEquals(HexFormat.of().formatHex(count(10_000)), streams.client.deliveries.getFirst().bytes());
        assertEquals(List.of(true, false), streams.client.deliveries.stream().map(TestClient.Delivery::decorated).toList());
    }

    @Test
    void shouldPlaceAGroupBeforeItsIndication() {
        streams.client.register(STAG, 0, 1000);
        DdppTransmitter transmitter = new DdppTransmitter(300, 0, false);
        transmitter.beginDecorated(1000, STAG, 0, true, 7, false);
        byte[][] group = Datagrams.parts(transmitter, count(1000)).toArray(byte[][]::new);
        assertEquals(4, group.length);
        assertEquals(StreamError.NONE, streams.feed(Streams.stream(group), 11));
        assertEquals(List.of(7), streams.client.indications());
        assertEquals(HexFormat.of().formatHex(count(1000)),
                String.join("", streams.client.deliveries.stream().map(TestClient.Delivery::bytes).toList()));
        assertEquals(true, streams.client.deliveries.getLast().notifying());
    }
}
