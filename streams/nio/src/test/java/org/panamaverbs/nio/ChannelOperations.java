package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.panamaverbs.nio.Scene.Operation;

/** The operations of channels. */
final class ChannelOperations {
    private static final class OtherAddress extends SocketAddress {
        private static final long serialVersionUID = 1;
    }

    private ChannelOperations() {
    }

    /** {@return buffers of every kind, each with four bytes at most} */
    private static Map<String, Supplier<ByteBuffer>> buffers() {
        Map<String, Supplier<ByteBuffer>> buffers = new LinkedHashMap<>();
        buffers.put("heap", () -> ByteBuffer.allocate(4));
        buffers.put("direct", () -> ByteBuffer.allocateDirect(4));
        buffers.put("slice", () -> ByteBuffer.allocate(16).position(3).slice().position(1).limit(5));
        buffers.put("read-only", () -> ByteBuffer.allocate(4).asReadOnlyBuffer());
        buffers.put("empty", () -> ByteBuffer.allocate(0));
        buffers.put("empty read-only", () -> ByteBuffer.allocate(0).asReadOnlyBuffer());
        buffers.put("null", () -> null);
        return buffers;
    }

    private record Several(ByteBuffer[] buffers, int offset, int length) {
    }

    private static Map<String, Supplier<Several>> arrays() {
        Map<String, Supplier<Several>> arrays = new LinkedHashMap<>();
        Map<String, Supplier<ByteBuffer>> kinds = buffers();
        kinds.forEach((name, kind) -> {
            arrays.put("[" + name + "]", () -> new Several(new ByteBuffer[] { kind.get() }, 0, 1));
            arrays.put("[empty, " + name + "]", () -> new Several(new ByteBuffer[] { ByteBuffer.allocate(0), kind.get() }, 0, 2));
            arrays.put("[heap of 2, " + name + "]", () -> new Several(new ByteBuffer[] { ByteBuffer.allocate(2), kind.get() }, 0, 2));
        });
        int[][] ranges = { { 0, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 }, { -1, 1 }, { 0, -1 }, { 0, 3 } };
        for (int[] range : ranges) {
            arrays.put("2 heap, " + range[0] + ", " + range[1],
                    () -> new Several(new ByteBuffer[] { ByteBuffer.allocate(2), ByteBuffer.allocate(2) }, range[0], range[1]));
        }
        arrays.put("[]", () -> new Several(new ByteBuffer[0], 0, 0));
        arrays.put("no array", () -> new Several(null, 0, 0));
        return arrays;
    }

    private static Object[] result(long count, ByteBuffer... buffers) {
        Object[] result = new Object[1 + buffers.length];
        result[0] = count;
        System.arraycopy(buffers, 0, result, 1, buffers.length);
        return result;
    }

