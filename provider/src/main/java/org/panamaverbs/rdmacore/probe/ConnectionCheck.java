package org.panamaverbs.rdmacore.probe;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_device;
import org.panamaverbs.bindings.rdma.ibv_device_attr;
import org.panamaverbs.bindings.rdma.ibv_gid;
import org.panamaverbs.bindings.rdma.ibv_port_attr;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.Calls;

/**
 * Whether a reliable connection over a device is possible, as far as that shows before one is made: the device has reliable connections at
 * all, and one of its active ports belongs to a network interface with an IP address. Whether a peer can be reached does not show.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class ConnectionCheck {
    /** EFA has datagrams only, and no connection manager. */
    static final int AMAZON = 0x1d0f;

    private final Contexts.Context context;
    private final LocalInterfaces interfaces;

    private ConnectionCheck(Contexts.Context context, LocalInterfaces interfaces) {
        this.context = context;
        this.interfaces = interfaces;
    }

    /** Whether a device has reliable connections of InfiniBand or RoCE. */
    static boolean hasReliableConnections(Contexts.Context context, int vendor) {
        return context.transport() == Rdma.IBV_TRANSPORT_IB() && vendor != AMAZON;
    }

    /**
     * Whether a session with these devices needs librdmacm's events: one of the devices has reliable connections, or does not say what it is.
     * EFA has none, and a machine with nothing else may lack the kernel's {@code rdma_ucm}.
     */
    public static boolean needsConnections(List<Contexts.Context> contexts) {
        return contexts.stream().anyMatch(context -> context.isIwarp() || hasReliableConnections(context, vendor(context)));
    }

    private static int vendor(Contexts.Context context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limits = ibv_device_attr.allocate(arena).fill((byte) 0);
            Calls.QUERY_DEVICE.attempt(context.address(), limits);
            return ibv_device_attr.vendor_id(limits);
        }
    }

    /** Why no connection over a device is possible, with the device's name and a cure; {@code null} if one is. */
    static String refusal(Contexts.Context context, LocalInterfaces interfaces) {
        return new ConnectionCheck(context, interfaces).refusal();
    }

    /** Devices that can carry a connection come first. */
    public static List<Contexts.Context> sorted(List<Contexts.Context> contexts) {
        if (contexts.size() < 2) {
            return contexts;
        }
        LocalInterfaces interfaces = LocalInterfaces.find();
        List<Contexts.Context> sorted = new ArrayList<>(contexts);
        sorted.sort(Comparator.comparing(context -> refusal(context, interfaces) != null));
        return sorted;
    }

    private String refusal() {
        if (context.transport() != Rdma.IBV_TRANSPORT_IB() && context.transport() != Rdma.IBV_TRANSPORT_IWARP()) {
            return unreliable();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limits = ibv_device_attr.allocate(arena).fill((byte) 0);
            int error = Calls.QUERY_DEVICE.attempt(context.address(), limits);
            if (error != 0) {
                return "device " + context.name() + " cannot be queried: ibv_query_device: " + Errno.describe(error);
            }
            return ibv_device_attr.vendor_id(limits) == AMAZON ? unreliable()
                    : refusal(Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(limits)), arena);
        }
    }

    private String unreliable() {
        return "device " + context.name() + " has no reliable connections (EFA, for one, has none): use another device, or soft-iwarp";
    }

    private String refusal(int ports, Arena arena) {
        boolean active = false;
        MemorySegment port = ibv_port_attr.allocate(arena).fill((byte) 0);
        for (int number = 1; number <= ports; number++) {
            if (Calls.QUERY_PORT.attempt(context.address(), (byte) number, port) == 0
                    && ibv_port_attr.state(port) == Rdma.IBV_PORT_ACTIVE()) {
                active = true;
                if (hasAddress(number, ibv_port_attr.gid_tbl_len(port), arena)) {
                    return null;
                }
            }
        }
        return active
                ? "no active port of device " + context.name() + " has an IP address to connect from: give its network interface one "
                        + "(ip address add), on InfiniBand that of IPoIB (modprobe ib_ipoib)"
                : "device " + context.name() + " has no active port: bring its network interface up (ip link set up)";
    }

    private boolean hasAddress(int port, int places, Arena arena) {
        MemorySegment raw = ibv_gid.allocate(arena);
        for (int i = 0; i < places; i++) {
            // Most places of a table are empty: some libraries call that an error.
            if (Rdma.ibv_query_gid(context.address(), (byte) port, i, raw) == 0) {
                GlobalIdentifier identifier = GlobalIdentifier.of(raw.toArray(ValueLayout.JAVA_BYTE));
                if (interfaces.has(identifier) || !identifier.isEmpty() && interfaces.has(interfaceOf(port, i))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The interface that an identifier belongs to, as the kernel says; empty if it does not say. */
    private String interfaceOf(int port, int index) {
        String device = ibv_device.ibdev_path(ibv_context.device(context.address()).reinterpret(ibv_device.sizeof())).getString(0);
        try {
            return Files.readString(Path.of(device, "ports", Integer.toString(port), "gid_attrs", "ndevs", Integer.toString(index)))
                    .strip();
        } catch (IOException e) {
            return "";
        }
    }
}
