package org.panamaverbs.softiwarp.transport.capture;

import java.net.InetSocketAddress;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.spi.support.Rollback;

/** A multiplexer whose channels are captured. Datagrams are not. */
public final class CapturingMultiplexer implements Multiplexer {
    private final Multiplexer inner;
    private final CaptureFile file;

    /** Makes one; closing it closes both. */
    public CapturingMultiplexer(Multiplexer inner, CaptureFile file) {
        this.inner = inner;
        this.file = file;
    }

    private static Channel inner(Channel channel) {
        return channel instanceof CapturedChannel captured ? captured.inner() : channel;
    }

    @Override
    public Channel connect(Route route) {
        return captured(inner.connect(route), true);
    }

    private Channel captured(Channel channel, boolean active) {
        try (Rollback undo = new Rollback()) {
            undo.add(channel::close);
            CapturedChannel captured = new CapturedChannel(channel, file, active);
            undo.commit();
            return captured;
        }
    }

    @Override
    public Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService) {
        return new CapturedAcceptor(inner.listen(local, backlog, typeOfService));
    }

    private final class CapturedAcceptor implements Acceptor<Channel> {
        private final Acceptor<Channel> acceptor;

        CapturedAcceptor(Acceptor<Channel> acceptor) {
            this.acceptor = acceptor;
        }

        @Override
        public Channel accept() {
            Channel channel = acceptor.accept();
            return channel == null ? null : captured(channel, false);
        }

        @Override
        public InetSocketAddress address() {
            return acceptor.address();
        }

        @Override
        public void close() {
            acceptor.close();
        }
    }

    @Override
    public void add(Acceptor<Channel> acceptor, Handler handler) {
        inner.add(acceptor instanceof CapturedAcceptor captured ? captured.acceptor : acceptor, handler);
    }

    @Override
    public Registration add(Channel channel, Handler handler) {
        return inner.add(inner(channel), handler);
    }

    @Override
    public void remove(Channel channel) {
        inner.remove(inner(channel));
    }

    @Override
    public void unwatch(Channel channel) {
        inner.unwatch(inner(channel));
    }

    @Override
    public boolean watch(Channel channel) {
        return inner.watch(inner(channel));
    }

    @Override
    public DatagramPort bind(DatagramBinding binding) {
        return inner.bind(binding);
    }

    @Override
    public void add(DatagramPort port, Handler handler) {
        inner.add(port, handler);
    }

    @Override
    public int select(long timeoutNanos) {
        return inner.select(timeoutNanos);
    }

    @Override
    public boolean isBusyPolled() {
        return inner.isBusyPolled();
    }

    @Override
    public void wakeUp() {
        inner.wakeUp();
    }

    @Override
    public void close() {
        inner.close();
        file.close();
    }
}
