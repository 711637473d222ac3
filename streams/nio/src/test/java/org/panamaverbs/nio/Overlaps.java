package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.nio.Scene.Operation;

/** The pairs of {@link OverlapTest} with connects, accepts and selections, and how a pair runs. */
final class Overlaps {
    private static final long HANG_MILLIS = 60_000;
    /** So soon the first operation waits. */
    private static final long MOST_MILLIS = 2000;
    private static final String WAITS = "waits";

    private Overlaps() {
    }

    /** Runs two operations, and says how they end: before and after a close. */
    static String run(Scene scene, Operation first, Operation second, long millis) throws Exception {
        CompletableFuture<String> one = start(scene, first);
        List<String> ends = new ArrayList<>();
        ends.add("first " + outcome(one, Math.min(millis / 2, MOST_MILLIS)));
        CompletableFuture<String> other = start(scene, second);
        ends.add("second " + outcome(other, millis));
        ends.add("first " + outcome(one, millis));
        scene.close();
        for (String end : List.copyOf(ends).subList(1, 3)) {
            if (end.endsWith(WAITS)) {
                ends.add("after the close " + end.replace(WAITS, outcome(end.startsWith("first") ? one : other, HANG_MILLIS)));
            }
        }
        return String.join(", ", ends);
    }

    private static CompletableFuture<String> start(Scene scene, Operation operation) {
        return Channels.async(() -> {
            try {
                return scene.text(operation.run(scene));
            } catch (Throwable e) {
                // The order of both decides which of the two it is.
                return scene.text(e).replace("AsynchronousCloseException", "ClosedChannelException");
            }
        });
    }

    private static String outcome(CompletableFuture<String> operation, long millis) throws Exception {
        try {
            return operation.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return WAITS;
        }
    }

    // Connects.

