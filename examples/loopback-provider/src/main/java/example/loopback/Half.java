package example.loopback;

import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.ObjectChecks;

/** The common part of both sides of a connection in the making: a queue pair, which closes with them unless it is connected. */
abstract class Half implements AutoCloseable {
    final LoopbackDevice device;
    final Children children;
    LoopbackQueuePair queuePair;
    /** This side's end of the connection, once it is made. */
    LoopbackConnection connection;

    Half(String name, LoopbackDevice device) {
        this.device = device;
        this.children = new Children(name);
        device.children.add(this);
    }

    public final QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        ObjectChecks.queuePair(device, domain, attributes);
        try (var _ = Fabric.enter()) {
            children.check();
            if (queuePair != null) {
                throw new IllegalStateException(this + " has a queue pair already");
            }
            queuePair = new LoopbackQueuePair((LoopbackDomain) domain, attributes);
            queuePair.children.add(this);
            return queuePair;
        }
    }

    final void checkQueuePair() {
        if (queuePair == null) {
            throw new IllegalStateException(this + " has no queue pair: call createQueuePair first");
        }
    }

    /** It was closed before there was a connection. */
    abstract void givenUp();

    @Override
    public final void close() {
        try (var _ = Fabric.enter()) {
            if (!children.close()) {
                return;
            }
            device.children.remove(this);
            if (queuePair != null) {
                queuePair.children.remove(this);
            }
            if (connection == null) {
                if (queuePair != null) {
                    queuePair.close();
                }
                givenUp();
            }
        }
    }
}
