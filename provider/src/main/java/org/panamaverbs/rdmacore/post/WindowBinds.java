package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_mw_bind;
import org.panamaverbs.bindings.rdma.ibv_mw_bind_info;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.memory.CoreMemoryWindow;
import org.panamaverbs.rdmacore.memory.WindowOwner;
import org.panamaverbs.rdmacore.queue.WorkRing;

/**
 * The bindings of memory windows among the requests of a send queue. They name structs of the window and of the region, which must be
 * there when the library reads them: so each is submitted alone, while neither can be closed.
 */
// Tested by MemoryWindowContract.
final class WindowBinds implements SendPath, WindowOwner {
    private static final long KEY = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.rkey$offset();
    private static final long WINDOW = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.mw$offset();
    private static final long INFO = ibv_send_wr.bind_mw$offset() + ibv_send_wr.bind_mw.bind_info$offset();

    private final MemorySegment queuePair;
    private final MemorySegment bindWindow;
    private final WorkRing ring;
    private final PostedSends structs;
    private final CoreMemoryWindow[] windows;
    private final CoreMemoryRegion[] regions;
    private final MemorySegment bind;
    /** The windows that belong to this queue pair. */
    private final Set<CoreMemoryWindow> owned = ConcurrentHashMap.newKeySet();
    private int refused;
    private boolean used;

    /**
     * @param arena      the arena of the queue pair's requests
     * @param bindWindow the function that binds a window of type 1
     * @param structs    submits the bindings of windows of type 2
     */
    WindowBinds(Arena arena, MemorySegment queuePair, MemorySegment bindWindow, WorkRing ring, PostedSends structs) {
        this.bind = ibv_mw_bind.allocate(arena);
        this.queuePair = queuePair;
        this.bindWindow = bindWindow;
        this.ring = ring;
        this.structs = structs;
        this.windows = new CoreMemoryWindow[ring.slots()];
        this.regions = new CoreMemoryRegion[ring.slots()];
    }

    /** A request starts that binds no window. */
    void clear(int sequence) {
        if (used) {
            windows[ring.slot(sequence)] = null;
            regions[ring.slot(sequence)] = null;
        }
    }

    /** A request binds a window. */
    void set(int sequence, CoreMemoryWindow window, CoreMemoryRegion region, long offset, long length, int access) {
        used = true;
        windows[ring.slot(sequence)] = window;
        regions[ring.slot(sequence)] = region;
        long request = ring.address(sequence);
        NativeMemory.setInt(request + KEY, window.next());
        NativeMemory.setLong(request + INFO + ibv_mw_bind_info.mr$offset(), region.nativeAddress());
        NativeMemory.setLong(request + INFO + ibv_mw_bind_info.addr$offset(), region.address() + offset);
        NativeMemory.setLong(request + INFO + ibv_mw_bind_info.length$offset(), length);
        NativeMemory.setInt(request + INFO + ibv_mw_bind_info.mw_access_flags$offset(), access);
    }

    /** Whether there ever was one. */
    boolean isUsed() {
        return used;
    }

    boolean has(int sequence) {
        return used && windows[ring.slot(sequence)] != null;
    }

    @Override
    public int post(int first, int last) {
        CoreMemoryRegion region = regions[ring.slot(first)];
        CoreMemoryWindow window = windows[ring.slot(first)];
        synchronized (region) {
            synchronized (window) {
                int key = NativeMemory.getInt(ring.address(first) + KEY);
                boolean isWhole = !region.isClosed() && !window.isClosed() && window.canHave(key);
                int error = isWhole ? postOpen(first, window) : Libc.EINVAL();
                if (error == 0) {
                    window.onSubmitted(key, region, this);
                }
                refused = error == 0 ? last : first;
                return error;
            }
        }
    }

    private int postOpen(int sequence, CoreMemoryWindow window) {
        long request = ring.address(sequence);
        NativeMemory.setLong(request + WINDOW, window.address().address());
        if (window.type() == MemoryWindow.Type.TYPE_2) {
            int error = structs.post(sequence, sequence + 1);
            return error == 0 && structs.refused() == sequence ? Libc.ENOMEM() : error;
        }
        ibv_mw_bind.wr_id(bind, NativeMemory.getLong(request + ibv_send_wr.wr_id$offset()));
        ibv_mw_bind.send_flags(bind, NativeMemory.getInt(request + ibv_send_wr.send_flags$offset()));
        for (long i = 0; i < ibv_mw_bind_info.sizeof(); i += Long.BYTES) {
            bind.set(ValueLayout.JAVA_LONG, ibv_mw_bind.bind_info$offset() + i, NativeMemory.getLong(request + INFO + i));
        }
        return Math.abs(ibv_context_ops.bind_mw.invoke(bindWindow, queuePair, window.address(), bind));
    }

    @Override
    public String call() {
        return "ibv_bind_mw (of a window and a region that are open)";
    }

    @Override
    public int refused() {
        return refused;
    }

    /** The queue pair goes; the windows that belong to it do not. */
    void release() {
        owned.forEach(window -> window.release(this));
    }

    @Override
    public void owns(CoreMemoryWindow window) {
        owned.add(window);
    }

    @Override
    public void forget(CoreMemoryWindow window) {
        owned.remove(window);
    }

    /** A request failed, or is flushed and was never submitted. */
    void onFailed(int sequence) {
        CoreMemoryWindow window = windows[ring.slot(sequence)];
        if (window != null) {
            window.onFailed(NativeMemory.getInt(ring.address(sequence) + KEY));
        }
    }
}
