package org.panamaverbs.softiwarp.transport.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.transport.BaseDatagramPortTestCase;
import org.panamaverbs.softiwarp.transport.DatagramHead;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.PortUnderTest;

/** Datagrams by NIO: the contract, and what NIO does not offer. */
class NioDatagramPortTest extends BaseDatagramPortTestCase {
    @Override
    protected Multiplexer open() {
        return new NioMultiplexer();
    }

    @Test
    void shouldSayThatItCannotPeek() {
        DatagramHead head = new DatagramHead(Arena.ofAuto(), 20);
        try (PortUnderTest port = bind("127.0.0.1")) {
            assertFalse(port.port.canPeek());
            assertThrows(UnsupportedOperationException.class, () -> port.port.peek(head));
            assertThrows(UnsupportedOperationException.class, () -> port.port.discard(head));
            assertEquals(-1, port.port.dropped());
        }
    }
}
