package org.panamaverbs.rdmacore.probe;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_device;

/** The NUMA node of a device, which the kernel says in sysfs. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class NumaNode {
    /** The most that any kernel is built for, less 1. */
    private static final int LAST = 1023;

    private NumaNode() {
    }

    static OptionalInt of(MemorySegment context) {
        MemorySegment device = ibv_context.device(context).reinterpret(ibv_device.sizeof());
        try {
            return read(Path.of(ibv_device.ibdev_path(device).getString(0)));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            // The library gives no path.
            return OptionalInt.empty();
        }
    }

    /**
     * Reads it.
     *
     * @param device the device's folder in sysfs
     * @return empty if there is no file, the kernel says -1, or no number of a node
     */
    static OptionalInt read(Path device) {
        try {
            int node = Integer.parseInt(Files.readString(device.resolve("device").resolve("numa_node")).strip());
            return node >= 0 && node <= LAST ? OptionalInt.of(node) : OptionalInt.empty();
        } catch (IOException | NumberFormatException e) {
            return OptionalInt.empty();
        }
    }
}
