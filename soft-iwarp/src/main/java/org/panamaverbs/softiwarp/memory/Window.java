package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;

/**
 * A memory window: an index of its own in the STag table, with one binding at a time. Each binding has another key, the 8 low bits of the
 * STag, which {@link KeyOrder} draws. So a peer that knows the earlier keys cannot predict the next one (RFC 5040, 8.1.1), and a key comes
 * back after 128 bindings at the earliest (RFC 5042, 6.1.1: STags are reused slowly).
 *
 * <p>A binding gets its key when the program posts it, and the transmitting thread carries it out; a bind that fails gives the window its
 * old key back. Each binding is {@link RegisteredMemory} of its own, so a bind or an invalidate waits for the threads that use the old
 * binding, as a deregistration does. If no stream has found a binding, the next bind to the same part uses its object again and allocates
 * nothing. The peer of another queue pair that uses the STag of a type 2 window gets the Terminate "STag not associated with this stream"
 * (RFC 5041, 8.2). An invalidate of that window by such a peer, or of a type 1 window by any peer, gets the Terminate 0x0109 (RFC 5040, 5.3
 * and 8.1.1). Any thread may use a window.
 */
public final class Window {
    private static final int KEY = 0xFF;

    private final StagTable<RegisteredMemory> table;
    private final boolean ofOneStream;
    /** Memory of no bytes that was retired at once. */
    private final RegisteredMemory nothing;
    /** The entry of the table: the binding, or {@link #nothing}. */
    private RegisteredMemory current;
    /** The STag of the last binding that was posted and may still be carried out; else that of {@link #current}. */
    private int promised;
    /** The number of bindings that are posted and not completed. */
    private int outstanding;
    private boolean closed;
    /** {@code null} until the first binding. */
    private KeyOrder keys;

    private Window(StagTable<RegisteredMemory> table, RegisteredMemory nothing, boolean ofOneStream) {
        this.table = table;
        this.ofOneStream = ofOneStream;
        this.nothing = nothing;
        current = nothing;
        promised = nothing.stag();
    }

    /**
     * Makes a window that is bound to nothing.
     *
     * @param ofOneStream whether a binding belongs to the queue pair that made it (type 2), or to the domain (type 1)
     * @return {@code null} if the table is full
     */
    public static Window allocate(StagTable<RegisteredMemory> table, Object domain, boolean ofOneStream) {
        RegisteredMemory nothing = new RegisteredMemory(MemorySegment.NULL, domain, 0);
        nothing.retire();
        return table.add(nothing) ? new Window(table, nothing, ofOneStream) : null;
    }

    /** Whether a binding belongs to the queue pair that made it. */
    public boolean isOfOneStream() {
        return ofOneStream;
    }

    /** The STag of the last binding that was posted and did not fail. */
    public synchronized int stag() {
        return promised;
    }

    /**
     * A binding is posted. {@link #bindingEnded} follows once it has completed.
     *
     * @return its STag
     * @throws IllegalStateException if the window is closed
     */
    public synchronized int next() {
        if (closed) {
            throw new IllegalStateException("the memory window is closed");
        }
        if (keys == null) {
            // If memory runs out here, no binding is posted.
            keys = new KeyOrder(table.draw(), table.draw(), promised & KEY);
        }
        do {
            promised = promised & ~KEY | keys.next();
        } while (StagTable.isReserved(promised));
        outstanding++;
        return promised;
    }

    /** A binding that was posted has completed, or will never be carried out. */
    public synchronized void bindingEnded() {
        outstanding--;
        if (outstanding == 0) {
            promised = current.stag();
        }
    }

    /**
     * Carries a binding out. The one before it has ended when this returns.
     *
     * @param stag      of {@link #next}
     * @param region    {@code null} to bind the window to nothing
     * @param offset    the start of the window in the region
     * @param length    bytes of the window
     * @param rights    the bits of the peers' access rights
     * @param queuePair the queue pair that binds it
     * @return {@code false} if the window is closed, is bound and belongs to one stream, if the region is retired, or if the window has lost
     *         its place in the table
     */
    public synchronized boolean bind(int stag, RegisteredMemory region, long offset, long length, int rights, Object queuePair) {
        if (closed || ofOneStream && !current.isRetired() || region != null && region.isRetired()) {
            return false;
        }
        current.retire();
        Object owner = ofOneStream ? queuePair : null;
        if (region == null) {
            return replace(nothing, stag);
        }
        if (current.isReusable(region, offset, length, rights, owner)) {
            return replace(current, stag) && current.rebind();
        }
        RegisteredMemory binding = region.bind(offset, length, rights, owner);
        if (binding == null) {
            return false;
        }
        if (!replace(binding, stag)) {
            binding.unbind();
            return false;
        }
        return true;
    }

    private boolean replace(RegisteredMemory next, int stag) {
        if (!table.replace(current, next, stag)) {
            return false;
        }
        if (next != current) {
            forget(current);
            current = next;
        }
        return true;
    }

    /** A queue pair is closed. If it bound this window, the window is bound to nothing after that. */
    public synchronized void release(Object queuePair) {
        if (current.isInvalidatedBy(queuePair)) {
            current.retire();
        }
    }

    /** Ends the binding and frees the index. */
    public synchronized void close() {
        if (!closed) {
            closed = true;
            table.remove(current);
            forget(current);
        }
    }

    private static void forget(RegisteredMemory binding) {
        if (binding.isBinding()) {
            binding.unbind();
        }
    }
}
