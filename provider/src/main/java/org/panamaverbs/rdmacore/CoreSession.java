package org.panamaverbs.rdmacore;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.rdmacore.cm.ConnectionScope;
import org.panamaverbs.rdmacore.cm.CoreConnectionManager;
import org.panamaverbs.rdmacore.event.EventReader;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.rdmacore.probe.ConnectionCheck;
import org.panamaverbs.rdmacore.probe.Contexts;
import org.panamaverbs.spi.VerbsProvider;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;

/** A session: all devices, and the thread that reads their events. */
final class CoreSession implements VerbsProvider.Session, ConnectionScope {
    private final EventReader reader;
    private final List<CoreDevice> devices = new ArrayList<>();
    /** Listeners, and connectors before their route is found. */
    private final Children children = new Children("the session");
    private final CoreConnectionManager connectionManager = new CoreConnectionManager(this);
    /** Takes the session apart: the objects of the program first, then the thread, the devices and their contexts. */
    private final Rollback teardown;
    private boolean closed;

    /**
     * @param busyPollNanos   how long a thread busy-polls before it waits
     * @param keepAliveMillis after which time an idle connection is probed; 0 for never
     */
    CoreSession(long busyPollNanos, int keepAliveMillis) {
        try (Rollback undo = new Rollback()) {
            DeviceClaim.take();
            undo.add(DeviceClaim::release);
            Contexts contexts = Contexts.open();
            undo.add(contexts::close);
            contexts.warn();
            reader = new EventReader(ConnectionCheck.needsConnections(contexts.list()), keepAliveMillis);
            undo.add(reader::close);
            for (Contexts.Context context : ConnectionCheck.sorted(contexts.list())) {
                CoreDevice device = new CoreDevice(context, reader, busyPollNanos, keepAliveMillis > 0);
                undo.add(device::close);
                devices.add(device);
            }
            devices.sort((a, b) -> Boolean.compare(b.attributes().active(), a.attributes().active()));
            reader.start(devices, this::fail);
            undo.add(reader::stop);
            devices.forEach(device -> undo.add(device::closeChildren));
            undo.add(children::close);
            teardown = undo.commit();
        }
    }

    /** All waits fail, and all connections end. */
    private void fail(String how) {
        devices.forEach(device -> device.fail(how));
        DeviceFailure failure = new DeviceFailure("each device of the session", how);
        children.open().forEach(child -> ((DeviceFailureListener) child).onDeviceFailure(failure));
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
    public void requireConnections() {
        if (devices.stream().noneMatch(device -> device.supports(Capability.RELIABLE_CONNECTION))) {
            throw Capability.RELIABLE_CONNECTION.missingOn(devices.getFirst());
        }
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
        teardown.close();
    }
}
