package org.panamaverbs.ddp.transport.sctp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.SocketException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/** The messages for what is missing; the failures are those of the JDK on machines without libsctp and without SCTP in the kernel. */
class SctpAvailabilityTest {
    @ParameterizedTest
    @CsvSource({ "Protocol not supported, modprobe sctp",
            "'libsctp.so.1: cannot open shared object file: No such file or directory', apt install libsctp1",
            "Too many open files, opens no SCTP channel: Too many open files" })
    void shouldNameWhatIsMissing(String failure, String words) {
        assertTrue(SctpAvailability.describe(new UnsupportedOperationException(failure)).contains(words));
        assertTrue(SctpAvailability.describe(new SocketException(failure)).contains(words));
        Throwable initializer = new ExceptionInInitializerError(new UnsupportedOperationException(failure));
        if (!failure.startsWith("Too")) {
            assertTrue(SctpAvailability.describe(initializer).contains(words));
        }
    }

    @Test
    void shouldThrowWhatIsMissing() {
        Optional<String> obstacle = SctpAvailability.obstacle();
        if (obstacle.isEmpty()) {
            SctpAvailability.require();
            return;
        }
        try (NioMultiplexer multiplexer = new NioMultiplexer()) {
            UnsupportedVerbException thrown = assertThrows(UnsupportedVerbException.class, () -> new SctpTransport(multiplexer));
            assertEquals("SCTP does not work here: " + obstacle.get(), thrown.getMessage());
        }
        assertTrue(obstacle.get().contains("jdk.sctp") || obstacle.get().contains("libsctp1") || obstacle.get().contains("modprobe sctp"),
                obstacle::get);
    }
}
