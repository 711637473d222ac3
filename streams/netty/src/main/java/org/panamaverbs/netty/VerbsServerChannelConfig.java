package org.panamaverbs.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.internal.ObjectUtil;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.sockets.StreamOptions;

/**
 * The options of a {@link VerbsServerSocketChannel}. {@code SO_BACKLOG} counts until the channel is bound, and 0 stands for the default of
 * 128; {@code SO_REUSEADDR} and {@code SO_RCVBUF} are kept and have no effect: a child has its own.
 */
// Tested by NettySuiteTest, TranscriptTest, VerbsServerSocketChannelTest.
public final class VerbsServerChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private static final int USUAL_BACKLOG = 128;
    private static final int RESERVE = 256 << 10;

    private final Runnable clearRead;
    private volatile int backlog = USUAL_BACKLOG;
    private volatile boolean reusesAddress = true;
    private volatile int receiveBuffer = StreamOptions.defaults().receiveBuffer();
    /**
     * Keeps memory for Netty's acceptor. When a peer's channel fails it turns automatic reads off, and schedules a task that turns them on.
     * Without memory for the task the server would be deaf.
     */
    private byte @Nullable [] reserve;

    /** @param clearRead called when the program turns AUTO_READ off: no peer is accepted until it reads */
    VerbsServerChannelConfig(ServerSocketChannel channel, Runnable clearRead) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.clearRead = clearRead;
    }

    /** Called before a peer is given to Netty's acceptor; without memory for the reserve, it is too early for the peer. */
    void reserve() {
        if (reserve == null) {
            reserve = new byte[RESERVE];
        }
    }

    /** {@return how many peers wait for the program} */
    int peers() {
        return backlog == 0 ? USUAL_BACKLOG : backlog;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG, ChannelOption.SO_REUSEADDR, ChannelOption.SO_RCVBUF);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_BACKLOG) {
            return (T) Integer.valueOf(getBacklog());
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) Boolean.valueOf(isReuseAddress());
        }
        return option == ChannelOption.SO_RCVBUF ? (T) Integer.valueOf(getReceiveBufferSize()) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_BACKLOG) {
            setBacklog((Integer) value);
        } else if (option == ChannelOption.SO_REUSEADDR) {
            setReuseAddress((Boolean) value);
        } else if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public ServerSocketChannelConfig setBacklog(int peers) {
        backlog = ObjectUtil.checkPositiveOrZero(peers, "backlog");
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        VerbsChannelConfig.requireOpen(channel);
        return reusesAddress;
    }

    @Override
    public ServerSocketChannelConfig setReuseAddress(boolean reuses) {
        VerbsChannelConfig.requireOpen(channel);
        reusesAddress = reuses;
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        VerbsChannelConfig.requireOpen(channel);
        return receiveBuffer;
    }

    @Override
    public ServerSocketChannelConfig setReceiveBufferSize(int bytes) {
        int nearest = VerbsChannelConfig.nearest(bytes);
        VerbsChannelConfig.requireOpen(channel);
        receiveBuffer = nearest;
        return this;
    }

    @Override
    public ServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public ServerSocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setAutoRead(boolean reads) {
        if (!reads) {
            reserve = null;
        }
        super.setAutoRead(reads);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        clearRead.run();
    }

    @Override
    public ServerSocketChannelConfig setAutoClose(boolean closes) {
        super.setAutoClose(closes);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public ServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setWriteBufferHighWaterMark(int mark) {
        super.setWriteBufferHighWaterMark(mark);
        return this;
    }

    @Override
    @Deprecated
    public ServerSocketChannelConfig setWriteBufferLowWaterMark(int mark) {
        super.setWriteBufferLowWaterMark(mark);
        return this;
    }
}
