package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.support.Waits;

/** Makes listeners and connectors. */
final class SoftConnectionManager implements ConnectionManager {
    private final SoftDevice device;

    SoftConnectionManager(SoftDevice device) {
        this.device = device;
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, int typeOfService) {
        Route.checkResolved(local);
        Route.checkTypeOfService(typeOfService);
        if (backlog < 1) {
            throw new IllegalArgumentException("the backlog is 1 or more, not " + backlog);
        }
        SoftListener listener = new SoftListener(device, local, backlog, typeOfService);
        device.children().add(listener);
        return listener;
    }

    @Override
    public Connector connector(Route route, Duration timeout) {
        Waits.nanos(timeout);
        SoftConnector connector = new SoftConnector(device, Objects.requireNonNull(route));
        device.children().add(connector);
        return connector;
    }

    static SoftQueuePair createQueuePair(SoftDevice device, ProtectionDomain domain, QueuePairAttributes attributes) {
        Objects.requireNonNull(domain);
        Objects.requireNonNull(attributes);
        if (!(domain instanceof SoftProtectionDomain own) || own.device() != device) {
            throw new IllegalArgumentException("the protection domain is not one of device " + device.name());
        }
        return Shortage.naming("a queue pair", () -> new SoftQueuePair(own, attributes));
    }

    /** The terms of this side on a channel. */
    static Terms terms(SoftDevice device, ConnectionParameters parameters, Channel channel) {
        ConnectionParameters fitting = parameters.fitting(device);
        return new Terms(device.settings().mpaRevision(), device.settings().asksForCrc(channel), fitting.inboundReads(),
                fitting.outboundReads(), fitting.privateData());
    }
}
