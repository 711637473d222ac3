package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.posix.Native;

/** The calls of memory windows, which have no symbols: function pointers of the context. */
public final class WindowCalls {
    private static final ControlCall ALLOC_MW = new ControlCall("ibv_alloc_mw", () -> Native.link(ibv_context_ops.alloc_mw.descriptor()));
    private static final ControlCall DEALLOC_MW = new ControlCall("ibv_dealloc_mw",
            () -> Native.link(ibv_context_ops.dealloc_mw.descriptor()));

    private final ControlCall allocate;
    private final ControlCall free;
    private final MemorySegment bind;

    public WindowCalls(MemorySegment context) {
        MemorySegment operations = ibv_context.ops(context);
        this.allocate = call(ALLOC_MW, ibv_context_ops.alloc_mw(operations));
        this.free = call(DEALLOC_MW, ibv_context_ops.dealloc_mw(operations));
        this.bind = ibv_context_ops.bind_mw(operations);
    }

    /** {@code null} if the library has none, of which no capability tells then. */
    private static ControlCall call(ControlCall byPointer, MemorySegment pointer) {
        return pointer.address() == 0 ? null : byPointer.at(pointer);
    }

    /** Whether a device allocates windows of a type. */
    public static boolean work(MemorySegment context, String device, MemoryWindow.Type type) {
        MemorySegment operations = ibv_context.ops(context);
        if (ibv_context_ops.alloc_mw(operations).address() == 0 || ibv_context_ops.bind_mw(operations).address() == 0) {
            return false;
        }
        MemorySegment domain = MemorySegment.NULL;
        try {
            domain = Calls.ALLOC_PD.object("try a protection domain", context);
            WindowCalls calls = new WindowCalls(context);
            calls.free(calls.allocate(domain, type, device));
            return true;
        } catch (VerbsException refused) {
            return false;
        } finally {
            if (domain.address() != 0) {
                Calls.DEALLOC_PD.attempt(domain);
            }
        }
    }

    public MemorySegment allocate(MemorySegment domain, MemoryWindow.Type type, String device) {
        int number = type == MemoryWindow.Type.TYPE_1 ? Rdma.IBV_MW_TYPE_1() : Rdma.IBV_MW_TYPE_2();
        return allocate.object("allocate a memory window on " + device, domain, number);
    }

    public void free(MemorySegment window) {
        free.attempt(window);
    }

    /** {@code bind_mw}. */
    public MemorySegment bind() {
        return bind;
    }
}
