package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.rdmacore.ffi.WindowCalls;
import org.panamaverbs.spi.support.Children;

/** The regions and windows of a protection domain, and what they have in common. */
public final class DomainMemory {
    private final ProtectionDomain domain;
    private final MemorySegment address;
    private final Regions byKey;
    private final WindowCalls windowCalls;
    private final BooleanSupplier hasFailed;
    private final Children regions = new Children("the protection domain");
    private final Children windows = new Children("the protection domain");

    /**
     * @param address   the {@code ibv_pd}
     * @param byKey     all regions of the device
     * @param hasFailed whether the device failed, or is gone
     */
    public DomainMemory(ProtectionDomain domain, MemorySegment address, Regions byKey, WindowCalls windowCalls, BooleanSupplier hasFailed) {
        this.domain = domain;
        this.address = address;
        this.byKey = byKey;
        this.windowCalls = windowCalls;
        this.hasFailed = hasFailed;
    }

    ProtectionDomain domain() {
        return domain;
    }

    Device device() {
        return domain.device();
    }

    MemorySegment address() {
        return address;
    }

    Regions byKey() {
        return byKey;
    }

    WindowCalls windowCalls() {
        return windowCalls;
    }

    boolean hasDeviceFailed() {
        return hasFailed.getAsBoolean();
    }

    public Children regions() {
        return regions;
    }

    public Children windows() {
        return windows;
    }
}
