package example.loopback;

import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.spi.ObjectChecks;

/** The common part of both sides of a connection in the making: a queue pair, which closes with them unless it is connected. */
abstract class Half {
    final LoopbackDevice device;
    final Lifetime lifetime;
    LoopbackQueuePair queuePair;
    /** This side's end of the connection, once it is made. */
    LoopbackConnection connection;

    Half(String name, LoopbackDevice device) {
        this.device = device;
        this.lifetime = new Lifetime(name, this::end, device.lifetime);
    }

    public final QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        ObjectChecks.queuePair(device, domain, attributes);
        try (var _ = Fabric.enter()) {
            lifetime.check();
            if (queuePair != null) {
                throw new IllegalStateException(this + " has a queue pair already");
            }
            queuePair = new LoopbackQueuePair((LoopbackDomain) domain, attributes);
            lifetime.dependOn(queuePair.lifetime);
            return queuePair;
        }
    }

    final void checkQueuePair() {
        if (queuePair == null) {
            throw new IllegalStateException(this + " has no queue pair: call createQueuePair first");
        }
    }

    private void end() {
        if (connection == null) {
            if (queuePair != null) {
                queuePair.close();
            }
            givenUp();
        }
    }

    /** It was closed before there was a connection. */
    abstract void givenUp();

    public final void close() {
        lifetime.close();
    }
}
