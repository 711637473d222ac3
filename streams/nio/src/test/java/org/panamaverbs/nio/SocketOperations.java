package org.panamaverbs.nio;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.nio.Scene.Operation;

/** The operations of socket adapters. */
final class SocketOperations {
    private SocketOperations() {
    }

    @FunctionalInterface
    private interface OfSocket {
        Object run(Socket socket) throws Exception;
    }

    @FunctionalInterface
    private interface Setter {
        void set(Socket socket) throws Exception;
    }

    private static void put(Map<String, Operation> operations, String name, OfSocket operation) {
        operations.put("socket: " + name, scene -> operation.run(scene.channel.socket()));
    }

    private static void set(Map<String, Operation> operations, String name, Setter setter, OfSocket getter) {
        put(operations, name, socket -> {
            setter.set(socket);
            return getter.run(socket);
        });
    }

    /** {@return those of {@link Socket}} */
    static Map<String, Operation> ofSockets() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        bytes(operations);
        put(operations, "bind(null)", socket -> {
            socket.bind(null);
            return socket.getLocalSocketAddress();
        });
        put(operations, "bind(a free port)", socket -> {
            socket.bind(Providers.anyPort());
            return socket.isBound();
        });
        put(operations, "bind(unresolved)", socket -> {
            socket.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
            return socket.isBound();
        });
        put(operations, "connect(null)", socket -> {
            socket.connect(null);
            return "done";
        });
        put(operations, "connect(unresolved)", socket -> {
            socket.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
            return "done";
        });
        put(operations, "connect(refused)", socket -> {
            socket.connect(ChannelStates.nowhere());
            return "done";
        });
        put(operations, "connect(refused, 1000)", socket -> {
            socket.connect(ChannelStates.nowhere(), 1000);
            return "done";
        });
        put(operations, "connect(-1)", socket -> {
            socket.connect(ChannelStates.nowhere(), -1);
            return "done";
        });
        operations.put("socket: connect(the server, 5000)", scene -> {
            if (scene.server == null || !scene.server.isOpen()) {
                scene.serve();
            }
            scene.channel.socket().connect(scene.address(), 5000);
            return "done";
        });
        put(operations, "getChannel", Socket::getChannel);
        put(operations, "close", socket -> {
            socket.close();
            return socket.isClosed();
        });
        put(operations, "shutdownInput", socket -> {
            socket.shutdownInput();
            return socket.isInputShutdown();
        });
        put(operations, "shutdownOutput", socket -> {
            socket.shutdownOutput();
            return socket.isOutputShutdown();
        });
        getters(operations);
        return operations;
    }

    private static void bytes(Map<String, Operation> operations) {
        put(operations, "getInputStream", Socket::getInputStream);
        put(operations, "getOutputStream", Socket::getOutputStream);
        // In each state, the streams of a socket that had them before.
        operations.put("socket: available", scene -> scene.channel.socket().getInputStream().available());
        put(operations, "ready", socket -> new BufferedReader(new InputStreamReader(socket.getInputStream())).ready());
        put(operations, "read", socket -> socket.getInputStream().read());
        put(operations, "read, timeout", socket -> {
            socket.setSoTimeout(20);
            return socket.getInputStream().read();
        });
        put(operations, "read(0)", socket -> socket.getInputStream().read(new byte[0]));
        put(operations, "read(4)", socket -> socket.getInputStream().read(new byte[4]));
        put(operations, "read(null)", socket -> socket.getInputStream().read(null));
        put(operations, "read(4, 2, 3)", socket -> socket.getInputStream().read(new byte[4], 2, 3));
        put(operations, "read(4, -1, 3)", socket -> socket.getInputStream().read(new byte[4], -1, 3));
        put(operations, "skip(2)", socket -> socket.getInputStream().skip(2));
        put(operations, "skip(-1)", socket -> socket.getInputStream().skip(-1));
        put(operations, "readNBytes(3)", socket -> socket.getInputStream().readNBytes(3).length);
        put(operations, "mark", socket -> socket.getInputStream().markSupported());
        put(operations, "reset of the stream", socket -> {
            socket.getInputStream().reset();
            return "done";
        });
        put(operations, "close of the input", socket -> {
            socket.getInputStream().close();
            return socket.isClosed();
        });
        put(operations, "read after the close", socket -> {
            InputStream input = socket.getInputStream();
            input.close();
            return input.read();
        });
        put(operations, "available after the close", socket -> {
            InputStream input = socket.getInputStream();
            input.close();
            return input.available();
        });
        put(operations, "write after the close", socket -> {
            java.io.OutputStream output = socket.getOutputStream();
            output.close();
            output.write(1);
            return "done";
        });
        put(operations, "write", socket -> {
            socket.getOutputStream().write(1);
            return "done";
        });
        put(operations, "write(0)", socket -> {
            socket.getOutputStream().write(new byte[0]);
            return "done";
        });
        put(operations, "write(null)", socket -> {
            socket.getOutputStream().write(null);
            return "done";
        });
        put(operations, "write(4, 3, 2)", socket -> {
            socket.getOutputStream().write(new byte[4], 3, 2);
            return "done";
        });
        put(operations, "flush", socket -> {
            socket.getOutputStream().flush();
            return "done";
        });
        put(operations, "write after the shutdown", socket -> {
            java.io.OutputStream output = socket.getOutputStream();
            socket.shutdownOutput();
            output.write(1);
            return "done";
        });
        put(operations, "read after the shutdown", socket -> {
            InputStream input = socket.getInputStream();
            socket.shutdownInput();
            return input.read();
        });
        put(operations, "available after the shutdown", socket -> {
            InputStream input = socket.getInputStream();
            socket.shutdownInput();
            return input.available();
        });
        put(operations, "sendUrgentData", socket -> {
            socket.sendUrgentData(1);
            return "done";
        });
    }

    private static void getters(Map<String, Operation> operations) {
        put(operations, "getInetAddress", Socket::getInetAddress);
        put(operations, "getLocalAddress", Socket::getLocalAddress);
        operations.put("socket: getPort", scene -> "port=" + scene.channel.socket().getPort());
        operations.put("socket: getLocalPort", scene -> "port=" + scene.channel.socket().getLocalPort());
        put(operations, "getRemoteSocketAddress", Socket::getRemoteSocketAddress);
        put(operations, "getLocalSocketAddress", Socket::getLocalSocketAddress);
        put(operations, "isConnected", Socket::isConnected);
        put(operations, "isBound", Socket::isBound);
        put(operations, "isClosed", Socket::isClosed);
        put(operations, "isInputShutdown", Socket::isInputShutdown);
        put(operations, "isOutputShutdown", Socket::isOutputShutdown);
        put(operations, "toString", Socket::toString);
        put(operations, "supportedOptions", Socket::supportedOptions);
    }

    /** {@return its options, set to values that fit and that do not} */
    static Map<String, Operation> setters() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        for (int value : new int[] { -1, 0, 1, 5, 300, 100_000 }) {
            set(operations, "setSoTimeout " + value, socket -> socket.setSoTimeout(value), Socket::getSoTimeout);
            set(operations, "setSoLinger " + value, socket -> socket.setSoLinger(true, value), Socket::getSoLinger);
            set(operations, "setSoLinger off " + value, socket -> socket.setSoLinger(false, value), Socket::getSoLinger);
            set(operations, "setSendBufferSize " + value, socket -> socket.setSendBufferSize(value), Socket::getSendBufferSize);
            set(operations, "setReceiveBufferSize " + value, socket -> socket.setReceiveBufferSize(value), Socket::getReceiveBufferSize);
            set(operations, "setTrafficClass " + value, socket -> socket.setTrafficClass(value), Socket::getTrafficClass);
        }
        for (boolean value : new boolean[] { true, false }) {
            set(operations, "setTcpNoDelay " + value, socket -> socket.setTcpNoDelay(value), Socket::getTcpNoDelay);
            set(operations, "setKeepAlive " + value, socket -> socket.setKeepAlive(value), Socket::getKeepAlive);
            set(operations, "setReuseAddress " + value, socket -> socket.setReuseAddress(value), Socket::getReuseAddress);
            set(operations, "setOOBInline " + value, socket -> socket.setOOBInline(value), Socket::getOOBInline);
        }
        set(operations, "setPerformancePreferences", socket -> socket.setPerformancePreferences(1, 2, 3), Socket::isBound);
        set(operations, "setOption", socket -> socket.setOption(StandardSocketOptions.SO_LINGER, 3),
                socket -> socket.getOption(StandardSocketOptions.SO_LINGER));
        return operations;
    }

    /** {@return those of {@link java.net.ServerSocket}} */
    static Map<String, Operation> ofServerSockets() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("socket: accept", scene -> scene.server.socket().accept());
        operations.put("socket: accept, timeout", scene -> {
            scene.server.socket().setSoTimeout(20);
            return scene.server.socket().accept();
        });
        operations.put("socket: getInetAddress", scene -> scene.server.socket().getInetAddress());
        operations.put("socket: getLocalPort", scene -> "port=" + scene.server.socket().getLocalPort());
        operations.put("socket: getLocalSocketAddress", scene -> scene.server.socket().getLocalSocketAddress());
        operations.put("socket: getChannel", scene -> scene.server.socket().getChannel());
        operations.put("socket: isBound", scene -> scene.server.socket().isBound());
        operations.put("socket: isClosed", scene -> scene.server.socket().isClosed());
        operations.put("socket: toString", scene -> scene.server.socket().toString());
        operations.put("socket: supportedOptions", scene -> scene.server.socket().supportedOptions());
        operations.put("socket: close", scene -> {
            scene.server.socket().close();
            return scene.server.isOpen();
        });
        for (int value : new int[] { -1, 0, 1, 100_000 }) {
            operations.put("socket: setSoTimeout " + value, scene -> {
                scene.server.socket().setSoTimeout(value);
                return scene.server.socket().getSoTimeout();
            });
            operations.put("socket: setReceiveBufferSize " + value, scene -> {
                scene.server.socket().setReceiveBufferSize(value);
                return scene.server.socket().getReceiveBufferSize();
            });
        }
        for (boolean value : new boolean[] { true, false }) {
            operations.put("socket: setReuseAddress " + value, scene -> {
                scene.server.socket().setReuseAddress(value);
                return scene.server.socket().getReuseAddress();
            });
        }
        operations.put("socket: setPerformancePreferences", scene -> {
            scene.server.socket().setPerformancePreferences(1, 2, 3);
            return "done";
        });
        operations.put("socket: getOption", scene -> scene.server.socket().getOption(StandardSocketOptions.SO_REUSEADDR));
        return operations;
    }
}
