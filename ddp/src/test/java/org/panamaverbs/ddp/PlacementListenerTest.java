package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class PlacementListenerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SIZE = 300_000;
    private static final int OFFSET = 1000;

    @Test
    void shouldHearOfAllThatIsPlacedAndOfItsSourceBeforeTheNotification() {
        BitSet placed = new BitSet();
        Set<InetSocketAddress> sources = ConcurrentHashMap.newKeySet();
        PlacementListener listener = new PlacementListener() {
            @Override
            public void onPlaced(long offset, long length) {
                throw new IllegalStateException("the other one is overridden");
            }

            @Override
            public void onPlaced(long offset, long length, InetSocketAddress source) {
                placed.set((int) offset, (int) (offset + length));
                sources.add(source);
            }
        };
        try (Arena arena = Arena.ofShared(); DdpContext context = DdpContext.open()) {
            DdpGroup group = context.newGroup();
            RegisteredBuffer buffer = group.register(arena.allocate(SIZE + 2 * OFFSET), BufferAttributes.DEFAULT, listener);
            try (DdpListener port = context.listen(group, DdpTransport.MPA, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    DdpOptions.DEFAULT);
                    DdpSocket near = context.connect(DdpTransport.MPA, port.address(), DdpOptions.DEFAULT, LONG);
                    DdpSocket far = port.accept(LONG)) {
                MemorySegment source = arena.allocate(SIZE);
                near.sendDdp(source, 0, SIZE, new BufferAddress(buffer.address().stag(), OFFSET), 3);
                assertTrue(far.receive(far.newIndication(), LONG));
                assertAll(() -> assertEquals(OFFSET, placed.nextSetBit(0)), () -> assertEquals(OFFSET + SIZE, placed.nextClearBit(OFFSET)),
                        () -> assertEquals(SIZE, placed.cardinality()), () -> assertEquals(Set.of(near.localAddress()), sources));
            }
        }
    }
}
