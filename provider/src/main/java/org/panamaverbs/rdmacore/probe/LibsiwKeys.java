package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.rdmacore.ffi.Calls;

/**
 * Keeps the one mapping away from libsiw that it would not take. The kernel gives each queue the first free pages of its context to map it
 * by; libsiw takes the place 0x90000, page 144, for "no place" (SIW_INVAL_UOBJ_KEY), and refuses the queue that gets it, which is one after
 * some dozens, and every one tried again after that. A completion queue that lies over that page, from before it, for as long as
 * sessions have that context, leaves it to no other.
 */
final class LibsiwKeys {
    /** Of 32 bytes each: 256 pages and one for the queue's state. */
    private static final int ENTRIES = 1 << 15;

    private LibsiwKeys() {
    }

    /** Makes the queue that keeps the key; gives it. */
    static MemorySegment keep(MemorySegment context, String device) {
        return Calls.CREATE_CQ.object("create the completion queue that keeps libsiw's key of " + device, context, ENTRIES,
                MemorySegment.NULL, MemorySegment.NULL, 0);
    }

    /** The context has no user any more. */
    static void giveBack(MemorySegment kept) {
        if (kept.address() != 0) {
            Calls.DESTROY_CQ.attempt(kept);
        }
    }
}