    /** A channel whose peer's backlog is full: TCP does not answer. */
    static void unanswered(Scene scene) throws IOException {
        ServerSocket full = scene.closedAtTheEnd(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        for (int i = 0; i < 2; i++) {
            scene.closedAtTheEnd(SocketChannels.plain(full.getLocalPort()));
        }
        scene.open();
        scene.serverPort(full.getLocalPort());
    }

    /** Channels of the JDK. */
    private static final class SocketChannels {
        private SocketChannels() {
        }

        static SocketChannel plain(int port) throws IOException {
            SocketChannel channel = JdkProvider.find().openSocketChannel();
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return channel;
        }
    }

    static Map<String, Operation> waitingConnects() {
        Map<String, Operation> connects = new LinkedHashMap<>();
        connects.put("connect", scene -> scene.channel.connect(scene.address()));
        connects.put("socket's connect", scene -> {
            scene.channel.socket().connect(scene.address(), 100_000);
            return "done";
        });
        connects.put("finishConnect", scene -> {
            scene.channel.configureBlocking(false);
            scene.channel.connect(scene.address());
            scene.channel.configureBlocking(true);
            return scene.channel.finishConnect();
        });
        return connects;
    }

    // Accepts.

    static Map<String, Operation> waitingAccepts() {
        Map<String, Operation> accepts = new LinkedHashMap<>();
        accepts.put("accept", scene -> scene.server.accept());
        accepts.put("socket's accept", scene -> scene.server.socket().accept());
        accepts.put("socket's accept, time limit", scene -> {
            scene.server.socket().setSoTimeout(100_000);
            return scene.server.socket().accept();
        });
        return accepts;
    }

    static Map<String, Operation> serverCalls() {
        Map<String, Operation> calls = new LinkedHashMap<>(waitingAccepts());
        calls.put("bind", scene -> scene.server.bind(Providers.anyPort()));
        calls.put("close", scene -> {
            scene.server.close();
            return "done";
        });
        calls.put("socket's close", scene -> {
            scene.server.socket().close();
            return "done";
        });
        calls.put("setOption", scene -> scene.server.setOption(StandardSocketOptions.SO_REUSEADDR, true));
        calls.put("getOption", scene -> scene.server.getOption(StandardSocketOptions.SO_REUSEADDR));
        calls.put("getters", scene -> List.of(scene.server.isOpen(), scene.server.isBlocking(), scene.server.isRegistered(),
                scene.server.socket().isBound(), scene.server.getLocalAddress() != null));
        calls.put("configureBlocking(false)", scene -> scene.server.configureBlocking(false));
        calls.put("configureBlocking(true)", scene -> scene.server.configureBlocking(true));
        calls.put("register", scene -> scene.server.register(scene.closedAtTheEnd(scene.provider.openSelector()), SelectionKey.OP_ACCEPT));
        calls.put("the lock", scene -> {
            synchronized (scene.server.blockingLock()) {
                return "done";
            }
        });
        calls.put("a peer's connect", scene -> scene.closedAtTheEnd(scene.provider.openSocketChannel()).connect(scene.address()));
        return calls;
    }

    // Selections.

    static void select(Scene scene) throws IOException {
        scene.connect();
        scene.channel.configureBlocking(false);
        scene.selector = scene.closedAtTheEnd(scene.provider.openSelector());
        scene.key = scene.channel.register(scene.selector, SelectionKey.OP_READ);
    }

    static Map<String, Operation> waitingSelects() {
        Map<String, Operation> selects = new LinkedHashMap<>();
        selects.put("select", scene -> scene.selector.select());
        selects.put("select, time limit", scene -> scene.selector.select(100_000));
        selects.put("select with an action", scene -> scene.selector.select(key -> {
            // Nothing to do.
        }));
        return selects;
    }

    static Map<String, Operation> selectorCalls() {
        Map<String, Operation> calls = new LinkedHashMap<>(waitingSelects());
        calls.put("selectNow", scene -> scene.selector.selectNow());
        calls.put("wakeup", scene -> scene.selector.wakeup());
        calls.put("close", scene -> {
            scene.selector.close();
            return "done";
        });
        calls.put("cancel", scene -> {
            scene.key.cancel();
            return "done";
        });
        calls.put("close of the channel", scene -> {
            scene.channel.close();
            return "done";
        });
        calls.put("close of the peer", scene -> {
            scene.peer.close();
            return "done";
        });
        calls.put("peer's write", scene -> scene.peer.write(Channels.bytes(1)));
        calls.put("write", scene -> scene.channel.write(Channels.bytes(1)));
        calls.put("read", scene -> scene.channel.read(Channels.bytes(1)));
        calls.put("shutdownInput", scene -> scene.channel.shutdownInput());
        calls.put("shutdownOutput", scene -> scene.channel.shutdownOutput());
        calls.put("interestOps", scene -> scene.key.interestOps(SelectionKey.OP_WRITE).interestOps());
        calls.put("interestOpsOr", scene -> scene.key.interestOpsOr(SelectionKey.OP_WRITE));
        calls.put("interestOpsAnd", scene -> scene.key.interestOpsAnd(0));
        calls.put("readyOps", scene -> scene.key.readyOps());
        calls.put("attach", scene -> scene.key.attach("other"));
        calls.put("keys", scene -> scene.selector.keys().size());
        calls.put("selectedKeys", scene -> scene.selector.selectedKeys().size());
        calls.put("isOpen", scene -> scene.selector.isOpen());
        calls.put("configureBlocking(true)", scene -> scene.channel.configureBlocking(true));
        calls.put("register again", scene -> scene.channel.register(scene.selector, 0));
        calls.put("register another", scene -> scene.peer.configureBlocking(false).register(scene.selector, SelectionKey.OP_READ));
        calls.put("register a datagram channel", scene -> scene.closedAtTheEnd(scene.provider.openDatagramChannel())
                .configureBlocking(false).register(scene.selector, SelectionKey.OP_READ));
        calls.put("the selector's lock", scene -> {
            synchronized (scene.selector) {
                return "done";
            }
        });
        calls.put("the lock of the keys", scene -> {
            synchronized (scene.selector.keys()) {
                return "done";
            }
        });
        calls.put("the lock of the selected keys", scene -> {
            synchronized (scene.selector.selectedKeys()) {
                return "done";
            }
        });
        return calls;
    }
}
