package org.panamaverbs.ddp.socket.protocol;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/**
 * The memory of messages, in the form that the protocol sends from. It keeps the last few segments: a program that sends from the same
 * segments again and again allocates nothing. Only the sending thread uses it.
 */
public final class SendMemory {
    private static final int KEPT = 4;

    private final RegisteredMemory[] kept = new RegisteredMemory[KEPT];
    private int next;

    /** The memory of a segment. */
    RegisteredMemory of(MemorySegment segment) {
        for (RegisteredMemory each : kept) {
            if (each != null && each.segment() == segment) {
                return each;
            }
        }
        RegisteredMemory memory = new RegisteredMemory(segment, this, 0, 0, null);
        kept[next] = memory;
        next = (next + 1) % KEPT;
        return memory;
    }
}
