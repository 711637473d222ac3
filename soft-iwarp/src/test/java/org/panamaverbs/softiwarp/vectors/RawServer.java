package org.panamaverbs.softiwarp.vectors;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** A server that does with each connection what it is told to, and closes it. */
final class RawServer implements AutoCloseable {
    /** Its behaviour. */
    interface Behaviour {
        void with(Socket socket) throws Exception;
    }

    private final ServerSocket server;

    RawServer(Behaviour behaviour) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(() -> serve(behaviour));
    }

    private void serve(Behaviour behaviour) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout((int) Host.LIMIT.toMillis());
                behaviour.with(socket);
            } catch (SocketException e) {
                // The other side has gone, or this one was closed.
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Waits until the other side has sent so much, or has ended. */
    static byte[] read(Socket socket, int count) throws IOException {
        return socket.getInputStream().readNBytes(count);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
