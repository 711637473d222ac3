package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;

/** Mapped files that become shorter while a socket sends from them, or places into them. */
@ParameterizedClass
@CsvSource({ "TCP, auto", "TCP, nio", "MPA, auto", "MPA, nio", "UDP, auto", "UDP, nio", "MEMORY, auto" })
class CutFileTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int LENGTH = 1 << 20;
    private static final int LEFT = 8192;

    @TempDir
    Path folder;

    @Parameter(0)
    DdpTransport transport;

    @Parameter(1)
    String kind;

    private Arena arena;
    private DdpContext context;
    private DdpSocket near;
    private DdpSocket far;
    private RandomAccessFile file;
    private MemorySegment mapped;

    @BeforeEach
    void connect() throws IOException {
        arena = Arena.ofShared();
        context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind).build());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        DdpOptions options = DdpOptions.DEFAULT.withSendTimeout(LONG);
        if (transport == DdpTransport.UDP) {
            far = context.bind(context.newGroup(), any, options);
            near = context.connect(transport, far.localAddress(), options.withPayload(1400), LONG);
        } else {
            DdpListener listener = context.listen(context.newGroup(), transport, any, options);
            near = context.connect(transport, listener.address(), options, LONG);
            far = listener.accept(LONG);
        }
        file = new RandomAccessFile(folder.resolve("mapped").toFile(), "rw");
        file.setLength(LENGTH);
        mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
    }

    @AfterEach
    void close() throws IOException {
        context.close();
        arena.close();
        file.close();
    }

    private Indication take() {
        Indication indication = far.newIndication();
        assertTrue(far.receive(indication, LONG), "an indication comes");
        return indication;
    }

    private boolean isStream() {
        return transport == DdpTransport.TCP || transport == DdpTransport.MPA;
    }

    @Test
    void shouldRefuseToSendFromAFileThatWasCut() throws IOException {
        far.register(arena.allocate(LENGTH), BufferAttributes.DEFAULT.withStag(7));
        file.setLength(LEFT);

        // More often than the transport has room for messages.
        for (int i = 0; i < (isStream() ? 1 : 100); i++) {
            IllegalStateException refused = assertThrows(IllegalStateException.class,
                    () -> near.sendDdp(mapped, 0, LENGTH, new BufferAddress(7, 0), 1));
            assertTrue(refused.getMessage().contains("cut short"), refused::getMessage);
        }

        if (isStream()) {
            assertThrows(ClosedException.class, () -> near.send(arena.allocate(1), 0, 1));
            Indication.Kind end = take().kind();
            // A stream whose message was refused before its first byte left ends in good order.
            assertTrue(end == Indication.Kind.ERROR || end == Indication.Kind.END, end::toString);
        } else {
            near.sendDdp(arena.allocate(10), 0, 10, new BufferAddress(7, 0), 2);
            assertEquals(2, take().messageId());
        }
    }

    @Test
    void shouldDropWhatFallsIntoTheMissingPartOfAFile() throws IOException {
        far.register(mapped, BufferAttributes.DEFAULT.withStag(7));
        far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
        file.setLength(LEFT);
        MemorySegment message = arena.allocate(100_000);

        near.sendDdp(message, 0, message.byteSize(), new BufferAddress(7, LENGTH / 2), 1);
        if (transport != DdpTransport.MPA) {
            near.sendDdp(message, 0, 10, new BufferAddress(8, 0), 2);
        }

        if (transport == DdpTransport.MPA) {
            assertEquals(Indication.Kind.ERROR, take().kind());
        } else {
            assertEquals(2, take().messageId());
            assertTrue(far.counters().refusedByBuffers() > 0);
        }
    }

    @Test
    void shouldEndOrDropAnUntaggedMessageForTheMissingPart() throws IOException {
        RegisteredBuffer buffer = far.register(mapped);
        assertTrue(far.tryPostReceive(buffer, LENGTH / 2, 2000));
        file.setLength(LEFT);

        near.send(arena.allocate(1000), 0, 1000);

        if (isStream()) {
            assertEquals(Indication.Kind.ERROR, take().kind());
        } else {
            far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
            near.sendDdp(arena.allocate(10), 0, 10, new BufferAddress(8, 0), 2);
            assertEquals(2, take().messageId());
        }
    }
}
