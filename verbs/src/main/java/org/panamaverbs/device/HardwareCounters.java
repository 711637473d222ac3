package org.panamaverbs.device;

import java.util.SortedMap;

/**
 * The counters that a device's driver keeps for a port, of all programs on this machine: an extension of devices of the provider rdma-core
 * ({@code Device.extension}). They are those of the kernel's folders {@code /sys/class/infiniband/DEVICE/ports/PORT/counters} and
 * {@code hw_counters}; which there are, and their meaning, is the driver's. soft-iwarp has none.
 */
public interface HardwareCounters {
    /**
     * Reads the counters of a port. It reads a file for each, so a program asks once a second at most.
     *
     * @param port the port, 1 or more
     * @return by folder and name, as {@code hw_counters/rx_write_requests}; values are unsigned. Counters that the driver names but does not
     *         have are left out. Empty if the system shows none, as in a container without {@code /sys}
     * @throws IllegalArgumentException for no such port
     */
    SortedMap<String, Long> read(int port);
}
