package org.panamaverbs.softiwarp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;

/** The implementation of {@link DdpContext}. */
public final class SoftDdpContext implements DdpContext {
    /** Opens a context. */
    public SoftDdpContext(Configuration configuration) {
    }

    /** The settings of a context. */
    public static List<Setting<?>> settings() {
        return List.of();
    }

    @Override
    public DdpGroup newGroup() {
        throw new UnsupportedVerbException("not built yet");
    }

    @Override
    public DdpSocket connect(DdpGroup group, DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        throw new UnsupportedVerbException("not built yet");
    }

    @Override
    public DdpListener listen(DdpGroup group, DdpTransport transport, InetSocketAddress local, DdpOptions options) {
        throw new UnsupportedVerbException("not built yet");
    }

    @Override
    public DdpDatagramSocket bind(DdpGroup group, InetSocketAddress local, DdpOptions options) {
        throw new UnsupportedVerbException("not built yet");
    }

    @Override
    public void close() {
    }
}
