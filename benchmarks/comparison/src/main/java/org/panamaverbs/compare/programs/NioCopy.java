package org.panamaverbs.compare.programs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The work of a plain program without verbs: messages of a length, from an array through a direct buffer into the socket, and from the
 * socket through a direct buffer into an array. {@code NioCopy serve SIZE} prints where it listens and serves one peer;
 * {@code NioCopy PORT SIZE} and the arguments of {@link Timed} measure against it on loopback.
 */
public final class NioCopy {
    private static final int BUFFER = 64 << 10;

    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final byte[] message;

    private NioCopy(SocketChannel channel, int size) throws IOException {
        this.channel = channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        message = new byte[size];
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        if (arguments[0].equals("serve")) {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0))) {
                Timed.listening(listener.socket().getLocalPort());
                new NioCopy(listener.accept(), size).serve();
            }
            return;
        }
        try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(loopback, Integer.parseInt(arguments[0])))) {
            NioCopy active = new NioCopy(channel, size);
            new Timed(arguments).measure(size, active::send, active::awaitArrival);
        }
    }

    /** Receives messages; one that begins with a 1 is answered with a byte. */
    private void serve() throws IOException {
        try {
            while (true) {
                receive(message.length);
                if (message[0] == 1) {
                    channel.write(ByteBuffer.allocate(1));
                }
            }
        } catch (EOFException e) {
            // The peer has what it wanted.
        }
    }

    private void send() throws IOException {
        for (int at = 0; at < message.length;) {
            int part = Math.min(buffer.capacity(), message.length - at);
            buffer.clear().put(message, at, part).flip();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            at += part;
        }
    }

    private void receive(int size) throws IOException {
        for (int at = 0; at < size;) {
            int count = channel.read(buffer.clear().limit(Math.min(buffer.capacity(), size - at)));
            if (count < 0) {
                throw new EOFException();
            }
            buffer.flip().get(message, at, count);
            at += count;
        }
    }

    /** One message more, whose answer shows that all have arrived. */
    private void awaitArrival() throws IOException {
        message[0] = 1;
        send();
        message[0] = 0;
        receive(1);
        message[0] = 0;
    }
}
