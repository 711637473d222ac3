package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.verbs_context;

/** The verbs that came later, as function pointers that lie before a device's context ({@code struct verbs_context}). */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class ExtendedContext {
    /** What {@code abi_compat} is where the struct is there (__VERBS_ABI_IS_EXTENDED). */
    private static final long EXTENDED = -1;

    private ExtendedContext() {
    }

    /**
     * A function of a device.
     *
     * @param offset of its pointer in {@code verbs_context}
     * @return {@link MemorySegment#NULL} where the library is older than the verb, or the driver does not have it
     */
    static MemorySegment function(MemorySegment context, long offset) {
        if (ibv_context.abi_compat(context).address() != EXTENDED) {
            return MemorySegment.NULL;
        }
        MemorySegment extended = MemorySegment.ofAddress(context.address() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        // New verbs are added at the front, which the size tells of.
        return verbs_context.sz(extended) < verbs_context.sizeof() - offset ? MemorySegment.NULL
                : extended.get(ValueLayout.ADDRESS, offset);
    }
}
