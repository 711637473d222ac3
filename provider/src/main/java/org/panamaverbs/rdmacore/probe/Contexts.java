package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_device;
import org.panamaverbs.bindings.rdma.ibv_port_attr;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;
import org.panamaverbs.spi.support.Rollback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices as librdmacm has opened them: it makes connections on its own contexts only. They are the same for every
 * session, and stay open at least as long as one has them: librdmacm closes the context of a device that is unplugged.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class Contexts implements AutoCloseable {
    /** An open device; only its first port is looked at, as librdmacm finds devices by addresses. */
    public record Context(MemorySegment address, String name, int transport, Port port) {
        public boolean isIwarp() {
            return transport == Rdma.IBV_TRANSPORT_IWARP();
        }

        boolean active() {
            return port.state == Rdma.IBV_PORT_ACTIVE();
        }
    }

    /** The attributes of a port. */
    record Port(int state, long maximumMessage, int linkLayer) {
    }

    private static final Logger LOG = LoggerFactory.getLogger(Contexts.class);

    private final MemorySegment array;
    private final List<Context> list;

    private Contexts(MemorySegment array, List<Context> list) {
        this.array = array;
        this.list = list;
    }

    /** Lists them; empty if there is none. */
    public static Contexts open() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment array;
            try {
                array = Calls.GET_DEVICES.object("list the RDMA devices", count);
                if (count.get(ValueLayout.JAVA_INT, 0) == 0) {
                    Calls.FREE_DEVICES.run(array);
                    throw new SystemException("cannot list the RDMA devices: rdma_get_devices gives none of them", Libc.ENODEV());
                }
            } catch (SystemException e) {
                String refused = Refusals.of(e);
                if (refused == null) {
                    return new Contexts(MemorySegment.NULL, List.of());
                }
                throw new SystemException(refused, e.errorNumber());
            }
            int size = count.get(ValueLayout.JAVA_INT, 0);
            MemorySegment pointers = array.reinterpret(size * ValueLayout.ADDRESS.byteSize());
            List<Context> list = new ArrayList<>();
            Contexts contexts = new Contexts(array, list);
            try (Rollback undo = new Rollback()) {
                undo.add(contexts::close);
                for (int i = 0; i < size; i++) {
                    list.add(read(pointers.getAtIndex(ValueLayout.ADDRESS, i).reinterpret(ibv_context.sizeof()), arena));
                }
                undo.commit();
                return contexts;
            }
        }
    }

    private static Context read(MemorySegment context, Arena arena) {
        MemorySegment device = ibv_context.device(context).reinterpret(ibv_device.sizeof());
        String name = device.address() == 0 ? "without a name" : ibv_device.name(device).getString(0);
        String misfit = ExtendedVerbs.misfit(context);
        if (misfit != null) {
            throw new UnsupportedVerbException(
                    "the library of device " + name + " does not fit the bindings, which are of rdma-core 44: " + misfit);
        }
        MemorySegment port = ibv_port_attr.allocate(arena).fill((byte) 0);
        // The symbol fills the struct as it was once, which today's begins with.
        int failed = Calls.QUERY_PORT.attempt(context, (byte) 1, port);
        Port first = failed != 0 ? new Port(0, 0, 0) : new Port(ibv_port_attr.state(port),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(port)), ibv_port_attr.link_layer(port));
        return new Context(context, name, ibv_device.transport_type(device), first);
    }

    /** Warns of devices that librdmacm leaves out, since they cannot be opened. */
    public void warn() {
        String leftOut = Refusals.leftOut(list.stream().map(Context::name).collect(Collectors.toSet()));
        if (leftOut != null) {
            LOG.warn("an RDMA device is left out: {}", leftOut);
        }
    }

    public List<Context> list() {
        return list;
    }

    @Override
    public void close() {
        if (array.address() != 0) {
            Calls.FREE_DEVICES.run(array);
        }
    }
}
