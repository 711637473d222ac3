package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_device;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.Calls;

/**
 * Why librdmacm does not give a device. Before rdma-core 38 it gave none if one of them could not be opened, with the same ENODEV as if there
 * were none. Since then it leaves out those that cannot be opened, for as long as the process runs. So libibverbs is asked.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class Refusals {
    /** Not to remove it: a container sees the cards of its host. */
    private static final String CURE = "mend that, or give the container its devices and locked memory (docker run --device /dev/infiniband "
            + "--ulimit memlock=-1), and start the program again";

    private Refusals() {
    }

    /**
     * Why librdmacm gives no device, or {@code null} if there is none.
     *
     * @param failure what it answers
     */
    static String of(SystemException failure) {
        try {
            List<String> names = new ArrayList<>();
            List<String> refused = new ArrayList<>();
            ask(Set.of(), names, refused);
            if (names.isEmpty()) {
                return null;
            } else if (refused.isEmpty()) {
                return "librdmacm gives no device (" + Errno.describe(failure.errorNumber()) + "), though libibverbs opens "
                        + String.join(", ", names);
            }
            return "librdmacm gives no device of this machine: " + String.join("; ", refused) + "; " + CURE;
        } catch (SystemException e) {
            // The kernel has no RDMA at all, or the reason is another one.
            return e.errorNumber() == Libc.ENOSYS() || e.errorNumber() == Libc.ENOENT() || e.errorNumber() == Libc.ENODEV() ? null
                    : failure.getMessage();
        }
    }

    /** The devices that librdmacm leaves out, with the reasons and the cure; {@code null} if it gives all. */
    static String leftOut(Set<String> given) {
        try {
            List<String> refused = new ArrayList<>();
            ask(given, new ArrayList<>(), refused);
            return refused.isEmpty() ? null : String.join("; ", refused) + "; " + CURE;
        } catch (SystemException e) {
            // Those that it gives can be used all the same.
            return null;
        }
    }

    /** Opens each device that librdmacm does not give. */
    private static void ask(Set<String> given, List<String> names, List<String> refused) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment list = Calls.GET_DEVICE_LIST.object("list the RDMA devices", count);
            try {
                MemorySegment pointers = list.reinterpret(count.get(ValueLayout.JAVA_INT, 0) * ValueLayout.ADDRESS.byteSize());
                for (long at = 0; at < pointers.byteSize(); at += ValueLayout.ADDRESS.byteSize()) {
                    MemorySegment device = pointers.get(ValueLayout.ADDRESS, at);
                    String name = ibv_device.name(device.reinterpret(ibv_device.sizeof())).getString(0);
                    if (!given.contains(name)) {
                        names.add(name);
                        open(name, device, refused);
                    }
                }
            } finally {
                Calls.FREE_DEVICE_LIST.run(list);
            }
        }
    }

    private static void open(String name, MemorySegment device, List<String> refused) {
        try {
            Calls.CLOSE_DEVICE.attempt(Calls.OPEN_DEVICE.object("open device " + name, device));
        } catch (VerbsException e) {
            refused.add(e.getMessage());
        }
    }
}
