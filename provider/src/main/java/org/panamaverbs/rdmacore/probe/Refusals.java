package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_device;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.Calls;

/**
 * Why librdmacm gives no device. It opens all devices of the machine, and if one of them cannot be opened it gives none, with the same ENODEV
 * as if there were none. So libibverbs is asked.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class Refusals {
    private Refusals() {
    }

    /** Why {@code rdma_get_devices} failed, or {@code null} if there is no device. */
    static String of(SystemException failure) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment list = Calls.GET_DEVICE_LIST.object("list the RDMA devices", count);
            try {
                MemorySegment pointers = list.reinterpret(count.get(ValueLayout.JAVA_INT, 0) * ValueLayout.ADDRESS.byteSize());
                return count.get(ValueLayout.JAVA_INT, 0) == 0 ? null : describe(failure, pointers);
            } finally {
                Calls.FREE_DEVICE_LIST.run(list);
            }
        } catch (SystemException e) {
            // The kernel has no RDMA at all, or the reason is another one.
            return e.errorNumber() == Libc.ENOSYS() || e.errorNumber() == Libc.ENOENT() || e.errorNumber() == Libc.ENODEV() ? null
                    : failure.getMessage();
        }
    }

    private static String describe(SystemException failure, MemorySegment pointers) {
        List<String> names = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (long at = 0; at < pointers.byteSize(); at += ValueLayout.ADDRESS.byteSize()) {
            MemorySegment device = pointers.get(ValueLayout.ADDRESS, at);
            String name = ibv_device.name(device.reinterpret(ibv_device.sizeof())).getString(0);
            names.add(name);
            try {
                Calls.CLOSE_DEVICE.attempt(Calls.OPEN_DEVICE.object("open device " + name, device));
            } catch (VerbsException e) {
                refused.add(e.getMessage());
            }
        }
        if (refused.isEmpty()) {
            return "librdmacm gives no device (" + Errno.describe(failure.errorNumber()) + "), though libibverbs opens "
                    + String.join(", ", names);
        }
        return "librdmacm gives no device of this machine, since one of them cannot be opened: " + String.join("; ", refused)
                + "; mend that device, or remove it (rdma link delete)";
    }
}
