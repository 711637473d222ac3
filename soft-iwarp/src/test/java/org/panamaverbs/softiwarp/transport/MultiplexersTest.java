package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MultiplexersTest {
    @Test
    void shouldChooseEpollWhereItWorksAndElseNioWithTheReason() {
        Multiplexers.Choice choice = Multiplexers.choose("auto");
        String obstacle = LibC.unavailable();
        assertEquals(obstacle == null ? "epoll" : "nio", choice.kind());
        assertTrue(obstacle == null || choice.reason().contains(obstacle), choice.reason());
    }

    @Test
    void shouldOpenTheKindThatIsNamed() {
        try (Multiplexer nio = Multiplexers.open("nio", 0); Multiplexer memory = Multiplexers.open("memory", 0)) {
            assertInstanceOf(NioMultiplexer.class, nio);
            assertInstanceOf(MemoryMultiplexer.class, memory);
        }
    }

    @Test
    void shouldNameTheKindsWhereThereIsNoSuch() {
        String message = assertThrows(IllegalArgumentException.class, () -> Multiplexers.open("kqueue", 0)).getMessage();
        assertEquals("transport \"kqueue\" is not one of auto, epoll, nio, memory", message);
    }
}
