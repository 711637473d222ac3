package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.rlimit;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ControlCall;
import org.panamaverbs.rdmacore.ffi.OptionalCalls;

/** Registers memory with a device ({@code struct ibv_mr}), and says what to do where that fails. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class Registration {
    private Registration() {
    }

    /** Memory of this machine. */
    static MemorySegment of(DomainMemory memory, MemorySegment segment, int access) {
        long length = segment.byteSize();
        String tried = "register " + length + " bytes on " + memory.device().name();
        try {
            return register(tried, memory.address(), segment, access).reinterpret(ibv_mr.sizeof());
        } catch (ResourceException e) {
            throw explain(e);
        } catch (SystemException e) {
            throw explain(e, segment);
        }
    }

    /** {@code ibv_reg_mr} is a macro too: rights that are hints go by another call, which leaves them out where the kernel is too old. */
    private static MemorySegment register(String tried, MemorySegment domain, MemorySegment segment, int access) {
        int hints = Access.RELAXED_ORDERING.bit();
        if ((access & hints) != 0 && OptionalCalls.REG_MR_IOVA2.isPresent()) {
            return OptionalCalls.REG_MR_IOVA2.get().object(tried, domain, segment, segment.byteSize(), segment.address(), access);
        }
        return Calls.REG_MR.object(tried, domain, segment, segment.byteSize(), access & ~hints);
    }

    /** Memory of another device, whose addresses are offsets in it. */
    static MemorySegment ofDmaBuf(DomainMemory memory, int descriptor, long offset, long length, int access) {
        Device device = memory.device();
        ControlCall call = OptionalCalls.REG_DMABUF_MR.orElseThrow(() -> Capability.DMA_BUF.missingOn(device));
        return call
                .object("register " + length + " bytes of dma-buf " + descriptor + " on " + device.name(), memory.address(), offset, length,
                        offset, descriptor, access & ~Access.RELAXED_ORDERING.bit())
                .reinterpret(ibv_mr.sizeof());
    }

    /** Nearly always it is the limit on locked memory. */
    private static VerbsException explain(ResourceException e) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = rlimit.allocate(arena);
            Calls.GETRLIMIT.attempt(Libc.RLIMIT_MEMLOCK(), limit);
            long most = rlimit.rlim_cur(limit);
            String text = most == Libc.RLIM_INFINITY() ? "unlimited" : Long.toUnsignedString(most) + " bytes";
            return new ResourceException(e.getMessage() + "; the process may lock " + text
                    + " of memory (RLIMIT_MEMLOCK) in all registrations together: raise it with \"ulimit -l\", in "
                    + "/etc/security/limits.conf, or with LimitMEMLOCK= of a systemd unit", e);
        }
    }

    private static VerbsException explain(SystemException e, MemorySegment segment) {
        if (e.errorNumber() != Libc.EFAULT() || !segment.isMapped()) {
            return e;
        }
        return new SystemException(
                e.getMessage() + "; some kernels cannot pin a file that is mapped read-only: map it READ_WRITE, or PRIVATE",
                e.errorNumber());
    }
}
