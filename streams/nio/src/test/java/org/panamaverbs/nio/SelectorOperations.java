package org.panamaverbs.nio;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.nio.Scene.Operation;
import org.panamaverbs.nio.Scene.State;

/** The operations of selectors and keys, with channels of every kind. */
final class SelectorOperations {
    private SelectorOperations() {
    }

    /** Gives a channel in non-blocking mode. */
    @FunctionalInterface
    private interface Kind {
        SelectableChannel open(Scene scene) throws IOException;
    }

    private static Pipe pipe(Scene scene) throws IOException {
        Pipe pipe = scene.provider.openPipe();
        scene.closedAtTheEnd(pipe.source());
        scene.closedAtTheEnd(pipe.sink());
        return pipe;
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put("stream", scene -> {
            scene.connect();
            SelectableChannel connected = scene.channel;
            scene.channel = null;
            return connected;
        });
        kinds.put("fresh stream", scene -> scene.closedAtTheEnd(scene.provider.openSocketChannel()));
        kinds.put("server", scene -> scene.closedAtTheEnd(scene.provider.openServerSocketChannel()).bind(Providers.anyPort()));
        kinds.put("fresh server", scene -> scene.closedAtTheEnd(scene.provider.openServerSocketChannel()));
        kinds.put("datagrams",
                scene -> scene.closedAtTheEnd(scene.provider.openDatagramChannel(StandardProtocolFamily.INET)).bind(Providers.anyPort()));
        kinds.put("pipe's source", scene -> pipe(scene).source());
        kinds.put("pipe's sink", scene -> pipe(scene).sink());
        return kinds;
    }

    /** {@return the states of a key: each kind of channel, in each stage of its registration} */
    static Map<String, State> states() {
        Map<String, State> states = new LinkedHashMap<>();
        kinds().forEach((name, kind) -> {
            State registered = scene -> {
                scene.other = kind.open(scene);
                scene.other.configureBlocking(false);
                scene.selector = scene.closedAtTheEnd(scene.provider.openSelector());
                scene.key = scene.other.register(scene.selector, scene.other.validOps() & ~SelectionKey.OP_CONNECT, "attachment");
            };
            states.put("key of " + name, registered);
            states.put("selected key of " + name, scene -> {
                registered.prepare(scene);
                if (scene.other instanceof VerbsSocketChannel ours && ours.carrier() instanceof StreamCarrier stream) {
                    Scene.await(() -> (stream.readyOps() & SelectionKey.OP_WRITE) != 0);
                }
                scene.selector.selectNow();
            });
            states.put("cancelled key of " + name, scene -> {
                registered.prepare(scene);
                scene.selector.selectNow();
                scene.key.cancel();
            });
            states.put("removed key of " + name, scene -> {
                registered.prepare(scene);
                scene.key.cancel();
                scene.selector.selectNow();
            });
            states.put("key of closed " + name, scene -> {
                registered.prepare(scene);
                scene.other.close();
            });
            states.put("closed selector's key of " + name, scene -> {
                registered.prepare(scene);
                scene.selector.close();
            });
            states.put("woken selector's key of " + name, scene -> {
                registered.prepare(scene);
                scene.key.interestOps(0);
                scene.selector.wakeup();
            });
        });
        return states;
    }

