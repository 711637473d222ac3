package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.rlimit;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.spi.ArenaHold;

/** A memory region. The device knows addresses, not arenas: so the arena stays open until the registration has ended. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreMemoryRegion implements MemoryRegion {
    private final CoreProtectionDomain domain;
    private final MemorySegment segment;
    private final long base;
    private final long length;
    private final int access;
    private final MemorySegment address;
    private final int localKey;
    private final int remoteKey;
    private final ArenaHold hold;
    private volatile boolean valid = true;
    private boolean closed;
    /** What was bound to it and may still be. */
    private final Set<CoreMemoryWindow> windows = new HashSet<>();

    CoreMemoryRegion(CoreProtectionDomain domain, MemorySegment segment, int access) {
        this.domain = domain;
        this.segment = segment;
        this.base = segment.address();
        this.length = segment.byteSize();
        this.access = access;
        this.hold = ArenaHold.of(segment);
        MemorySegment registered;
        try {
            registered = Calls.REG_MR.object("register " + length + " bytes on " + domain.device().name(), domain.address(), segment,
                    length, access & ~Access.RELAXED_ORDERING.bit());
        } catch (ResourceException e) {
            hold.release();
            throw explain(e);
        } catch (SystemException e) {
            hold.release();
            throw explain(e);
        } catch (RuntimeException e) {
            hold.release();
            throw e;
        }
        this.address = registered.reinterpret(ibv_mr.sizeof());
        this.localKey = ibv_mr.lkey(address);
        this.remoteKey = ibv_mr.rkey(address);
        domain.device().regions().add(this);
    }

    /** Nearly always it is the limit on locked memory. */
    private VerbsException explain(ResourceException e) {
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

    private VerbsException explain(SystemException e) {
        if (e.errorNumber() != Libc.EFAULT() || !segment.isMapped()) {
            return e;
        }
        return new SystemException(
                e.getMessage() + "; some kernels cannot pin a file that is mapped read-only: map it READ_WRITE, or PRIVATE",
                e.errorNumber());
    }

    void onInvalidated() {
        valid = false;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return base;
    }

    /** Where libibverbs' struct of it lies. */
    long nativeAddress() {
        return address.address();
    }

    /** A window is bound to it. */
    synchronized void binds(CoreMemoryWindow window) {
        windows.add(window);
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        return remoteKey;
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Whether the device knows it no more. */
    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            valid = false;
            domain.device().regions().remove(this);
            if (Calls.DEREG_MR.attempt(address) != 0) {
                // As long as a window is bound to it, devices refuse.
                windows.forEach(CoreMemoryWindow::close);
                Calls.DEREG_MR.attempt(address);
            }
            windows.clear();
        }
        hold.release();
        domain.regions().remove(this);
    }
}
