package org.panamaverbs.rdmacore;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.panamaverbs.Device;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.rdmacore.cm.ConnectingDevice;
import org.panamaverbs.rdmacore.cm.ConnectionScope;
import org.panamaverbs.rdmacore.cm.CoreConnectionManager;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.rdmacore.lifecycle.Children;
import org.panamaverbs.rdmacore.probe.ConnectionCheck;
import org.panamaverbs.rdmacore.probe.Contexts;
import org.panamaverbs.spi.VerbsProvider;

/** A session: all devices, and the thread that reads their events. */
final class CoreSession implements VerbsProvider.Session, ConnectionScope {
    private final Contexts contexts;
    private final EventReader reader;
    private final List<CoreDevice> devices = new ArrayList<>();
    /** Listeners, and connectors before their route is found. */
    private final Children children = new Children("the session");
    private final CoreConnectionManager connectionManager = new CoreConnectionManager(this);
    private boolean closed;

    /**
     * @param extended whether to use the extended calls of devices that have them
     */
    CoreSession(boolean extended) {
        DeviceClaim.take();
        Contexts opened = null;
        try {
            opened = Contexts.open();
            reader = new EventReader();
        } catch (RuntimeException | Error e) {
            if (opened != null) {
                opened.close();
            }
            DeviceClaim.release();
            throw e;
        }
        contexts = opened;
        try {
            ConnectionCheck.sorted(contexts.list()).forEach(context -> devices.add(new CoreDevice(context, reader, extended)));
            devices.sort((a, b) -> Boolean.compare(b.attributes().active(), a.attributes().active()));
            reader.start(devices);
        } catch (RuntimeException | Error e) {
            RuntimeException other = attempt(this::close, null);
            if (other != null) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    @Override
    public List<Device> devices() {
        return List.copyOf(devices);
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        return type == ConnectionManager.class ? Optional.of(type.cast(connectionManager)) : Optional.empty();
    }

    @Override
    public EventReader reader() {
        return reader;
    }

    @Override
    public Children children() {
        return children;
    }

    @Override
    public CoreDevice find(long context) {
        for (CoreDevice device : devices) {
            if (device.find(context) != null) {
                return device;
            }
        }
        return null;
    }

    @Override
    public String describe() {
        return "those of this session";
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        RuntimeException failure = attempt(children::close, null);
        for (CoreDevice device : devices) {
            failure = attempt(device::closeChildren, failure);
        }
        failure = attempt(reader::close, failure);
        for (CoreDevice device : devices) {
            failure = attempt(device::close, failure);
        }
        failure = attempt(contexts::close, failure);
        DeviceClaim.release();
        if (failure != null) {
            throw failure;
        }
    }

    /** A step that fails does not keep the next ones from being taken: threads and descriptors would stay. */
    private static RuntimeException attempt(Runnable step, RuntimeException before) {
        try {
            step.run();
            return before;
        } catch (RuntimeException e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }
}
