package org.panamaverbs.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A relay to a service. When it stalls, it takes nothing more from the service, and passes on what clients send. */
public final class StallingRelay implements AutoCloseable {
    private static final int BYTES = 64 << 10;
    private final InetSocketAddress service;
    private final String from;
    private final ServerSocket server = new ServerSocket();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean stalled;

    /**
     * Opens one.
     *
     * @param from the address that the service sees
     */
    public StallingRelay(InetSocketAddress service, String from) throws IOException {
        this.service = service;
        this.from = from;
        server.bind(new InetSocketAddress("127.0.0.1", 0));
        Thread.ofVirtual().start(this::accept);
    }

    /** Where clients connect to. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** From now on it takes nothing from the service. */
    public void stall() {
        stalled = true;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket upstream = new Socket();
                upstream.setReceiveBufferSize(BYTES);
                upstream.bind(new InetSocketAddress(from, 0));
                upstream.connect(service);
                sockets.add(client);
                sockets.add(upstream);
                Thread.ofVirtual().start(() -> pass(client, upstream, false));
                Thread.ofVirtual().start(() -> pass(upstream, client, true));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void pass(Socket in, Socket out, boolean stalls) {
        byte[] bytes = new byte[BYTES];
        try (in; out) {
            InputStream input = in.getInputStream();
            OutputStream output = out.getOutputStream();
            for (int length = input.read(bytes); length >= 0; length = input.read(bytes)) {
                output.write(bytes, 0, length);
                while (stalls && stalled && !in.isClosed()) {
                    Thread.sleep(1);
                }
            }
        } catch (SocketException e) {
            // One end has gone, and so does the other.
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
