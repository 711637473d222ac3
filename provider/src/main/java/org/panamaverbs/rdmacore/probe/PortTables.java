package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_gid;
import org.panamaverbs.bindings.rdma.ibv_gid_entry;
import org.panamaverbs.bindings.rdma.ibv_port_attr;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PortAddress;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.OptionalCalls;

/** The tables of a device's port: its addresses with their types, and its partition keys. */
// Tested by CoreAddressedQueuePairFaultsTest, RoutingHeaderFaultsTest.
public final class PortTables {
    private static final ValueLayout.OfShort BIG_ENDIAN = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment context;
    private final String device;
    private final int port;
    private final Arena arena;
    private final MemorySegment attributes;

    private PortTables(MemorySegment context, String device, int port, Arena arena) {
        this.context = context;
        this.device = device;
        this.port = port;
        this.arena = arena;
        this.attributes = ibv_port_attr.allocate(arena).fill((byte) 0);
        Calls.QUERY_PORT.succeed("query port " + port + " of " + device, context, (byte) port, attributes);
    }

    /**
     * The addresses of a port, with their places and types.
     *
     * @param isIwarp whether none has a type; the kernel says InfiniBand's then
     */
    public static List<PortAddress> addresses(MemorySegment context, String device, int port, boolean isIwarp) {
        try (Arena arena = Arena.ofConfined()) {
            PortTables tables = new PortTables(context, device, port, arena);
            List<PortAddress> addresses = new ArrayList<>();
            for (int index = 0; index < ibv_port_attr.gid_tbl_len(tables.attributes); index++) {
                GlobalIdentifier identifier = tables.identifier(index);
                if (!identifier.isEmpty()) {
                    addresses.add(new PortAddress(port, index, identifier, isIwarp ? PortAddress.Type.OTHER : tables.type(index)));
                }
            }
            return addresses;
        }
    }

    /** The partition keys of a port, by their places. */
    public static List<Integer> partitionKeys(MemorySegment context, String device, int port) {
        try (Arena arena = Arena.ofConfined()) {
            PortTables tables = new PortTables(context, device, port, arena);
            MemorySegment key = arena.allocate(BIG_ENDIAN);
            List<Integer> keys = new ArrayList<>();
            for (int index = 0; index < tables.partitionKeys(); index++) {
                key.fill((byte) 0);
                Calls.QUERY_PKEY.succeed("ask for the partition key at place " + index + " of port " + port + " of " + device, context,
                        (byte) port, index, key);
                keys.add(Short.toUnsignedInt(key.get(BIG_ENDIAN, 0)));
            }
            return keys;
        }
    }

    /** Throws if a place is not in the port's tables. */
    public static void check(MemorySegment context, String device, QueuePairPort place) {
        try (Arena arena = Arena.ofConfined()) {
            PortTables tables = new PortTables(context, device, place.number(), arena);
            tables.within("source index", place.sourceIndex(), "addresses", ibv_port_attr.gid_tbl_len(tables.attributes));
            // Place 0 is the default partition, also of a port whose driver keeps no table.
            tables.within("partition key's index", place.partitionKeyIndex(), "partition keys", Math.max(tables.partitionKeys(), 1));
        }
    }

    private void within(String name, int index, String table, int length) {
        if (index >= length) {
            throw new IllegalArgumentException("the " + name + " is " + index + ", but port " + port + " of device " + device + " has "
                    + length + " " + table + ", from 0 on");
        }
    }

    /** The address of a queue pair at a place. */
    public static QueuePairAddress address(MemorySegment context, String device, QueuePairPort place, int number, int sequenceNumber,
            int queueKey, int inboundReads) {
        try (Arena arena = Arena.ofConfined()) {
            PortTables tables = new PortTables(context, device, place.number(), arena);
            GlobalIdentifier identifier = tables.identifier(place.sourceIndex());
            int local = Short.toUnsignedInt(ibv_port_attr.lid(tables.attributes));
            if (identifier.isEmpty() && (local == 0 || tables.isEthernet())) {
                throw new IllegalStateException("place " + place.sourceIndex() + " of the addresses of port " + place.number()
                        + " of device " + device + " is empty: create the queue pair with another source index, see Device.addresses");
            }
            return new QueuePairAddress(number, sequenceNumber, queueKey, identifier, tables.isEthernet() ? 0 : local,
                    Ports.mtu(ibv_port_attr.active_mtu(tables.attributes)), inboundReads);
        }
    }

    /**
     * Whether packets on a route carry a global routing header of 40 bytes, as UCX decides it: on Ethernet, if the port demands it, into
     * another subnet, without a LID, and if the program gives a traffic class or a flow label, which only that header has.
     */
    public static boolean needsRoutingHeader(MemorySegment context, String device, AddressVector route) {
        if (route.destination().isEmpty()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            PortTables tables = new PortTables(context, device, route.port(), arena);
            return tables.isEthernet() || (ibv_port_attr.flags(tables.attributes) & Rdma.IBV_QPF_GRH_REQUIRED()) != 0
                    || route.localIdentifier() == 0 || route.trafficClass() != 0 || route.flowLabel() != 0
                    || tables.identifier(route.sourceIndex()).prefix() != route.destination().prefix();
        }
    }

    private int partitionKeys() {
        return Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(attributes));
    }

    private boolean isEthernet() {
        return ibv_port_attr.link_layer(attributes) == Rdma.IBV_LINK_LAYER_ETHERNET();
    }

    /** Tables have up to 1,024 places, most of them empty: some libraries call that an error. */
    private GlobalIdentifier identifier(int index) {
        MemorySegment raw = ibv_gid.allocate(arena).fill((byte) 0);
        return Rdma.ibv_query_gid(context, (byte) port, index, raw) == 0 ? GlobalIdentifier.of(raw.toArray(ValueLayout.JAVA_BYTE))
                : new GlobalIdentifier(0, 0);
    }

    private PortAddress.Type type(int index) {
        MemorySegment entry = ibv_gid_entry.allocate(arena).fill((byte) 0);
        if (OptionalCalls.QUERY_GID_EX.isEmpty()
                || OptionalCalls.QUERY_GID_EX.get().attempt(context, port, index, entry, 0, ibv_gid_entry.sizeof()) != 0) {
            return PortAddress.Type.OTHER;
        }
        int type = ibv_gid_entry.gid_type(entry);
        if (type == Rdma.IBV_GID_TYPE_ROCE_V2()) {
            return PortAddress.Type.ROCE_V2;
        } else if (type == Rdma.IBV_GID_TYPE_ROCE_V1()) {
            return PortAddress.Type.ROCE_V1;
        }
        return type == Rdma.IBV_GID_TYPE_IB() ? PortAddress.Type.INFINIBAND : PortAddress.Type.OTHER;
    }
}
