package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.testing.conformance.Requirement;

/** The depths of Reads that a program learns as the peer refuses it: MPA revision 2 carries them (RFC 6581, 9.1), revision 1 does not. */
class RejectedDepthsTest {
    @ParameterizedTest
    @CsvSource({ "1, -1, -1", "2, 3, 40" })
    @Requirement("RFC6581-9.1-a,h")
    void shouldTellThemIfTheProtocolDoes(String revision, int inbound, int outbound) throws Exception {
        try (Host host = new Host("epoll", "mpa-revision", revision)) {
            CompletableFuture<Void> rejected = CompletableFuture
                    .runAsync(() -> host.listener.awaitRequest(Host.LIMIT).reject(ConnectionParameters.defaults().withReads(3, 40)));
            RejectedException failure = assertThrows(RejectedException.class,
                    () -> host.connect(host.listener.address(), ConnectionParameters.defaults().withReads(1, 1), Host.LIMIT));
            assertEquals(inbound < 0 ? OptionalInt.empty() : OptionalInt.of(inbound), failure.remoteInboundReads());
            assertEquals(outbound < 0 ? OptionalInt.empty() : OptionalInt.of(outbound), failure.remoteOutboundReads(),
                    "the ORD that the peer needs, though this side serves 1");
            Host.get(rejected);
        }
    }
}
