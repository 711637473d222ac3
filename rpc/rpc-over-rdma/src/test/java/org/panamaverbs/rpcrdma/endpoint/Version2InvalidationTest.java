package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.testing.conformance.Requirement;

/** Draft, 7.2.3, and RFC 8797, 4.1: which handle a reply invalidates. */
class Version2InvalidationTest {
    private static int invalidated(int version, PrivateData peer, String message) {
        Bench bench = Bench.server(version, version, peer).receive(message);
        bench.link.sent.clear();
        bench.reply(0, Bench.data(4));
        return bench.link.sent.getFirst().invalidated();
    }

    @Test
    @Requirement("V2-7.2.3-a,b")
    void shouldNameAHandleOfTheCallOrNone() {
        Bench bench = Bench.client(2, 2, null).answered(2, 8);
        bench.call(9, 0, 1);
        bench.call(8, List.of(Bench.data(100)), 0, Bench.data(5000));
        assertEquals(List.of("SOUND 00000009 v2 credits=32 MSG CALL",
                "SOUND 00000008 v2 credits=32 MSG CALL invalidate=00000100 reads=[12:00000101:5000:0000000000101000] "
                        + "writes=[[00000100:100:0000000000100000]]"),
                bench.sent());
    }

    @Test
    @Requirement("V2-7.2.3-d")
    void shouldInvalidateTheHandleThatTheCallNames() {
        assertEquals(0xb, invalidated(2, null, "9 2 20 0  0 b  0  1 1 a 8 0 0 1 1 b 8 0 0 0  0  9 0"));
    }

    @Test
    @Requirement("V2-7.2.3-c")
    void shouldSendPlainlyIfTheCallNamesNoHandle() {
        assertEquals(0, invalidated(2, new PrivateData(true, 4096, 4096), "9 2 20 0  0 0  0  1 1 a 8 0 0 0  0  9 0"));
    }

    @Test
    @Requirement("RFC8797-4.1-a")
    void shouldInvalidateTheOnlyHandleOfItsCallInVersion1() {
        PrivateData peer = new PrivateData(true, 4096, 4096);
        assertEquals(0xa, invalidated(1, peer, "9 1 20 0  0  1 1 a 8 0 0 0  0  9 0"));
        assertEquals(0, invalidated(1, peer, "9 1 20 0  0  1 1 a 8 0 0 1 1 b 8 0 0 0  0  9 0"));
        assertEquals(0, invalidated(1, peer, "9 1 20 0  0 0 0  9 0"));
    }

    @Test
    @Requirement({ "RFC8797-4.1-b", "RFC8797-5.1-a" })
    void shouldSendPlainlyIfThePeerDoesNotSayThatItCanBeInvalidated() {
        assertEquals(0, invalidated(1, new PrivateData(false, 4096, 4096), "9 1 20 0  0  1 1 a 8 0 0 0  0  9 0"));
        assertEquals(0, invalidated(1, null, "9 1 20 0  0  1 1 a 8 0 0 0  0  9 0"));
    }
}