    /** {@return reads and writes of a socket channel} */
    static Map<String, Operation> transfers() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        buffers().forEach((name, buffer) -> {
            operations.put("read(" + name + ")", scene -> {
                ByteBuffer into = buffer.get();
                return result(scene.channel.read(into), into);
            });
            operations.put("write(" + name + ")", scene -> {
                ByteBuffer from = buffer.get();
                return result(scene.channel.write(from), from);
            });
        });
        arrays().forEach((name, several) -> {
            operations.put("read(" + name + ")", scene -> {
                Several into = several.get();
                return result(scene.channel.read(into.buffers, into.offset, into.length), into.buffers);
            });
            operations.put("write(" + name + ")", scene -> {
                Several from = several.get();
                return result(scene.channel.write(from.buffers, from.offset, from.length), from.buffers);
            });
        });
        operations.put("Channels' read", scene -> Channels.newInputStream(scene.channel).read());
        operations.put("Channels' read of 4", scene -> Channels.newInputStream(scene.channel).read(new byte[4]));
        operations.put("Channels' available", scene -> Channels.newInputStream(scene.channel).available());
        operations.put("Channels' write", scene -> {
            Channels.newOutputStream(scene.channel).write(new byte[4]);
            return "done";
        });
        return operations;
    }

    private static Map<String, SocketAddress> addresses() {
        Map<String, SocketAddress> addresses = new LinkedHashMap<>();
        addresses.put("null", null);
        addresses.put("a free port", Providers.anyPort());
        addresses.put("all addresses", new InetSocketAddress(0));
        addresses.put("unresolved", InetSocketAddress.createUnresolved("nowhere.invalid", 1));
        addresses.put("another's address", new InetSocketAddress("192.0.2.1", 0));
        addresses.put("a Unix address", UnixDomainSocketAddress.of("/tmp/none"));
        addresses.put("a strange address", new OtherAddress());
        return addresses;
    }

    /** {@return the states of a socket channel, and the calls that change them} */
    static Map<String, Operation> ofChannels() {
        Map<String, Operation> operations = common(scene -> scene.channel);
        addresses().forEach((name, address) -> operations.put("bind(" + name + ")", scene -> {
            scene.channel.bind(address);
            return scene.channel.getLocalAddress();
        }));
        addresses().forEach((name, address) -> {
            if (!name.contains("another's") && !name.startsWith("all") && !name.startsWith("a free")) {
                operations.put("connect(" + name + ")", scene -> scene.channel.connect(address));
            }
        });
        operations.put("connect(refused)", scene -> {
            boolean done = scene.channel.connect(ChannelStates.nowhere());
            return done || finish(scene);
        });
        operations.put("connect(the server)", scene -> {
            if (scene.server == null || !scene.server.isOpen()) {
                scene.serve();
            }
            return scene.channel.connect(scene.address()) || finish(scene);
        });
        operations.put("connect(all addresses)", scene -> {
            if (scene.server == null || !scene.server.isOpen()) {
                scene.serve();
            }
            // The JDK takes ::1 for the loopback address where the wildcard is that of IPv6.
            InetSocketAddress any = new InetSocketAddress(java.net.InetAddress.getByAddress(new byte[4]), scene.address().getPort());
            return scene.channel.connect(any) || finish(scene);
        });
        operations.put("finishConnect", ChannelOperations::finish);
        operations.put("isConnected", scene -> scene.channel.isConnected());
        operations.put("isConnectionPending", scene -> scene.channel.isConnectionPending());
        operations.put("getRemoteAddress", scene -> scene.channel.getRemoteAddress());
        operations.put("shutdownInput", scene -> scene.channel.shutdownInput());
        operations.put("shutdownOutput", scene -> scene.channel.shutdownOutput());
        operations.put("shutdownInput twice", scene -> scene.channel.shutdownInput().shutdownInput());
        operations.put("shutdownOutput twice", scene -> scene.channel.shutdownOutput().shutdownOutput());
        return operations;
    }

    /** {@return true, and never false: a connection on one machine is there in a moment} */
    private static boolean finish(Scene scene) throws IOException {
        boolean done = scene.channel.finishConnect();
        for (long begin = System.nanoTime(); !done && System.nanoTime() - begin < 60_000_000_000L;) {
            Thread.onSpinWait();
            done = scene.channel.finishConnect();
        }
        return done;
    }

    /** {@return the operations of a server's channel} */
    static Map<String, Operation> ofServers() {
        Map<String, Operation> operations = common(scene -> scene.server);
        addresses().forEach((name, address) -> {
            operations.put("bind(" + name + ")", scene -> {
                scene.server.bind(address);
                return scene.server.getLocalAddress();
            });
            operations.put("socket: bind(" + name + ")", scene -> {
                scene.server.socket().bind(address);
                return scene.server.socket().getLocalSocketAddress();
            });
        });
        for (int backlog : new int[] { -1, 0, 1, 10_000_000 }) {
            operations.put("bind(a free port, " + backlog + ")", scene -> {
                scene.server.bind(Providers.anyPort(), backlog);
                return scene.server.getLocalAddress();
            });
            operations.put("socket: bind(a free port, " + backlog + ")", scene -> {
                scene.server.socket().bind(Providers.anyPort(), backlog);
                return scene.server.socket().getLocalPort() > 0;
            });
        }
        operations.put("accept", scene -> scene.server.accept());
        operations.put("accept, its mode", scene -> scene.server.accept().isBlocking());
        return operations;
    }

    private static <C extends SelectableChannel & NetworkChannel> Map<String, Operation> common(Function<Scene, C> subject) {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("isOpen", scene -> subject.apply(scene).isOpen());
        operations.put("isBlocking", scene -> subject.apply(scene).isBlocking());
        operations.put("isRegistered", scene -> subject.apply(scene).isRegistered());
        operations.put("validOps", scene -> subject.apply(scene).validOps());
        operations.put("getLocalAddress", scene -> subject.apply(scene).getLocalAddress());
        operations.put("toString", scene -> subject.apply(scene).toString());
        operations.put("close", scene -> {
            subject.apply(scene).close();
            return subject.apply(scene).isOpen();
        });
        operations.put("configureBlocking(true)", scene -> subject.apply(scene).configureBlocking(true));
        operations.put("configureBlocking(false)", scene -> subject.apply(scene).configureBlocking(false));
        operations.put("keyFor(null)", scene -> subject.apply(scene).keyFor(null));
        operations.put("keyFor", scene -> subject.apply(scene).keyFor(scene.selector));
        operations.put("register(null)", scene -> subject.apply(scene).register(null, 0));
        for (int ops : new int[] { 0, SelectionKey.OP_READ, SelectionKey.OP_ACCEPT, SelectionKey.OP_CONNECT, 2, -1 }) {
            operations.put("register(again, " + ops + ")", scene -> subject.apply(scene).register(selector(scene), ops, "new"));
            operations.put("register(other, " + ops + ")",
                    scene -> subject.apply(scene).register(scene.closedAtTheEnd(scene.provider.openSelector()), ops));
        }
        operations.put("register(closed selector)", scene -> {
            Selector closed = scene.provider.openSelector();
            closed.close();
            return subject.apply(scene).register(closed, 0);
        });
        operations.put("interrupted configureBlocking(false)", scene -> {
            Thread.currentThread().interrupt();
            return subject.apply(scene).configureBlocking(false);
        });
        return operations;
    }

    private static Selector selector(Scene scene) throws IOException {
        return scene.selector == null ? scene.closedAtTheEnd(scene.provider.openSelector()) : scene.selector;
    }

    /** {@return the operations in threads that were interrupted before} */
    static Map<String, Operation> interrupted(Map<String, Operation> operations, String... names) {
        Map<String, Operation> interrupted = new LinkedHashMap<>();
        for (String name : names) {
            interrupted.put("interrupted " + name, scene -> {
                Thread.currentThread().interrupt();
                return operations.get(name).run(scene);
            });
        }
        return interrupted;
    }

    /** {@return each option, read and set to values that fit and that do not} */
    static <C extends SelectableChannel & NetworkChannel> Map<String, Operation> options(Function<Scene, C> subject) {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("supportedOptions", scene -> subject.apply(scene).supportedOptions());
        SocketOption<?>[] all = { StandardSocketOptions.SO_SNDBUF, StandardSocketOptions.SO_RCVBUF, StandardSocketOptions.SO_KEEPALIVE,
                StandardSocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEPORT, StandardSocketOptions.SO_LINGER,
                StandardSocketOptions.TCP_NODELAY, StandardSocketOptions.IP_TOS, StandardSocketOptions.SO_BROADCAST,
                jdk.net.ExtendedSocketOptions.TCP_KEEPIDLE, jdk.net.ExtendedSocketOptions.TCP_QUICKACK, null };
        for (SocketOption<?> option : all) {
            operations.put("getOption(" + option + ")", scene -> subject.apply(scene).getOption(option));
            for (Object value : new Object[] { null, true, false, -1, 0, 5, 100_000, 256, "text", 5L }) {
                operations.put("setOption(" + option + ", " + value + (value instanceof Long ? "L)" : ")"), scene -> {
                    set(subject.apply(scene), option, value);
                    return subject.apply(scene).getOption(option);
                });
            }
        }
        return operations;
    }

    @SuppressWarnings("unchecked")
    private static <T> void set(NetworkChannel channel, SocketOption<T> option, Object value) throws IOException {
        channel.setOption(option, (T) value);
    }

    /** {@return families with which channels are opened} */
    static Map<String, Operation> families() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        for (ProtocolFamily family : new ProtocolFamily[] { null, StandardProtocolFamily.INET, StandardProtocolFamily.INET6 }) {
            operations.put("open, bind to all, " + family,
                    scene -> scene.closedAtTheEnd(scene.provider.openSocketChannel(family)).bind(null).getLocalAddress());
            operations.put("open server, bind to null, " + family,
                    scene -> scene.closedAtTheEnd(scene.provider.openServerSocketChannel(family)).bind(null).getLocalAddress());
            for (String address : new String[] { "127.0.0.1", "::1", "0.0.0.0", "::" }) {
                operations.put("open server, bind to " + address + ", " + family,
                        scene -> scene.closedAtTheEnd(scene.provider.openServerSocketChannel(family))
                                .bind(new InetSocketAddress(address, 0)).getLocalAddress());
                operations.put("open, bind to " + address + ", " + family,
                        scene -> scene.closedAtTheEnd(scene.provider.openSocketChannel(family)).bind(new InetSocketAddress(address, 0))
                                .getLocalAddress());
                operations.put("open, connect to " + address + ", " + family,
                        scene -> scene.closedAtTheEnd(scene.provider.openSocketChannel(family)).connect(new InetSocketAddress(address, 1)));
            }
        }
        return operations;
    }
}
