package org.panamaverbs.softiwarp.simulation;

import java.util.SplittableRandom;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;

/**
 * How a run is set up.
 *
 * @param crc        whether CRCs are used
 * @param verify     whether each FPDU is verified before it is placed
 * @param mulpdu     the longest DDP segment
 * @param depth      slots of each queue
 * @param reads      IRD and ORD
 * @param shared     whether receives come from a queue that streams share
 * @param capacity   bytes that each direction of the network holds
 * @param offers     whether the reader takes long writes from the writer's memory
 * @param chopping   how a call's bytes are cut
 * @param longest    the longest message
 * @param operations the operations of each program before it ends
 * @param mischief   whether programs close, deregister, invalidate and use wrong keys
 * @param breaks     whether the network or a node may die
 * @param flips      whether a bit may flip, if CRCs are used
 * @param markers    which ends put Markers into their FPDUs, as bits; the network removes them
 * @param ready      the ready-to-receive indication of the client
 */
record Setup(boolean crc, boolean verify, int mulpdu, int depth, int reads, boolean shared, int capacity, boolean offers, int chopping,
        int longest, int operations, boolean mischief, boolean breaks, boolean flips, int markers,
        ReadyIndication ready) {
    private static final ReadyIndication[] READY = { ReadyIndication.WRITE, ReadyIndication.READ, ReadyIndication.SEND };
    private static final int[] MULPDUS = { 128, 160, 512, 1460, 4096, 16_384, 64_722 };
    private static final int[] CAPACITIES = { 64, 1000, 16_384, 200_000 };
    private static final int[] LONGEST = { 60, 600, 5000, 30_000, 150_000 };

    static Setup of(SplittableRandom random) {
        boolean clean = random.nextInt(3) == 0;
        int longest = LONGEST[random.nextInt(LONGEST.length)];
        // Tiny pieces of long messages take too long.
        int chopping = longest > 5000 ? random.nextInt(2) * 3 : random.nextInt(4);
        int capacity = longest > 5000 ? CAPACITIES[2 + random.nextInt(2)] : CAPACITIES[random.nextInt(CAPACITIES.length)];
        return new Setup(random.nextInt(4) != 0, random.nextInt(5) == 0, MULPDUS[random.nextInt(MULPDUS.length)],
                1 << random.nextInt(1, 6), random.nextInt(1, 5), random.nextInt(4) == 0, capacity, random.nextInt(3) == 0, chopping,
                longest,
                random.nextInt(5, 60), !clean && random.nextBoolean(), !clean && random.nextInt(3) == 0, !clean && random.nextInt(4) == 0,
                random.nextInt(3) == 0 ? random.nextInt(1, 4) : 0, READY[random.nextInt(READY.length)]);
    }

    /** Whether a node puts Markers into its FPDUs. */
    boolean marked(int index) {
        return (markers & 1 << index) != 0;
    }
}
