package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8166, 3.3. */
class Rfc8166CreditsTest {
    private static final String ANSWER = " 1 3 0  0 0 0  ";

    @Test
    @Requirement({ "RFC8166-3.3.3-a", "V2-8-a" })
    void shouldSendOneCallUntilTheFirstAnswer() {
        for (int version = 1; version <= 2; version++) {
            Bench bench = Bench.client(version, version, null);
            bench.call(1, 0);
            bench.call(2, 0);
            assertEquals(1, bench.link.sent.size(), "version " + version);
        }
    }

    @Test
    @Requirement("RFC8166-3.3.1-a")
    void shouldSendNoMoreCallsThanGranted() {
        Bench bench = Bench.client().answered(1, 3);
        for (int xid = 1; xid <= 5; xid++) {
            bench.call(xid, 0);
        }
        assertEquals(3, bench.link.sent.size());
        bench.receive("2" + ANSWER + "2 1");
        assertEquals(4, bench.link.sent.size());
    }

    @Test
    @Requirement("RFC8166-3.3.1-a")
    void shouldSendFewerCallsWhenTheGrantShrinks() {
        Bench bench = Bench.client().answered(1, 3);
        for (int xid = 1; xid <= 5; xid++) {
            bench.call(xid, 0);
        }
        bench.receive("1 1 1 0  0 0 0  1 1");
        bench.receive("2 1 1 0  0 0 0  2 1");
        assertEquals(3, bench.link.sent.size());
        bench.receive("3 1 1 0  0 0 0  3 1");
        assertEquals(4, bench.link.sent.size());
    }

    @Test
    void shouldTakeAGrantOfNothingForOne() {
        Bench bench = Bench.client().answered(1, 0);
        bench.call(1, 0);
        bench.call(2, 0);
        assertEquals(1, bench.link.sent.size());
    }

    @Test
    @Requirement("RFC8166-3.3.1-b")
    void shouldGrantCreditsInEveryReplyAndError() {
        Bench bench = Bench.server().receive("1 1 40 0  0 0 0  1 0");
        bench.reply(0);
        bench.receive("2 1 40 0  9 0 0");
        assertEquals(List.of("SOUND 00000001 v1 credits=32 MSG", "SOUND 00000002 v1 credits=32 ERROR BAD_XDR"), bench.sent());
    }

    @Test
    void shouldEndTheConnectionOfAPeerThatExceedsItsCredits() {
        Bench bench = Bench.server(1, 1, null, 2);
        bench.receive("1 1 40 0  0 0 0  1 0").receive("2 1 40 0  0 0 0  2 0");
        assertNull(bench.link.failure);
        bench.receive("3 1 40 0  0 0 0  3 0");
        assertNotNull(bench.link.failure);
        assertEquals(2, bench.calls.size());
    }

    @Test
    @Requirement({ "RFC8166-3.3.3-c", "RFC8797-5.1-a", "RFC8797-5.2-a" })
    void shouldSendNoMoreThan1024BytesToAPeerThatSaidNothing() {
        assertEquals(List.of("MSG", "NOMSG"), forms(null, 1024));
    }

    @Test
    @Requirement("RFC8797-4-a")
    void shouldSendAsMuchAsThePeerSaysOnEachConnection() {
        assertEquals(List.of("MSG", "NOMSG"), forms(new PrivateData(false, 1024, 2048), 2048));
        assertEquals(List.of("MSG", "NOMSG"), forms(new PrivateData(false, 1024, 4096), 4096));
    }

    /** The forms of a call that just fits the threshold, and of one that has 4 bytes more. */
    private static List<String> forms(PrivateData peer, int threshold) {
        int words = (threshold - 28 - 8) / 4;
        return java.util.stream.IntStream.of(words, words + 1).mapToObj(count -> {
            Bench bench = Bench.client(1, 1, peer);
            Object[] parts = new Object[count];
            java.util.Arrays.fill(parts, 7);
            bench.call(1, 0, parts);
            return bench.sent().getFirst().split(" ")[4];
        }).toList();
    }
}
