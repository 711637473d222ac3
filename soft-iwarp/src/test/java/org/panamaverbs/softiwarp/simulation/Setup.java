package org.panamaverbs.softiwarp.simulation;

import java.util.SplittableRandom;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;

/**
 * How a run is set up.
 *
 * @param revision   the revision of MPA
 * @param crcs       which ends ask for CRCs, as bits
 * @param verify     whether each FPDU is verified before it is placed
 * @param mulpdu     the longest DDP segment
 * @param depth      slots of each queue
 * @param depths     the IRD and ORD that the client asks for, then those of the server, 4 bits each
 * @param shared     whether receives come from a queue that streams share
 * @param capacity   bytes that each direction of the network holds
 * @param chopping   how a call's bytes are cut
 * @param longest    the longest message
 * @param operations the operations of each program before it ends
 * @param mischief   whether programs close, deregister, invalidate and use wrong keys
 * @param breaks     whether the network or a node may die
 * @param flips      whether a bit may flip, if CRCs are used
 * @param markers    which ends put Markers into their FPDUs, as bits; the network removes them
 * @param ready      the ready-to-receive indication of the client
 */
record Setup(int revision, int crcs, boolean verify, int mulpdu, int depth, int depths, boolean shared, int capacity, int chopping,
        int longest, int operations, boolean mischief, boolean breaks, boolean flips, int markers, ReadyIndication ready) {
    private static final ReadyIndication[] READY = { ReadyIndication.WRITE, ReadyIndication.READ, ReadyIndication.SEND,
            ReadyIndication.NONE };
    private static final int[] MULPDUS = { 128, 160, 512, 1460, 4096, 16_384, 64_722 };
    private static final int[] CAPACITIES = { 64, 1000, 16_384, 200_000 };
    private static final int[] LONGEST = { 60, 600, 5000, 30_000, 150_000 };

    static Setup of(SplittableRandom random) {
        boolean clean = random.nextInt(3) == 0;
        int longest = LONGEST[random.nextInt(LONGEST.length)];
        // Tiny pieces of long messages take too long.
        int chopping = longest > 5000 ? random.nextInt(2) * 3 : random.nextInt(4);
        int capacity = longest > 5000 ? CAPACITIES[2 + random.nextInt(2)] : CAPACITIES[random.nextInt(CAPACITIES.length)];
        int revision = random.nextInt(5) == 0 ? 1 : 2;
        int reads = random.nextInt(1, 5);
        // Revision 1 negotiates no depths: there programs agree on them by other means.
        int depths = revision == 1 || random.nextBoolean() ? reads * 0x1111 : random.nextInt(1 << 16) & 0x5555;
        return new Setup(revision, random.nextInt(4), random.nextInt(5) == 0, MULPDUS[random.nextInt(MULPDUS.length)],
                1 << random.nextInt(1, 6), depths, random.nextInt(4) == 0, capacity, chopping, longest, random.nextInt(5, 60),
                !clean && random.nextBoolean(), !clean && random.nextInt(3) == 0, !clean && random.nextInt(4) == 0,
                random.nextInt(3) == 0 ? random.nextInt(1, 4) : 0,
                revision == 1 ? ReadyIndication.NONE : READY[random.nextInt(READY.length)]);
    }

    /** Whether CRCs are used: one end that asks is enough. */
    boolean crc() {
        return crcs != 0;
    }

    boolean asksForCrc(int index) {
        return (crcs & 1 << index) != 0;
    }

    /** The IRD that a side asks for. */
    int ird(int index) {
        return depths >> 8 * index & 0xF;
    }

    /** The ORD that a side asks for. */
    int ord(int index) {
        return depths >> 8 * index + 4 & 0xF;
    }

    /** Whether a node puts Markers into its FPDUs. */
    boolean marked(int index) {
        return (markers & 1 << index) != 0;
    }
}
