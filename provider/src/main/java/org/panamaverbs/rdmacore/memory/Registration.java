package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ControlCall;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.ffi.OptionalCalls;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.statistics.PinnedMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers memory with a device ({@code struct ibv_mr}), and says what to do if that fails. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class Registration {
    private static final Logger LOGGER = LoggerFactory.getLogger(Registration.class);
    /** The length of a part is 32 bits. */
    private static final long LONGEST_PART = 1 << 30;

    private Registration() {
    }

    /**
     * Memory of this machine.
     *
     * @param base the address of its first byte for the device and for peers
     */
    static MemorySegment of(DomainMemory memory, MemorySegment segment, long base, RegistrationAttributes attributes) {
        checkPageOffset(segment.address(), base, NativeMemory.PAGE);
        int access = AccessFlags.of(attributes.access());
        boolean onDemand = attributes.access().contains(Access.ON_DEMAND);
        if (!onDemand) {
            access &= ~AccessFlags.HUGE_PAGES;
        }
        String action = "register " + segment.byteSize() + " bytes on " + memory.device().name();
        try {
            MemorySegment region = register(action, memory.address(), segment, base, access).reinterpret(ibv_mr.sizeof());
            // All other memory is pinned, and so brought into memory.
            if (attributes.prefetch() && onDemand) {
                prefetch(memory, region, base, segment.byteSize(), attributes.access().contains(Access.LOCAL_WRITE));
            }
            return region;
        } catch (ResourceException e) {
            throw explain(e, memory.device().pinnedMemory());
        } catch (SystemException e) {
            throw explain(e, segment);
        }
    }

    /** {@code ibv_reg_mr} is a macro too: rights that are hints go by another call, which leaves them out if the kernel is too old. */
    private static MemorySegment register(String action, MemorySegment domain, MemorySegment segment, long base, int access) {
        int hints = AccessFlags.RELAXED_ORDERING;
        if (((access & hints) != 0 || base != segment.address()) && OptionalCalls.REG_MR_IOVA2.isPresent()) {
            return OptionalCalls.REG_MR_IOVA2.get().object(action, domain, segment, segment.byteSize(), base, access);
        }
        return Calls.REG_MR.object(action, domain, segment, segment.byteSize(), access & ~hints);
    }

    /** The bytes of all pages that some of this memory lies in. */
    static long wholePages(long address, long length, long page) {
        long first = address & -page;
        return (address + length - first + page - 1) & -page;
    }

    /** Devices translate whole pages, and leave the offset within a page as it is. */
    static void checkPageOffset(long address, long base, long page) {
        if (((base ^ address) & page - 1) != 0) {
            throw new IllegalArgumentException("the address 0x" + Long.toHexString(base)
                    + " is at another place of its page than the memory at 0x" + Long.toHexString(address)
                    + ": choose an address with the same lower " + Long.numberOfTrailingZeros(page)
                    + " bits, or allocate the memory with an alignment of " + page + " for an address that is a multiple of that, as 0 is");
        }
    }

    /** A hint: a device that cannot do it fetches each page when it needs that page. */
    private static void prefetch(DomainMemory memory, MemorySegment region, long base, long length, boolean writes) {
        MemorySegment advise = ExtendedVerbs.operation(ibv_mr.context(region), verbs_context.advise_mr$offset());
        if (advise.address() == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment part = ibv_sge.allocate(arena);
            int advice = writes ? Rdma.IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE() : Rdma.IBV_ADVISE_MR_ADVICE_PREFETCH();
            ibv_sge.lkey(part, ibv_mr.lkey(region));
            for (long done = 0; done < length; done += LONGEST_PART) {
                ibv_sge.addr(part, base + done);
                ibv_sge.length(part, (int) Math.min(LONGEST_PART, length - done));
                int error = verbs_context.advise_mr.invoke(advise, memory.address(), advice, Rdma.IBV_ADVISE_MR_FLAG_FLUSH(), part, 1);
                if (error != 0) {
                    LOGGER.debug("{} did not prefetch {} bytes (error {}): it fetches each page when a request needs it",
                            memory.device().name(), length, error);
                    return;
                }
            }
        }
    }

    /** Memory of another device, whose addresses are offsets in it. */
    static MemorySegment ofDmaBuf(DomainMemory memory, int descriptor, long offset, long length, int access) {
        Device device = memory.device();
        ControlCall call = OptionalCalls.REG_DMABUF_MR.orElseThrow(() -> Capability.DMA_BUF.missingOn(device));
        return call.object("register " + length + " bytes of dma-buf " + descriptor + " on " + device.name(), memory.address(), offset,
                length, offset, descriptor, access).reinterpret(ibv_mr.sizeof());
    }

    /** Nearly always it is the limit on locked memory. */
    private static VerbsException explain(ResourceException e, PinnedMemory pinned) {
        String cure = pinned.limit().isPresent()
                ? ": close regions, or raise the limit with \"ulimit -l\", in /etc/security/limits.conf, or with LimitMEMLOCK= of a "
                        + "systemd unit"
                : ": the device or the system has no room for another region; close some";
        return new ResourceException(e.getMessage() + "; " + pinned.describe() + cure, e);
    }

    private static VerbsException explain(SystemException e, MemorySegment segment) {
        if (e.errorNumber() != Libc.EFAULT() || !segment.isMapped() || !segment.isReadOnly()) {
            return e;
        }
        return new SystemException(
                e.getMessage() + "; some kernels cannot pin a file that is mapped read-only: map it READ_WRITE, or PRIVATE",
                e.errorNumber());
    }
}
