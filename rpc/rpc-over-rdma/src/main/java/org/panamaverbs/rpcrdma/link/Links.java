package org.panamaverbs.rpcrdma.link;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.Device;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.gate.Seat;

/** Makes links, each with a reactor of its device that has room for it. */
public final class Links implements AutoCloseable {
    private final Map<Device, List<Reactor>> reactors = new LinkedHashMap<>();
    private final String name;
    private boolean closed;

    /**
     * Makes one.
     *
     * @param name of its threads
     */
    public Links(String name) {
        this.name = name;
    }

    synchronized VerbsLink make(Device device, LinkOptions options, KeptRegistrations kept, Dispatcher dispatcher, Seat seat) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        Reactor reactor = reactor(device, options);
        VerbsLink link = null;
        try {
            link = new VerbsLink(reactor, options, kept, dispatcher, seat);
            return link;
        } finally {
            if (link == null) {
                reactor.leave();
            }
        }
    }

    private Reactor reactor(Device device, LinkOptions options) {
        List<Reactor> ofDevice = reactors.computeIfAbsent(device, d -> new ArrayList<>());
        for (Reactor reactor : ofDevice) {
            if (reactor.enter()) {
                return reactor;
            }
        }
        Reactor reactor = new Reactor(device, options.completions(), name + "-" + ofDevice.size());
        ofDevice.add(reactor);
        if (!reactor.enter()) {
            throw new IllegalArgumentException(
                    "device " + device.name() + " has completion queues of " + device.attributes().maximumCompletionQueueEntries()
                            + " entries; a connection needs " + options.completions() + ": ask for fewer credits");
        }
        return reactor;
    }

    @Override
    public void close() {
        List<Reactor> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            reactors.values().forEach(all::addAll);
            reactors.clear();
        }
        all.forEach(Reactor::close);
    }
}
