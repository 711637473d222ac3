package org.panamaverbs.tools.perf;

import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.tools.shared.HostPort;

/** Refuses, before anything is measured, what the devices at both ends cannot do. */
final class Abilities {
    private Abilities() {
    }

    /** The capability that a device lacks for a plan, in words, with the cure; {@code null} if it lacks nothing. */
    static String missing(Device device, Plan plan) {
        return plan.operation().capability().filter(needed -> !device.supports(needed)).map(
                needed -> "device " + device.name() + " (" + device.provider() + ") has no " + needed.text() + ": " + cure(plan, needed))
                .orElse(null);
    }

    /** @throws UnsupportedVerbException names the device, what it lacks, and what to do */
    static void require(Device device, Plan plan) {
        String missing = missing(device, plan);
        if (missing != null) {
            throw new UnsupportedVerbException(missing);
        }
    }

    /** The same for a connection: its peer decides, too. */
    static void require(Connection connection, Plan plan) {
        plan.operation().capability().filter(needed -> !connection.supports(needed)).ifPresent(needed -> {
            throw new UnsupportedVerbException("the connection of device " + connection.queuePair().domain().device().name() + " to "
                    + HostPort.text(connection.remoteAddress()) + " has no " + needed.text()
                    + ", since the peer's device or protocol lacks it: " + cure(plan, needed));
        });
    }

    private static String cure(Plan plan, Capability needed) {
        return "use "
                + (needed == Capability.IMMEDIATE_MESSAGE ? "iWARP devices with RFC 7306"
                        : needed == Capability.IMMEDIATE_DATA ? "InfiniBand or RoCE devices" : "devices that have them")
                + " for " + plan.operation() + " (see pverbs devices --verbose)";
    }
}
