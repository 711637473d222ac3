package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.transport.epoll.Deafness;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/** A socket whose link is cut in the middle of a message. */
class CutSocketTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long SIZE = 64 << 20;

    @Test
    void shouldEnd() {
        assumeTrue(EpollMultiplexer.unavailable() == null, EpollMultiplexer::unavailable);
        Configuration configuration = Configuration.builder().set("panamaverbs.softiwarp.transport", "epoll")
                .set("panamaverbs.softiwarp.user-timeout", "500").build();
        try (Arena arena = Arena.ofShared(); DdpContext context = DdpContext.open(configuration)) {
            DdpListener listener = context.listen(context.newGroup(), DdpTransport.MPA, ANY, DdpOptions.DEFAULT);
            DdpSocket near = context.connect(DdpTransport.MPA, listener.address(), DdpOptions.DEFAULT, LONG);
            DdpSocket far = listener.accept(LONG);
            MemorySegment memory = arena.allocate(SIZE);
            far.register(memory, BufferAttributes.DEFAULT.withStag(7));

            int farSocket = Deafness.descriptor(near.localAddress());
            Deafness.begin(farSocket);
            Deafness.begin(Deafness.descriptor(near.remoteAddress().orElseThrow()));

            String sending = assertThrows(VerbsException.class, () -> near.sendDdp(memory, 0, SIZE, new BufferAddress(7, 0))).getMessage();
            assertTrue(sending.contains(" acknowledged nothing for 0.5 s (setting panamaverbs.softiwarp.user-timeout)"), sending);
            // So that the reset ends the other end, too.
            Deafness.end(farSocket);
        }
    }
}