    /** {@return what programs do with a selector and a key} */
    static Map<String, Operation> operations() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("selectNow", scene -> selected(scene, scene.selector.selectNow()));
        operations.put("select(20)", scene -> selected(scene, scene.selector.select(20)));
        operations.put("select(-1)", scene -> scene.selector.select(-1));
        operations.put("select(no action)", scene -> scene.selector.select(null));
        operations.put("select(action, -1)", scene -> scene.selector.select(key -> {
            // Not called.
        }, -1));
        operations.put("selectNow(action)", scene -> {
            List<Object> keys = new ArrayList<>();
            int count = scene.selector.selectNow(key -> keys.add(key.readyOps()));
            return List.of(count, keys, scene.selector.selectedKeys().size());
        });
        operations.put("selectNow(action that cancels)", scene -> {
            int count = scene.selector.selectNow(SelectionKey::cancel);
            return selected(scene, count);
        });
        operations.put("selectNow(action that selects)", scene -> scene.selector.selectNow(key -> {
            try {
                scene.selector.selectNow();
            } catch (IOException e) {
                throw new IllegalArgumentException(e);
            }
        }));
        operations.put("selectNow twice", scene -> {
            scene.selector.selectNow();
            return selected(scene, scene.selector.selectNow());
        });
        operations.put("selectNow, removed, selectNow", scene -> {
            scene.selector.selectNow();
            scene.selector.selectedKeys().clear();
            return selected(scene, scene.selector.selectNow());
        });
        operations.put("interrupted select", scene -> {
            Thread.currentThread().interrupt();
            return selected(scene, scene.selector.select());
        });
        operations.put("selectedKeys().add", scene -> scene.selector.selectedKeys().add(scene.key));
        operations.put("selectedKeys().remove", scene -> scene.selector.selectedKeys().remove(scene.key));
        operations.put("selectedKeys().contains", scene -> scene.selector.selectedKeys().contains(scene.key));
        operations.put("keys().clear", scene -> {
            scene.selector.keys().clear();
            return "done";
        });
        operations.put("keys", scene -> scene.selector.keys().size());
        operations.put("wakeup", scene -> scene.selector.wakeup());
        operations.put("close", scene -> {
            scene.selector.close();
            return scene.other.isRegistered();
        });
        operations.put("isOpen", scene -> scene.selector.isOpen());
        for (int ops : new int[] { 0, 1, 4, 5, 8, 16, -1 }) {
            operations.put("interestOps(" + ops + ")", scene -> scene.key.interestOps(ops).interestOps());
            operations.put("interestOpsOr(" + ops + ")", scene -> List.of(scene.key.interestOpsOr(ops), scene.key.interestOps()));
            operations.put("interestOpsAnd(" + ops + ")", scene -> List.of(scene.key.interestOpsAnd(ops), scene.key.interestOps()));
            operations.put("register(" + ops + ")",
                    scene -> List.of(scene.other.register(scene.selector, ops, "new"), scene.key.attachment()));
        }
        operations.put("interestOps", scene -> scene.key.interestOps());
        operations.put("readyOps", scene -> scene.key.readyOps());
        operations.put("isReadable", scene -> scene.key.isReadable());
        operations.put("isWritable", scene -> scene.key.isWritable());
        operations.put("isConnectable", scene -> scene.key.isConnectable());
        operations.put("isAcceptable", scene -> scene.key.isAcceptable());
        operations.put("attach", scene -> List.of(scene.key.attach("new"), scene.key.attachment()));
        operations.put("channel", scene -> scene.key.channel());
        operations.put("selector", scene -> scene.key.selector() == scene.selector);
        operations.put("keyFor", scene -> scene.other.keyFor(scene.selector));
        operations.put("isRegistered", scene -> scene.other.isRegistered());
        operations.put("configureBlocking(true)", scene -> scene.other.configureBlocking(true));
        operations.put("configureBlocking(true), selectNow", scene -> {
            scene.other.configureBlocking(true);
            return selected(scene, scene.selector.selectNow());
        });
        operations.put("cancel, configureBlocking(true), selectNow", scene -> {
            scene.key.cancel();
            scene.other.configureBlocking(true);
            return List.of(selected(scene, scene.selector.selectNow()), scene.other.isRegistered(), scene.other.isBlocking());
        });
        operations.put("cancel twice", scene -> {
            scene.key.cancel();
            scene.key.cancel();
            return scene.selector.keys().size();
        });
        operations.put("register with two", scene -> {
            Selector second = scene.closedAtTheEnd(scene.provider.openSelector());
            scene.other.register(second, scene.other.validOps());
            return List.of(scene.other.keyFor(second) != scene.key, second.keys().size());
        });
        return operations;
    }

    private static Object selected(Scene scene, int count) {
        return List.of("count", count, "selected", scene.selector.selectedKeys().size(), "keys", scene.selector.keys().size(), "ready",
                scene.key.isValid() ? scene.key.readyOps() : -1);
    }
}
