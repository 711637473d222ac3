package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.nio.Scene.State;

/** The states of channels. */
final class ChannelStates {
    private ChannelStates() {
    }

    /** {@return those of a socket channel} */
    static Map<String, State> ofChannels() {
        Map<String, State> states = new LinkedHashMap<>();
        states.put("fresh", Scene::open);
        states.put("bound", scene -> {
            scene.open();
            scene.channel.bind(Providers.anyPort());
        });
        states.put("connecting", ChannelStates::connecting);
        states.put("connected", Scene::connect);
        states.put("accepted", scene -> {
            scene.connect();
            java.nio.channels.SocketChannel near = scene.channel;
            scene.channel = scene.peer;
            scene.peer = near;
        });
        states.put("with bytes", scene -> {
            scene.connect();
            scene.peer.write(Channels.bytes(1, 2, 3, 4, 5, 6));
            scene.awaitReadable();
        });
        states.put("peer's output shut", scene -> {
            scene.connect();
            scene.peer.shutdownOutput();
            scene.awaitReadable();
        });
        states.put("peer's output shut after bytes", scene -> {
            scene.connect();
            scene.peer.write(Channels.bytes(1, 2, 3));
            scene.peer.shutdownOutput();
            scene.awaitReadable();
        });
        states.put("peer closed", scene -> {
            scene.connect();
            scene.peer.close();
            scene.awaitReadable();
        });
        states.put("reset", scene -> {
            scene.connect();
            scene.peer.setOption(StandardSocketOptions.SO_LINGER, 0);
            scene.peer.close();
            scene.awaitReadable();
        });
        states.put("full", scene -> {
            scene.connect();
            scene.fill();
        });
        states.put("input shut", scene -> {
            scene.connect();
            scene.channel.shutdownInput();
        });
        states.put("input shut before bytes", scene -> {
            scene.connect();
            scene.peer.write(Channels.bytes(1, 2, 3));
            scene.awaitReadable();
            scene.channel.shutdownInput();
        });
        states.put("output shut", scene -> {
            scene.connect();
            scene.channel.shutdownOutput();
        });
        states.put("both shut", scene -> {
            scene.connect();
            scene.channel.shutdownInput().shutdownOutput();
        });
        states.put("closed fresh", scene -> {
            scene.open();
            scene.channel.close();
        });
        states.put("closed", scene -> {
            scene.connect();
            scene.channel.close();
        });
        states.put("refused", scene -> {
            scene.serve();
            scene.server.close();
            scene.open();
            try {
                scene.channel.connect(scene.address());
            } catch (IOException e) {
                // So it shall be.
            }
        });
        states.put("nonblocking fresh", scene -> {
            scene.open();
            scene.channel.configureBlocking(false);
        });
        for (String name : new String[] { "connected", "with bytes", "peer's output shut", "full", "input shut", "output shut" }) {
            State blocking = states.get(name);
            states.put("nonblocking " + name, scene -> {
                blocking.prepare(scene);
                scene.channel.configureBlocking(false);
            });
        }
        State connected = states.get("nonblocking connected");
        states.put("registered", scene -> {
            connected.prepare(scene);
            register(scene);
        });
        states.put("cancelled", scene -> {
            connected.prepare(scene);
            register(scene);
            scene.key.cancel();
        });
        states.put("closed while registered", scene -> {
            connected.prepare(scene);
            register(scene);
            scene.channel.close();
        });
        return states;
    }

    private static void connecting(Scene scene) throws IOException {
        scene.serve();
        scene.open();
        scene.channel.configureBlocking(false);
        scene.channel.connect(scene.server.getLocalAddress());
    }

    private static void register(Scene scene) throws IOException {
        scene.selector = scene.closedAtTheEnd(scene.provider.openSelector());
        scene.key = scene.channel.register(scene.selector, SelectionKey.OP_READ, "attachment");
        scene.selector.selectNow();
    }

    /** {@return those of a server's channel} */
    static Map<String, State> ofServers() {
        Map<String, State> states = new LinkedHashMap<>();
        states.put("server fresh", scene -> scene.server = scene.closedAtTheEnd(scene.provider.openServerSocketChannel()));
        states.put("server bound", Scene::serve);
        states.put("server with a peer", scene -> {
            scene.serve();
            scene.closedAtTheEnd(scene.provider.openSocketChannel()).connect(scene.address());
        });
        states.put("server closed fresh", scene -> {
            scene.server = scene.provider.openServerSocketChannel();
            scene.server.close();
        });
        states.put("server closed", scene -> {
            scene.serve();
            scene.server.close();
        });
        for (String name : new String[] { "server fresh", "server bound", "server with a peer" }) {
            State blocking = states.get(name);
            states.put("nonblocking " + name, scene -> {
                blocking.prepare(scene);
                scene.server.configureBlocking(false);
                if (name.endsWith("peer") && scene.server instanceof VerbsServerSocketChannel ours) {
                    Scene.await(() -> ours.readyOps() != 0);
                }
            });
        }
        State bound = states.get("nonblocking server bound");
        states.put("server registered", scene -> {
            bound.prepare(scene);
            registerServer(scene);
        });
        states.put("server cancelled", scene -> {
            bound.prepare(scene);
            registerServer(scene);
            scene.key.cancel();
        });
        return states;
    }

    private static void registerServer(Scene scene) throws IOException {
        scene.selector = scene.closedAtTheEnd(scene.provider.openSelector());
        scene.key = scene.server.register(scene.selector, SelectionKey.OP_ACCEPT, "attachment");
    }

    /** {@return an address of this machine at which nothing listens} */
    static InetSocketAddress nowhere() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }
}
