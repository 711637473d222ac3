package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Configuration;
import org.panamaverbs.testing.Transports;

/** The side that was connected to may send before its program receives: it reads the peer's first frame, which allows that, by itself. */
class HeldSocketTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int STAG = 7;
    private static final int SIZE = 1000;
    private static final int ROUNDS = 200;

    @ParameterizedTest
    @Transports({ "epoll", "nio", "shared-memory" })
    void shouldSendBeforeItsProgramReceives(String kind) {
        DdpOptions options = DdpOptions.DEFAULT.withSendTimeout(LONG);
        try (Arena arena = Arena.ofShared();
                DdpContext context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind).build())) {
            MemorySegment message = arena.allocate(SIZE);
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (DdpListener port = context.listen(context.newGroup(), DdpTransport.MPA, any, options)) {
                for (int i = 0; i < ROUNDS; i++) {
                    try (DdpSocket near = context.connect(DdpTransport.MPA, port.address(), options, LONG);
                            DdpSocket far = port.accept(LONG)) {
                        near.register(arena.allocate(SIZE), BufferAttributes.DEFAULT.withStag(STAG));
                        far.sendDdp(message, 0, SIZE, new BufferAddress(STAG, 0));
                        far.send(message, 0, 1);
                        assertTrue(near.receive(near.newIndication(), LONG));
                    }
                }
            }
        }
    }
}
