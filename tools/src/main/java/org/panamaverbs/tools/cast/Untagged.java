package org.panamaverbs.tools.cast;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.ddp.RegisteredBuffer;

/** Memory for untagged messages, all of it posted on a group: a message that was read gives its place back. */
final class Untagged {
    private final DdpGroup group;
    private final long slot;
    private final MemorySegment memory;
    private final RegisteredBuffer buffer;

    /**
     * @param count how many messages may wait
     * @param slot  octets of the longest message
     */
    Untagged(DdpGroup group, Arena arena, int count, long slot) {
        this.group = group;
        this.slot = slot;
        memory = arena.allocate(count * slot, Long.BYTES);
        buffer = group.register(memory, BufferAttributes.DEFAULT);
        for (long offset = 0; offset < memory.byteSize(); offset += slot) {
            group.tryPostReceive(buffer, offset, slot);
        }
    }

    /** The message of an indication; valid until {@link #release}. */
    MemorySegment message(Indication indication) {
        return memory.asSlice(indication.offset(), indication.length());
    }

    void release(Indication indication) {
        group.tryPostReceive(buffer, indication.offset(), slot);
    }
}
