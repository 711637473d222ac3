package org.panamaverbs.ddp.buffers;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.spi.support.Rollback;

/**
 * The registered buffers of one socket or of one group. An STag that was deregistered is not used again for some time, since messages for
 * it may still be in flight (draft-bailey-roi-ddpp-core-00, 3.4).
 */
public final class Buffers {
    /** The most buffers that are registered at a time, and the most STags that are kept from being used again. */
    static final int MAXIMUM = 1 << 16;

    private final StagTable<Buffer> table;
    private final IntSupplier random;
    private final LongSupplier clock;
    private final long quarantineNanos;
    /** The time from which each STag may be used again; the oldest first. A map, since a peer can make a program close buffers quickly. */
    private final Map<Integer, Long> quarantine = new LinkedHashMap<>();
    private final Set<Buffer> live = new HashSet<>();
    private boolean closed;

    /**
     * Makes an empty set of buffers.
     *
     * @param random          returns 32 random bits that are hard to guess
     * @param clock           returns the time in nanoseconds, from any origin
     * @param quarantineNanos how long an STag is not used again
     */
    public Buffers(IntSupplier random, LongSupplier clock, long quarantineNanos) {
        this.random = random;
        this.clock = clock;
        this.quarantineNanos = quarantineNanos;
        this.table = new StagTable<>(random, MAXIMUM, 0);
    }

    /**
     * Finds a buffer by its STag.
     *
     * @return {@code null} if none has that STag
     */
    Buffer find(int stag) {
        return table.find(stag);
    }

    /**
     * Registers memory.
     *
     * @param segment  checked by the caller; its arena is held
     * @param listener is called for each placement, or {@code null}
     * @param release  releases the arena; called when the registration ends, or if it fails
     */
    public Buffer register(MemorySegment segment, BufferAttributes attributes, PlacedBytes listener, Runnable release) {
        try (Rollback undo = new Rollback()) {
            undo.add(release);
            check(attributes, segment.byteSize());
            Buffer buffer = add(new Buffer(this, segment, listener, attributes.offset(), release), attributes);
            undo.commit();
            return buffer;
        }
    }

    /** Registers a sink. */
    public Buffer register(DdpBuffer sink, BufferAttributes attributes) {
        check(attributes, sink.size());
        return add(new Buffer(this, sink, attributes.offset()), attributes);
    }

    private static void check(BufferAttributes attributes, long size) {
        if (size <= 0) {
            throw new IllegalArgumentException("a buffer has 1 byte or more, not " + size);
        }
        if (Long.compareUnsigned(attributes.offset(), -size) > 0) {
            throw new IllegalArgumentException("a buffer of " + size + " bytes from offset " + Long.toUnsignedString(attributes.offset())
                    + " exceeds 2^64: choose a smaller offset");
        }
    }

    private synchronized Buffer add(Buffer buffer, BufferAttributes attributes) {
        if (closed) {
            throw new ClosedException("the socket or group is closed: buffers are registered on open ones");
        }
        endQuarantine();
        boolean added;
        if (attributes.stag().isPresent()) {
            int stag = attributes.stag().getAsInt();
            checkFree(stag);
            added = table.add(buffer, stag);
        } else {
            added = table.add(buffer, randomStag());
        }
        if (!added) {
            throw new ResourceException("no room for another buffer: " + MAXIMUM + " are registered; close some of them");
        }
        live.add(buffer);
        return buffer;
    }

    private void checkFree(int stag) {
        if (table.find(stag) != null) {
            throw new IllegalArgumentException(
                    "STag 0x" + Integer.toHexString(stag) + " is in use: choose another, or close the buffer that has it");
        }
        if (quarantine.containsKey(stag)) {
            throw new IllegalArgumentException("STag 0x" + Integer.toHexString(stag) + " was in use less than "
                    + quarantineNanos / 1_000_000
                    + " ms ago, and messages for it may still be on their way: choose another, or set panamaverbs.softiwarp.ddp.stag-quarantine");
        }
    }

    private int randomStag() {
        int stag;
        do {
            stag = random.getAsInt();
        } while (StagTable.isReserved(stag) || table.find(stag) != null || quarantine.containsKey(stag));
        return stag;
    }

    private void endQuarantine() {
        long time = clock.getAsLong();
        Iterator<Long> ends = quarantine.values().iterator();
        while (ends.hasNext() && (ends.next() - time <= 0 || quarantine.size() > MAXIMUM)) {
            ends.remove();
        }
    }

    /** Ends a registration. When this returns, no thread places into the buffer any more. */
    void deregister(Buffer buffer) {
        synchronized (this) {
            if (live.remove(buffer)) {
                endQuarantine();
                if (quarantineNanos > 0) {
                    quarantine.put(buffer.stag(), clock.getAsLong() + quarantineNanos);
                }
            }
        }
        table.remove(buffer);
    }

    /** Ends all registrations; further ones are refused. */
    public void close() {
        Set<Buffer> all;
        synchronized (this) {
            closed = true;
            all = Set.copyOf(live);
        }
        all.forEach(this::deregister);
    }
}
