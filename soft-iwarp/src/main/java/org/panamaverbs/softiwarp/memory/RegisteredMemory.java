package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.panamaverbs.spi.AccessFlags;

/**
 * A registered segment as the protocol sees it, with its access rights: a region, or a binding, which is the part of a region that a window
 * is bound to. A binding is retired with its region.
 */
public final class RegisteredMemory extends Registered {
    private static final int EXPOSED = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC | AccessFlags.BIND_MEMORY_WINDOW;

    private final MemorySegment segment;
    private final boolean mapped;
    private final Object domain;
    private final int access;
    private final long base;
    /** The queue pair whose peer may invalidate it, or {@code null}. */
    private final Object invalidator;
    /** The only queue pair whose peer may use the memory; {@code null} for all queue pairs of the domain. */
    private final Object scope;
    /** Of a binding: the region; {@code null} for a region. */
    private final RegisteredMemory region;
    /** Of a region: the bindings to it, under the lock of this object; {@code null} until the first. */
    private Set<RegisteredMemory> bindings;
    /** Of a binding: whether a stream has looked it up and may still hold it. Never reset, so such a binding is never used again. */
    private volatile boolean lookedUp;
    private final Crc32cViews crcViews;

    /**
     * Makes registered memory that has no STag yet. Its Tagged Offsets are the addresses of its bytes, as with the kernel's driver, and no
     * peer may invalidate it.
     *
     * @param segment native memory that any thread may use
     * @param domain  the protection domain that a queue pair must have, too; compared by identity
     * @param access  the bits of the API's access rights
     */
    public RegisteredMemory(MemorySegment segment, Object domain, int access) {
        this(segment, domain, access, segment.address(), null);
    }

    /** As the constructor with a scope, for memory that the peers of all queue pairs of the domain may use. */
    public RegisteredMemory(MemorySegment segment, Object domain, int access, long base, Object invalidator) {
        this(segment, domain, access, base, invalidator, null);
    }

    /**
     * Makes registered memory that has no STag yet.
     *
     * @param segment     native memory that any thread may use
     * @param domain      the protection domain that a queue pair must have, too; compared by identity
     * @param access      the bits of the API's access rights
     * @param base        the Tagged Offset of the first byte
     * @param invalidator the queue pair whose peer may invalidate it, compared by identity; {@code null} if no peer may
     * @param scope       the only queue pair whose peer may use the memory, compared by identity; {@code null} for all of the domain
     */
    public RegisteredMemory(MemorySegment segment, Object domain, int access, long base, Object invalidator, Object scope) {
        this(segment, domain, access, base, invalidator, scope, null);
    }

    private RegisteredMemory(MemorySegment segment, Object domain, int access, long base, Object invalidator, Object scope,
            RegisteredMemory region) {
        this.scope = scope;
        this.region = region;
        this.base = base;
        this.invalidator = invalidator;
        this.segment = segment;
        this.mapped = segment.isMapped();
        this.domain = domain;
        this.access = access;
        this.crcViews = new Crc32cViews(segment);
    }

    /**
     * Binds a window to a part of this region.
     *
     * @param owner the only queue pair whose peer may use and invalidate the binding; if {@code null}, all peers that may use the region
     *              may use the binding, and no peer may invalidate it
     * @return memory that has no STag yet; {@code null} if the region is retired
     */
    RegisteredMemory bind(long offset, long size, int rights, Object owner) {
        RegisteredMemory binding = new RegisteredMemory(segment.asSlice(offset, size), domain, rights, base + offset, owner,
                owner == null ? scope : owner, this);
        synchronized (this) {
            // retire() first sets its mark and then collects the bindings under this lock: it finds this binding, or this thread finds the
            // mark.
            if (isRetired()) {
                return null;
            }
            if (bindings == null) {
                bindings = new HashSet<>();
            }
            bindings.add(binding);
        }
        return binding;
    }

    /** Whether this is a binding with these properties that no stream holds: then it can be used again. It must be retired. */
    boolean isReusable(RegisteredMemory to, long offset, long size, int rights, Object owner) {
        // A stream first sets the mark and then reads whether the binding is live: it finds the binding retired, or this thread finds the
        // mark.
        return !lookedUp && region == to && base == to.base + offset && length() == size && access == rights && invalidator == owner;
    }

    /** Lets threads enter a retired binding again; {@code false} if its region is retired. */
    boolean rebind() {
        synchronized (region) {
            if (region.isRetired()) {
                return false;
            }
            reopen();
            return true;
        }
    }

    /** Removes this binding, which is retired and never used again, from its region. */
    void unbind() {
        synchronized (region) {
            region.bindings.remove(this);
        }
    }

    /** Whether a window has this binding. */
    public boolean isBinding() {
        return region != null;
    }

