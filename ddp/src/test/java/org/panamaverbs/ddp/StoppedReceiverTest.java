package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.VerbsTimeoutException;

/** A program that takes no indications, and another socket of the same context. */
class StoppedReceiverTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int LIMIT = 100;

    private final Arena arena = Arena.ofShared();
    private final DdpContext context = DdpContext.open(Configuration.builder().build());

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA", "MEMORY" })
    void shouldHurtItsOwnSenderAlone(DdpTransport transport) {
        DdpOptions options = DdpOptions.DEFAULT.withIndications(LIMIT);
        DdpListener listener = context.listen(context.newGroup(), transport, ANY, options);
        DdpSocket near = context.connect(transport, listener.address(), options.withSendTimeout(Duration.ofMillis(200)), LONG);
        DdpSocket far = listener.accept(LONG);
        far.register(arena.allocate(4000), BufferAttributes.DEFAULT.withStag(7));
        DdpSocket otherNear = context.connect(transport, listener.address(), options, LONG);
        DdpSocket otherFar = listener.accept(LONG);
        otherFar.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
        MemorySegment message = arena.allocate(4000);

        VerbsTimeoutException late = assertThrows(VerbsTimeoutException.class, () -> {
            while (true) {
                near.sendDdp(message, 0, 4000, new BufferAddress(7, 0), 1);
            }
        });

        assertTrue(late.getMessage().contains("took no data within 200 ms"), late::getMessage);
        Indication indication = otherFar.newIndication();
        for (int i = 0; i < 10 * LIMIT; i++) {
            otherNear.sendDdp(message, 0, 10, new BufferAddress(8, 0), 2);
            assertTrue(otherFar.receive(indication, LONG));
            assertEquals(2, indication.messageId());
        }
        // All indications of one call are added, above the limit too.
        assertTrue(far.counters().indications() < 10_000, far.counters()::toString);
        // The program goes on: nothing that was indicated is lost.
        long indicated = far.counters().indications();
        for (long i = 0; i < indicated; i++) {
            assertTrue(far.receive(indication, LONG));
            assertEquals(1, indication.messageId());
        }
    }
}
