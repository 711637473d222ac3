package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_device;
import org.panamaverbs.bindings.rdma.ibv_device_attr_ex;
import org.panamaverbs.bindings.rdma.ibv_odp_caps;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ControlCall;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.ffi.OptionalCalls;
import org.panamaverbs.spi.AccessFlags;

/**
 * Which kinds of memory a device can register besides the plain one. Verbs answer one of them (on-demand paging); the others have to be
 * tried: dma-buf with an invalid descriptor. Relaxed ordering is a hint, which libibverbs omits if the kernel does not know it; only
 * devices on a bus have the capability.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
record MemoryCapabilities(boolean onDemand, boolean dmaBuf, boolean relaxedOrdering) {
    private static final int NO_DESCRIPTOR = -1;

    static MemoryCapabilities of(MemorySegment context) {
        MemorySegment domain = MemorySegment.NULL;
        try (Arena arena = Arena.ofConfined()) {
            domain = Calls.ALLOC_PD.object("try a protection domain", context);
            return new MemoryCapabilities(pagesOnDemand(context, arena), takesDmaBuf(domain), relaxes(context, domain, arena));
        } catch (VerbsException e) {
            // If something is short now, a program learns that when it asks for the real thing.
            return new MemoryCapabilities(false, false, false);
        } finally {
            if (domain.address() != 0) {
                Calls.DEALLOC_PD.attempt(domain);
            }
        }
    }

    /** For what every region is used for: sending, receiving, and the peer's Writes and Reads. */
    private static boolean pagesOnDemand(MemorySegment context, Arena arena) {
        MemorySegment query = ExtendedVerbs.operation(context, verbs_context.query_device_ex$offset());
        MemorySegment device = ibv_device_attr_ex.allocate(arena).fill((byte) 0);
        if (query.address() == 0
                || verbs_context.query_device_ex.invoke(query, context, MemorySegment.NULL, device, ibv_device_attr_ex.sizeof()) != 0) {
            return false;
        }
        MemorySegment paging = ibv_device_attr_ex.odp_caps(device);
        int needed = Rdma.IBV_ODP_SUPPORT_SEND() | Rdma.IBV_ODP_SUPPORT_RECV() | Rdma.IBV_ODP_SUPPORT_WRITE() | Rdma.IBV_ODP_SUPPORT_READ();
        int connected = ibv_odp_caps.per_transport_caps.rc_odp_caps(ibv_odp_caps.per_transport_caps(paging));
        return (ibv_odp_caps.general_caps(paging) & Rdma.IBV_ODP_SUPPORT()) != 0 && (connected & needed) == needed;
    }

    /** A device that can looks for the descriptor, and finds none. */
    private static boolean takesDmaBuf(MemorySegment domain) {
        return OptionalCalls.REG_DMABUF_MR.isPresent() && refusal(OptionalCalls.REG_DMABUF_MR.get(), domain, 0L, NativeMemory.PAGE, 0L,
                NO_DESCRIPTOR, AccessFlags.LOCAL_WRITE) == Libc.EBADF();
    }

    /** Every kernel takes the hint, or has it left out; it means something to devices that write over a bus. */
    private static boolean relaxes(MemorySegment context, MemorySegment domain, Arena arena) {
        MemorySegment page = arena.allocate(NativeMemory.PAGE, NativeMemory.PAGE);
        String path = ibv_device.ibdev_path(ibv_context.device(context).reinterpret(ibv_device.sizeof())).getString(0);
        return Files.exists(Path.of(path, "device")) && OptionalCalls.REG_MR_IOVA2.isPresent() && refusal(OptionalCalls.REG_MR_IOVA2.get(),
                domain, page, NativeMemory.PAGE, page.address(), AccessFlags.LOCAL_WRITE | AccessFlags.RELAXED_ORDERING) == 0;
    }

    /** Why a registration is refused; a registration that is not refused is given back at once. */
    private static int refusal(ControlCall call, Object... arguments) {
        try {
            Calls.DEREG_MR.attempt(call.object("try a registration", arguments));
            return 0;
        } catch (SystemException e) {
            return e.errorNumber();
        }
    }
}
