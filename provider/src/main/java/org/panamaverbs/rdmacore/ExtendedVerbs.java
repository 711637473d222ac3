package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.verbs_context;

/**
 * The operations that verbs gained later: function pointers of a {@code verbs_context}, which lies around the {@code ibv_context} that a
 * program is given ({@code verbs_get_ctx_op} of verbs.h).
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class ExtendedVerbs {
    /** {@code __VERBS_ABI_IS_EXTENDED}. */
    private static final long IS_EXTENDED = -1;

    private ExtendedVerbs() {
    }

    /**
     * An operation of a context.
     *
     * @param offset of its pointer, from the generated layout
     * @return {@code NULL} where the library does not have it
     */
    static MemorySegment operation(MemorySegment context, long offset) {
        if (ibv_context.abi_compat(context).address() != IS_EXTENDED) {
            return MemorySegment.NULL;
        }
        MemorySegment whole = MemorySegment.ofAddress(context.address() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        // The struct grows at its start: what an older library has of it is its end.
        return verbs_context.sz(whole) < verbs_context.sizeof() - offset ? MemorySegment.NULL : whole.get(ValueLayout.ADDRESS, offset);
    }
}
