package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Collection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.SystemException;
import org.panamaverbs.testing.Warnings;

/** Nothing of a socket, and nothing of an attempt to open one, is left behind. */
class SocketResourcesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Arena arena = Arena.ofShared();
    private final DdpContext context = DdpContext.open(Configuration.builder().build());

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private static Object field(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    private int groups() throws ReflectiveOperationException {
        return ((Collection<?>) field(field(context, "children"), "open")).size();
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA", "UDP", "MEMORY" })
    void shouldEndTheOwnGroupOfASocketWithIt(DdpTransport transport) throws ReflectiveOperationException {
        DdpGroup group = context.newGroup();
        InetSocketAddress remote = transport == DdpTransport.UDP ? context.bind(group, ANY, DdpOptions.DEFAULT).localAddress()
                : context.listen(group, transport, ANY, DdpOptions.DEFAULT).address();
        int before = groups();
        for (int i = 0; i < 3; i++) {
            try (DdpSocket socket = context.connect(transport, remote, DdpOptions.DEFAULT, LONG)) {
                assertEquals(before + 1, groups());
                socket.register(arena.allocate(10));
            }
            assertEquals(before, groups());
        }
        // The group of the caller stays.
        context.connect(group, transport, remote, DdpOptions.DEFAULT, LONG).close();
        assertEquals(before, groups());
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA", "MEMORY" })
    void shouldEndTheOwnGroupOfASocketThatCannotConnect(DdpTransport transport) throws ReflectiveOperationException {
        InetSocketAddress gone;
        try (DdpListener listener = context.listen(context.newGroup(), transport, ANY, DdpOptions.DEFAULT)) {
            gone = listener.address();
        }
        int before = groups();
        assertThrows(SystemException.class, () -> context.connect(transport, gone, DdpOptions.DEFAULT, LONG));
        assertEquals(before, groups());
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA" })
    void shouldCloseAPeerThatDoesNotFinishItsGreetingWithTheContext(DdpTransport transport) throws IOException {
        DdpListener listener = context.listen(context.newGroup(), transport, ANY, DdpOptions.DEFAULT);
        try (Socket stranger = new Socket(listener.address().getAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write(transport == DdpTransport.TCP ? 'D' : 'M');
            if (transport == DdpTransport.TCP) {
                assertEquals(8, stranger.getInputStream().readNBytes(8).length);
            } else {
                // A second peer that is accepted shows that the first one was, too.
                context.connect(transport, listener.address(), DdpOptions.DEFAULT, LONG).close();
            }
            context.close();
            stranger.setSoTimeout((int) LONG.toMillis());
            assertEquals(-1, end(stranger));
        }
    }

    private static int end(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return -1;
        }
    }

    /** The group closes after the attempt has begun, and before both sides have greeted each other. */
    @Test
    void shouldCloseAStreamWhoseGroupClosedMeanwhile() throws Exception {
        DdpGroup group = context.newGroup();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Warnings warnings = new Warnings()) {
            Throwable[] thrown = new Throwable[1];
            Thread connecting = Thread.ofPlatform()
                    .start(() -> thrown[0] = assertThrows(RuntimeException.class, () -> context.connect(group, DdpTransport.TCP,
                            new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), DdpOptions.DEFAULT, LONG)));
            try (Socket accepted = server.accept()) {
                byte[] preamble = accepted.getInputStream().readNBytes(8);
                group.close();
                accepted.getOutputStream().write(preamble);
                assertTrue(connecting.join(LONG), "the attempt ends");
                assertInstanceOf(ClosedException.class, thrown[0]);
                accepted.setSoTimeout((int) LONG.toMillis());
                assertEquals(-1, end(accepted));
            }
            context.close();
            assertEquals(0, warnings.lines(), "nothing is logged");
        }
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA" })
    void shouldWakeAThreadThatConnectsWhenTheContextCloses(DdpTransport transport) throws Exception {
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Throwable[] thrown = new Throwable[1];
            Thread connecting = Thread.ofPlatform()
                    .start(() -> thrown[0] = assertThrows(RuntimeException.class, () -> context.connect(transport,
                            new InetSocketAddress(mute.getInetAddress(), mute.getLocalPort()), DdpOptions.DEFAULT, LONG.multipliedBy(2))));
            try (Socket accepted = mute.accept()) {
                // The greeting has come: the attempt is under way.
                assertTrue(accepted.getInputStream().read() >= 0);
                context.close();
                assertTrue(connecting.join(LONG), "the attempt ends with the context");
                assertInstanceOf(ClosedException.class, thrown[0]);
            }
        }
    }
}
