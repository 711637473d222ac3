package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_gid;
import org.panamaverbs.bindings.rdma.ibv_port_attr;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.rdmacore.ffi.Calls;

/** Asks a device's ports how they are. */
public final class Ports {
    /** The physical states of the InfiniBand specification by their numbers (14.2.5.6), which libibverbs has no names for. */
    private static final String[] PHYSICAL_STATES = { "unknown", "SLEEP", "POLLING", "DISABLED", "PORT_CONFIGURATION_TRAINING", "LINK_UP",
            "LINK_ERROR_RECOVERY", "PHY_TEST" };
    /** The shortest MTU, {@code IBV_MTU_256}, is number 1; each next is twice as long. */
    private static final int HALF_OF_SHORTEST_MTU = 128;

    private Ports() {
    }

    /** All ports of a device that has so many. */
    public static List<PortAttributes> of(MemorySegment context, String device, int count) {
        List<PortAttributes> ports = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment port = ibv_port_attr.allocate(arena);
            for (int number = 1; number <= count; number++) {
                port.fill((byte) 0);
                // The symbol fills the struct as it was once, which today's begins with.
                Calls.QUERY_PORT.succeed("query port " + number + " of " + device, context, (byte) number, port);
                ports.add(describe(number, port, identifiers(context, number, ibv_port_attr.gid_tbl_len(port), arena)));
            }
        }
        return ports;
    }

    /** The longest packet that a port can have now. */
    public static int activeMtu(MemorySegment context, String device, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment port = ibv_port_attr.allocate(arena).fill((byte) 0);
            Calls.QUERY_PORT.succeed("query port " + number + " of " + device, context, (byte) number, port);
            return mtu(ibv_port_attr.active_mtu(port));
        }
    }

    /** Whether one of a device's ports is ACTIVE. */
    public static boolean isAnyActive(MemorySegment context, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment port = ibv_port_attr.allocate(arena).fill((byte) 0);
            for (int number = 1; number <= count; number++) {
                if (Calls.QUERY_PORT.attempt(context, (byte) number, port) == 0 && ibv_port_attr.state(port) == Rdma.IBV_PORT_ACTIVE()) {
                    return true;
                }
            }
            return false;
        }
    }

    private static PortAttributes describe(int number, MemorySegment port, List<GlobalIdentifier> identifiers) {
        int physical = Byte.toUnsignedInt(ibv_port_attr.phys_state(port));
        boolean isEthernet = ibv_port_attr.link_layer(port) == Rdma.IBV_LINK_LAYER_ETHERNET();
        return new Port(number, PortAttributes.State.of(ibv_port_attr.state(port)),
                PHYSICAL_STATES[physical < PHYSICAL_STATES.length ? physical : 0], mtu(ibv_port_attr.max_mtu(port)),
                mtu(ibv_port_attr.active_mtu(port)), isEthernet ? "Ethernet" : "InfiniBand",
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(port)), Short.toUnsignedInt(ibv_port_attr.lid(port)),
                Short.toUnsignedInt(ibv_port_attr.sm_lid(port)), Byte.toUnsignedInt(ibv_port_attr.lmc(port)),
                Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(port)),
                lanes(ibv_port_attr.active_width(port)) * laneSpeed(ibv_port_attr.active_speed(port)), identifiers);
    }

    private record Port(int number, State state, String physicalState, int maximumMtu, int activeMtu, String linkLayer,
            long maximumMessageSize, int localIdentifier, int subnetManager, int localIdentifierMask, int partitionKeys, double speed,
            List<GlobalIdentifier> identifiers) implements PortAttributes {
    }

    static int mtu(int value) {
        return value >= Rdma.IBV_MTU_256() && value <= Rdma.IBV_MTU_4096() ? HALF_OF_SHORTEST_MTU << value : 0;
    }

    /** PortInfo's LinkWidthActive. */
    static int lanes(byte width) {
        return switch (width) {
            case 1 -> 1;
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 0;
        };
    }

    /** PortInfo's LinkSpeedActive and LinkSpeedExtActive as {@code ibv_port_attr} has them, in Gbit/s. */
    static double laneSpeed(byte speed) {
        return switch (Byte.toUnsignedInt(speed)) {
            case 1 -> 2.5;
            case 2 -> 5;
            case 4, 8 -> 10;
            case 16 -> 14;
            case 32 -> 25;
            case 64 -> 50;
            case 128 -> 100;
            default -> 0;
        };
    }

    private static List<GlobalIdentifier> identifiers(MemorySegment context, int port, int places, Arena arena) {
        MemorySegment raw = ibv_gid.allocate(arena);
        List<GlobalIdentifier> identifiers = new ArrayList<>();
        int used = 0;
        for (int i = 0; i < places; i++) {
            // Tables have up to 1,024 places, most of them empty: some libraries call that an error.
            if (Rdma.ibv_query_gid(context, (byte) port, i, raw) != 0) {
                raw.fill((byte) 0);
            }
            GlobalIdentifier identifier = GlobalIdentifier.of(raw.toArray(ValueLayout.JAVA_BYTE));
            identifiers.add(identifier);
            if (!identifier.isEmpty()) {
                used = identifiers.size();
            }
        }
        return identifiers.subList(0, used);
    }
}
