package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.BusyCarriers;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/** While the program's virtual threads compute on all carriers, channels connect, exchange bytes, and close. */
class BusyCarriersTest {
    private static final int ROUNDS = 10;
    private static final List<String> OPTIONS = Stream
            .concat(ChildJvm.ONE_CARRIER.stream(), Stream.of("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED")).toList();

    /** Channels in blocking mode. */
    static final class Blocking {
        private Blocking() {
        }

        public static void main(String[] arguments) throws Exception {
            SelectorProvider provider = Providers.of(arguments[0]);
            BusyCarriers.occupy();
            for (int i = 0; i < ROUNDS; i++) {
                try (Providers.Pair pair = Providers.Pair.of(provider)) {
                    ByteBuffer bytes = ByteBuffer.allocate(1);
                    pair.near().write(ByteBuffer.wrap(new byte[] { (byte) i }));
                    assertEquals(1, pair.far().read(bytes));
                    assertEquals(i, bytes.get(0));
                    pair.near().close();
                    assertEquals(-1, pair.far().read(bytes.clear()));
                }
            }
            System.exit(0);
        }
    }

    /** Channels of one selector. */
    static final class Selecting {
        private Selecting() {
        }

        public static void main(String[] arguments) throws Exception {
            SelectorProvider provider = Providers.of(arguments[0]);
            BusyCarriers.occupy();
            try (Selector selector = provider.openSelector(); ServerSocketChannel server = provider.openServerSocketChannel()) {
                server.bind(Providers.anyPort());
                server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
                for (int i = 0; i < ROUNDS; i++) {
                    exchange(provider, selector, server);
                }
            }
            System.exit(0);
        }

        private static void exchange(SelectorProvider provider, Selector selector, ServerSocketChannel server) throws IOException {
            try (SocketChannel near = provider.openSocketChannel()) {
                near.configureBlocking(false).register(selector, SelectionKey.OP_CONNECT);
                near.connect(server.getLocalAddress());
                boolean ended = false;
                while (!ended) {
                    selector.select();
                    for (SelectionKey key : selector.selectedKeys()) {
                        ended |= key.channel() != near && key.isReadable() && ends((SocketChannel) key.channel());
                        if (key.isValid() && key.isConnectable() && near.finishConnect()) {
                            key.interestOps(0);
                            near.write(ByteBuffer.allocate(1));
                            near.shutdownOutput();
                        } else if (key.isValid() && key.isAcceptable()) {
                            server.accept().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                        }
                    }
                    selector.selectedKeys().clear();
                }
            }
        }

        private static boolean ends(SocketChannel far) throws IOException {
            if (far.read(ByteBuffer.allocate(8)) >= 0) {
                return false;
            }
            far.close();
            return true;
        }
    }

    @ParameterizedTest
    @Transports({ "auto", "epoll", Providers.JDK })
    void shouldServeBlockingChannels(String provider) throws Exception {
        ChildJvm.run(Blocking.class, "auto", OPTIONS, provider);
    }

    @ParameterizedTest
    @Transports({ "auto", "epoll", Providers.JDK })
    void shouldServeSelectors(String provider) throws Exception {
        ChildJvm.run(Selecting.class, "auto", OPTIONS, provider);
    }
}
