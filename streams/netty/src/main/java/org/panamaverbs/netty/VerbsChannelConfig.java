package org.panamaverbs.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.sockets.StreamOptions;

/**
 * The options of a {@link VerbsSocketChannel}. {@code SO_RCVBUF}, {@code SO_SNDBUF}, {@code SO_LINGER} and {@code ALLOW_HALF_CLOSURE} work
 * as they do for TCP; the two sizes count until the channel connects. {@code TCP_NODELAY}, {@code SO_KEEPALIVE}, {@code SO_REUSEADDR} and
 * {@code IP_TOS} are kept and have no effect: the provider has settings for them. As with NIO, a closed channel has no options of a socket:
 * their methods throw {@link ChannelException}.
 */
// Tested by NettySuiteTest, TranscriptTest.
public final class VerbsChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private static final int NO_LINGER = -1;
    /** The JDK's limit, in seconds. */
    private static final int LONGEST_LINGER = 65_535;
    private static final int MOST_TRAFFIC_CLASS = 255;
    /** The two bits of congestion notification, which TCP keeps for itself. */
    private static final int CONGESTION_BITS = 3;

    private final Runnable clearRead;
    private volatile StreamOptions options = StreamOptions.defaults();
    private volatile int linger = NO_LINGER;
    private volatile boolean allowsHalfClosure;
    private volatile boolean noDelay = true;
    private volatile boolean keepsAlive;
    private volatile boolean reusesAddress;
    private volatile int trafficClass;

    /** @param clearRead called when the program turns AUTO_READ off: a read that has not begun does not begin */
    VerbsChannelConfig(SocketChannel channel, Runnable clearRead) {
        super(channel);
        this.clearRead = clearRead;
    }

    StreamOptions options() {
        return options;
    }

    /** Whether closing resets the connection. */
    boolean abortsOnClose() {
        return linger == 0;
    }

    static void requireOpen(Channel channel) {
        if (!channel.isOpen()) {
            throw new ChannelException(new ClosedChannelException());
        }
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_SNDBUF, ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE, ChannelOption.SO_REUSEADDR, ChannelOption.SO_LINGER, ChannelOption.IP_TOS,
                ChannelOption.ALLOW_HALF_CLOSURE);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        Object value = own(option);
        return value == null ? super.getOption(option) : (T) value;
    }

    private @Nullable Object own(ChannelOption<?> option) {
        if (option == ChannelOption.SO_RCVBUF) {
            return getReceiveBufferSize();
        }
        if (option == ChannelOption.SO_SNDBUF) {
            return getSendBufferSize();
        }
        if (option == ChannelOption.TCP_NODELAY) {
            return isTcpNoDelay();
        }
        if (option == ChannelOption.SO_KEEPALIVE) {
            return isKeepAlive();
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return isReuseAddress();
        }
        if (option == ChannelOption.SO_LINGER) {
            return getSoLinger();
        }
        if (option == ChannelOption.IP_TOS) {
            return getTrafficClass();
        }
        return option == ChannelOption.ALLOW_HALF_CLOSURE ? isAllowHalfClosure() : null;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == ChannelOption.TCP_NODELAY) {
            setTcpNoDelay((Boolean) value);
        } else if (option == ChannelOption.SO_KEEPALIVE) {
            setKeepAlive((Boolean) value);
        } else if (option == ChannelOption.SO_REUSEADDR) {
            setReuseAddress((Boolean) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == ChannelOption.IP_TOS) {
            setTrafficClass((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public boolean isTcpNoDelay() {
        requireOpen(channel);
        return noDelay;
    }

    @Override
    public SocketChannelConfig setTcpNoDelay(boolean always) {
        requireOpen(channel);
        noDelay = always;
        return this;
    }

    @Override
    public int getSoLinger() {
        requireOpen(channel);
        return linger;
    }

    @Override
    public SocketChannelConfig setSoLinger(int seconds) {
        requireOpen(channel);
        linger = Math.clamp(seconds, NO_LINGER, LONGEST_LINGER);
        if (linger > 0) {
            options = options.withLinger(Duration.ofSeconds(linger));
        }
        return this;
    }

    @Override
    public int getSendBufferSize() {
        requireOpen(channel);
        return options.sendBuffer();
    }

    @Override
    public SocketChannelConfig setSendBufferSize(int bytes) {
        int nearest = nearest(bytes);
        requireOpen(channel);
        options = options.withSendBuffer(nearest);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        requireOpen(channel);
        return options.receiveBuffer();
    }

    @Override
    public SocketChannelConfig setReceiveBufferSize(int bytes) {
        int nearest = nearest(bytes);
        requireOpen(channel);
        options = options.withReceiveBuffer(nearest);
        return this;
    }

    /** A size is a wish, as it is for TCP. */
    static int nearest(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a buffer has 1 byte or more, not " + bytes);
        }
        return Math.clamp(bytes, StreamOptions.LEAST_BUFFER, StreamOptions.MOST_BUFFER);
    }

    @Override
    public boolean isKeepAlive() {
        requireOpen(channel);
        return keepsAlive;
    }

    @Override
    public SocketChannelConfig setKeepAlive(boolean keeps) {
        requireOpen(channel);
        keepsAlive = keeps;
        return this;
    }

    @Override
    public int getTrafficClass() {
        requireOpen(channel);
        return trafficClass;
    }

    @Override
    public SocketChannelConfig setTrafficClass(int value) {
        requireOpen(channel);
        if (value < 0 || value > MOST_TRAFFIC_CLASS) {
            throw new IllegalArgumentException("IP_TOS is from 0 to " + MOST_TRAFFIC_CLASS + ", not " + value);
        }
        trafficClass = value & ~CONGESTION_BITS;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        requireOpen(channel);
        return reusesAddress;
    }

    @Override
    public SocketChannelConfig setReuseAddress(boolean reuses) {
        requireOpen(channel);
        reusesAddress = reuses;
        return this;
    }

    @Override
    public SocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowsHalfClosure;
    }

    @Override
    public SocketChannelConfig setAllowHalfClosure(boolean allows) {
        allowsHalfClosure = allows;
        return this;
    }

    @Override
    protected void autoReadCleared() {
        clearRead.run();
    }

    @Override
    public SocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public SocketChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public SocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public SocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public SocketChannelConfig setAutoRead(boolean reads) {
        super.setAutoRead(reads);
        return this;
    }

    @Override
    public SocketChannelConfig setAutoClose(boolean closes) {
        super.setAutoClose(closes);
        return this;
    }

    @Override
    public SocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public SocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }

    @Override
    @Deprecated
    public SocketChannelConfig setWriteBufferHighWaterMark(int mark) {
        super.setWriteBufferHighWaterMark(mark);
        return this;
    }

    @Override
    @Deprecated
    public SocketChannelConfig setWriteBufferLowWaterMark(int mark) {
        super.setWriteBufferLowWaterMark(mark);
        return this;
    }
}
