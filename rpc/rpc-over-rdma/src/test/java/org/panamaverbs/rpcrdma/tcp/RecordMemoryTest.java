package org.panamaverbs.rpcrdma.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.gate.Seat;

/** Memory of calls and connections that is used again. */
class RecordMemoryTest {
    private final RecordMemory memory = new RecordMemory();

    @Test
    void shouldUseLongMemoryAgain() {
        MemorySegment first = memory.take(100_000);
        assertTrue(first.isNative() && first.byteSize() >= 100_000);
        memory.giveBack(first);
        assertEquals(first.byteSize(), memory.kept());
        assertSame(first, memory.take(90_000));
        assertEquals(0, memory.kept());
    }

    @Test
    void shouldLeaveShortMemoryToTheHeap() {
        MemorySegment first = memory.take(10);
        assertFalse(first.isNative());
        memory.giveBack(first);
        assertEquals(0, memory.kept());
    }

    @Test
    void shouldKeepSomeAndNotAll() {
        List<MemorySegment> taken = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            taken.add(memory.take(1 << 20));
        }
        taken.forEach(memory::giveBack);
        assertEquals(32 << 20, memory.kept());
    }

    /** Connections that come and go took 16 KiB each until the garbage collector looked. */
    @Test
    void shouldTakeBackTheMemoryOfAConnection() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            for (int i = 0; i < 3; i++) {
                try (SocketChannel client = SocketChannel.open(server.getLocalAddress()); SocketChannel accepted = server.accept()) {
                    RecordStream stream = new RecordStream(accepted, Seat.alone(1 << 20), memory, 1000);
                    assertEquals(0, memory.kept());
                    client.shutdownOutput();
                    assertNull(stream.read());
                    stream.end();
                }
                assertEquals(16 << 10, memory.kept());
            }
        }
    }
}