    /**
     * Makes sure that a binding that a stream found by an STag keeps that STag: from now on it is not used again with another STag.
     *
     * @return {@code false} if it is a binding, and that STag is not valid any more
     */
    public boolean hold(int key) {
        if (region == null) {
            return true;
        }
        if (!lookedUp) {
            lookedUp = true;
        }
        return !isRetired() && stag() == key;
    }

    /** Retires a region together with its bindings, and waits for the users of all of them. */
    @Override
    public boolean retire() {
        boolean first = super.retire();
        List<RegisteredMemory> bound;
        synchronized (this) {
            if (bindings == null) {
                return first;
            }
            bound = new ArrayList<>(bindings);
        }
        for (RegisteredMemory binding : bound) {
            binding.retire();
        }
        return first;
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** Whether it is a mapped file, which another process may truncate at any time. */
    public boolean isMapped() {
        return mapped;
    }

    /** Whether a peer, or the peer of a window that is bound to it, may change it at any time. */
    public boolean isExposed() {
        return (access & EXPOSED) != 0;
    }

    @Override
    public long base() {
        return base;
    }

    /** Whether the peer of a queue pair may invalidate it. */
    public boolean isInvalidatedBy(Object queuePair) {
        return invalidator != null && invalidator == queuePair;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    /** The bits of the access rights. */
    public int access() {
        return access;
    }

    /** Whether the peer of a queue pair of the domain may use this memory. */
    public boolean isOpenTo(Object queuePair) {
        return scope == null || scope == queuePair;
    }

    /** Whether it belongs to a protection domain. */
    public boolean isOf(Object other) {
        return domain == other;
    }

    /** Whether the access rights include all of these. */
    public boolean allows(int rights) {
        return (access & rights) == rights;
    }

    /** Whether the memory can be used: it is not retired, and its arena is open. */
    public boolean isLive() {
        return !isRetired() && segment.scope().isAlive();
    }

    /**
     * Checks an access.
     *
     * @param wanted    the protection domain of the queue pair
     * @param queuePair the queue pair
     * @param key       the STag by which the memory was found
     * @param rights    the access rights needed
     * @param tagged    the Tagged Offset, unsigned
     * @param size      bytes, 0 or more
     * @return {@link Fault#NONE} if the access is allowed
     */
    public Fault check(Object wanted, Object queuePair, int key, int rights, long tagged, long size) {
        if (!hold(key) || !isLive()) {
            return Fault.INVALID_STAG;
        }
        if (domain != wanted || !isOpenTo(queuePair)) {
            return Fault.NOT_OF_STREAM;
        }
        if (!allows(rights)) {
            return Fault.ACCESS;
        }
        if (Long.compareUnsigned(tagged, -size) > 0 && size != 0) {
            return Fault.WRAP;
        }
        return contains(tagged - base(), size) ? Fault.NONE : Fault.BOUNDS;
    }

    /**
     * Copies bytes into the memory, entering it for that alone.
     *
     * @param offset offset in this memory; the bytes lie within it
     * @return {@code false} if the memory is retired, closed, or a mapped file, which {@link SgeCursor} serves; nothing counts as copied
     */
    public boolean put(long offset, MemorySegment source, long at, long length) {
        if (mapped || !enter()) {
            return false;
        }
        try {
            return putEntered(offset, source, at, length);
        } finally {
            exit();
        }
    }

    /** As {@link #put}, between {@link #enter()} and {@link #exit()}, into memory that is no mapped file. */
    public boolean putEntered(long offset, MemorySegment source, long at, long length) {
        try {
            MemorySegment.copy(source, at, segment, offset, length);
            return true;
        } catch (IllegalStateException | InternalError e) {
            // The arena is closed.
            return false;
        }
    }

    /**
     * Ends a copy into or out of the memory. If a mapped file was truncated meanwhile, the JVM reports that here at the latest. Called
     * between {@link #enter()} and {@link #exit()}.
     *
     * @throws InternalError if the file was truncated; some bytes may have been copied
     */
    public void endCopy() {
        if (mapped) {
            reportFaults();
        }
    }

    /**
     * Makes the JVM report that a mapped file was truncated while this thread touched it.
     *
     * @throws InternalError if one was
     */
    static void reportFaults() {
        // The JVM has recorded the fault, and throws when the thread next checks for recorded faults. Compiled code checks at the end of a
        // loop or method, which may be long after the caller's catch block; a native method checks when it returns.
        Thread.holdsLock(RegisteredMemory.class);
    }

    /**
     * Adds a part to a checksum. Called between {@link #enter()} and {@link #exit()}.
     *
     * @throws IllegalStateException if the arena is closed
     */
    public void update(CRC32C crc, long offset, long size) {
        crcViews.update(crc, offset, size);
    }
}
