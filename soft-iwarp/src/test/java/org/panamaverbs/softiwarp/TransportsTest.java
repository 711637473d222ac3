package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

class TransportsTest {
    @Test
    void shouldChooseEpollWhereItWorksAndElseNioWithTheReason() {
        Transports.Choice choice = Transports.choose("auto");
        String obstacle = EpollMultiplexer.unavailable();
        assertEquals(obstacle == null ? "shared-memory" : "nio", choice.kind());
        assertFalse(choice.alone());
        assertTrue(obstacle == null || choice.reason().contains(obstacle), choice.reason());
    }

    @Test
    void shouldOpenTheKindThatIsNamed() {
        try (Multiplexer nio = Transports.open("nio")) {
            assertInstanceOf(NioMultiplexer.class, nio);
        }
    }

    @Test
    void shouldNameTheKindsWhereThereIsNoSuch() {
        String message = assertThrows(IllegalArgumentException.class, () -> Transports.open("kqueue")).getMessage();
        assertEquals("transport \"kqueue\" is not one of auto, shared-memory, epoll, nio", message);
    }
}
