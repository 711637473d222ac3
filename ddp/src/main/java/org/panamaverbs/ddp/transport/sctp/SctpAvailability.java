package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.SctpChannel;
import java.io.IOException;
import java.util.Optional;
import org.panamaverbs.UnsupportedVerbException;

/** Whether SCTP works here: that takes the module {@code jdk.sctp}, on Linux the library libsctp, and the system's SCTP. */
public final class SctpAvailability {
    private static final String MODULE = "the module jdk.sctp is missing: start Java with --add-modules jdk.sctp, on a runtime that has it";
    private static final String LIBRARY = "the library libsctp.so.1 is missing: install it (Debian: apt install libsctp1)";
    private static final String KERNEL = "the kernel has no SCTP: load its module (modprobe sctp), on a kernel that has it";

    private SctpAvailability() {
    }

    /** Why SCTP does not work here, and what to do; empty if it works. */
    public static Optional<String> obstacle() {
        try {
            // Named, not linked: without the module a use of its types would end this class's loading.
            Class.forName("com.sun.nio.sctp.SctpChannel", false, SctpAvailability.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return Optional.of(MODULE);
        }
        return Probe.run();
    }

    /**
     * Throws if SCTP does not work here.
     *
     * @throws UnsupportedVerbException if something is missing; the message names it
     */
    public static void require() {
        obstacle().ifPresent(reason -> {
            throw new UnsupportedVerbException("SCTP does not work here: " + reason);
        });
    }

    /** The obstacle that a failure of opening a channel shows. */
    static String describe(Throwable failure) {
        StringBuilder said = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            said.append(said.isEmpty() ? "" : ": ").append(each.getMessage());
        }
        if (said.indexOf("libsctp") >= 0) {
            return LIBRARY;
        }
        return said.indexOf("Protocol not supported") >= 0 || said.indexOf("Address family not supported") >= 0 ? KERNEL
                : "the JDK opens no SCTP channel: " + said;
    }

    /** Loaded only if the module is there. */
    private static final class Probe {
        private static Optional<String> run() {
            try {
                SctpChannel.open().close();
                return Optional.empty();
            } catch (UnsupportedOperationException | LinkageError | IOException e) {
                return Optional.of(describe(e));
            }
        }
    }
}
