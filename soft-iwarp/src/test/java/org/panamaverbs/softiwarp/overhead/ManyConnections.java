package org.panamaverbs.softiwarp.overhead;

import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.softiwarp.fixtures.Host;

/** A process that opens, uses and ends connections one after another. Run by {@link NativeMemoryTest}. */
final class ManyConnections {
    private static final long LIMIT_NANOS = 60_000_000_000L;
    /** In which the first connection gives back what it has, as a rule: what stays is the listener's and the loops'. */
    private static final long USUAL_NANOS = 1_000_000_000L;
    /** Longer than the buffers that a stream begins with, and than what it sends inline. */
    private static final int LONG = 100_000;

    private ManyConnections() {
    }

    /** Arguments: the transport, and how many connections. */
    public static void main(String[] arguments) throws Exception {
        try (Host host = new Host(arguments[0]);
                MemoryRegion source = host.region(LONG);
                MemoryRegion target = host.region(LONG, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
            // The listener and the loops have theirs after the first one.
            connect(host, source, target);
            long base = settled(0, USUAL_NANOS);
            for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
                connect(host, source, target);
            }
            System.out.println("in use before: " + base + ", after: " + settled(base, LIMIT_NANOS));
            if (OwnedMemory.inUse() > base) {
                System.exit(1);
            }
        }
        if (settled(0, LIMIT_NANOS) > 0) {
            System.out.println("the device keeps " + OwnedMemory.inUse());
            System.exit(1);
        }
        System.out.println("all is back");
        System.exit(0);
    }

    private static void connect(Host host, MemoryRegion source, MemoryRegion target) throws Exception {
        Host.Pair pair = host.connect();
        host.exchange(pair);
        Host.End end = pair.client();
        end.queuePair.post(new SendRequest().write(1).local(source, 0, 16).remote(target.remote(), 0).inline());
        end.queuePair.post(new SendRequest().write(2).local(source, 0, LONG).remote(target.remote(), 0).signaled());
        end.next();
        end.connection.close();
        pair.server().connection.close();
        end.queuePair.close();
        pair.server().queuePair.close();
    }

    /** What is in use once it is no more than expected; the leader of a loop gives it back soon after the end. */
    private static long settled(long expected, long nanos) {
        long end = System.nanoTime() + nanos;
        while (OwnedMemory.inUse() > expected && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        return OwnedMemory.inUse();
    }
}
