package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.posix.Native;

/**
 * The call of libefa ({@code infiniband/efadv.h}) that makes a queue pair for reliable datagrams (SRD). The generated bindings are of
 * libibverbs and librdmacm; a test holds the layout here against the header. libefa comes with the driver of the device, so that it is looked
 * for only if there is such a device.
 */
@SuppressWarnings("restricted") // looking for native libraries is what this class is for
public final class EfaCalls {
    /**
     * {@code struct efadv_qp_init_attr} as of rdma-core 26. Later ones are longer and take this length, too; the last bytes are reserved here
     * and flags there, of which 0 is none.
     */
    static final StructLayout QP_INIT_ATTR = MemoryLayout.structLayout(ValueLayout.JAVA_LONG.withName("comp_mask"),
            ValueLayout.JAVA_INT.withName("driver_qp_type"), MemoryLayout.paddingLayout(4)).withName("efadv_qp_init_attr");
    /** {@code EFADV_QP_DRIVER_TYPE_SRD}. */
    static final int SRD = 0;

    private static final String LIBRARY = "libefa.so.1";
    private static final String CREATE_QP_EX = "efadv_create_qp_ex";
    private static final long DRIVER_QP_TYPE = QP_INIT_ATTR.byteOffset(PathElement.groupElement("driver_qp_type"));

    /** Looked for when it is first asked for. */
    private static final class Found {
        private static final ControlCall BY_POINTER = new ControlCall(CREATE_QP_EX, () -> Native.link(FunctionDescriptor
                .of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT)));
        private static final Optional<ControlCall> CREATE = find();

        private static Optional<ControlCall> find() {
            try {
                return SymbolLookup.libraryLookup(LIBRARY, Arena.global()).find(CREATE_QP_EX).map(BY_POINTER::at);
            } catch (IllegalArgumentException missing) {
                return Optional.empty();
            }
        }
    }

    private EfaCalls() {
    }

    /** Whether the library has the call: since rdma-core 26. */
    public static boolean isPresent() {
        return Found.CREATE.isPresent();
    }

    /**
     * Makes a queue pair for reliable datagrams.
     *
     * @param action  completes "cannot ..."
     * @param context of a device of libefa
     * @param wanted  an {@code ibv_qp_init_attr_ex} of type {@code IBV_QPT_DRIVER}, with its domain
     * @return its {@code ibv_qp}
     */
    public static MemorySegment createReliableDatagrams(String action, MemorySegment context, MemorySegment wanted) {
        ControlCall create = Found.CREATE
                .orElseThrow(() -> new UnsupportedVerbException("cannot " + action + ": " + LIBRARY + " has no " + CREATE_QP_EX));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment type = arena.allocate(QP_INIT_ATTR).fill((byte) 0);
            type.set(ValueLayout.JAVA_INT, DRIVER_QP_TYPE, SRD);
            return create.object(action, context, wanted, type, (int) type.byteSize());
        }
    }
}
