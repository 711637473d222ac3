package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What carries a socket channel: from the moment that the program connects, a channel of the JDK or a stream. {@link ChannelConnection} has
 * one carrier at a time, and replaces it as a whole.
 *
 * <pre>
 *                connect to a named address   to another one   the peer does not accept verbs   close
 * Undecided      StreamCarrier                JdkCarrier                                        Closed
 * StreamCarrier                                                JdkCarrier                       Closed
 * JdkCarrier                                                                                    Closed
 * </pre>
 */
sealed interface Carrier {
    /** {@return its own address; {@code null} if it has none} */
    @Nullable
    InetSocketAddress localAddress();

    /** {@return the address of the peer, also before it is connected; {@code null} if it has none} */
    @Nullable
    InetSocketAddress remoteAddress();

    /** @param cuts whether bytes that were written may be lost */
    void close(boolean cuts) throws IOException;

    /** A channel of the JDK has the options and the address of the channel. */
    sealed interface OfJdk extends Carrier permits Undecided, JdkCarrier {
        SocketChannel plain();

        @Override
        default @Nullable InetSocketAddress localAddress() {
            try {
                return (InetSocketAddress) plain().getLocalAddress();
            } catch (IOException e) {
                // It is closed.
                return null;
            }
        }

        @Override
        default void close(boolean cuts) throws IOException {
            plain().close();
        }
    }

    /** The program has not connected the channel. */
    record Undecided(SocketChannel plain) implements OfJdk {
        @Override
        public @Nullable InetSocketAddress remoteAddress() {
            return null;
        }
    }

    /**
     * It moves bytes once it is connected. The caller holds the lock of reads or of writes. The order of the checks is that of the JDK's
     * channels.
     */
    sealed interface OfBytes extends Carrier permits JdkCarrier, StreamCarrier {
        /** @param timeout of a channel in blocking mode */
        long read(ByteBuffer[] into, int offset, int length, Duration timeout) throws IOException;

        long write(ByteBuffer[] from, int offset, int length) throws IOException;

        /** Writes all bytes, which an array has, of a channel in blocking mode, or fails. */
        void writeWhole(ByteBuffer from) throws IOException;

        /** {@return how many bytes can be read at once} */
        int available() throws IOException;

        /** The program has shut the input down. */
        void shutdownInput() throws IOException;

        /** The program has shut the output down. */
        void shutdownOutput() throws IOException;

        /** {@return the operations that it is ready for over verbs} */
        int readyOps();
    }

    /** The program has closed the channel. */
    record Closed(@Nullable InetSocketAddress localAddress, @Nullable InetSocketAddress remoteAddress) implements Carrier {
        @Override
        public void close(boolean cuts) {
            // It is closed.
        }
    }
}
