package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/** Registered memory ({@code ibv_mr}). */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the domain it is registered in; never changes} */
    ProtectionDomain domain();

    /** {@return the memory; the segment that was registered} */
    MemorySegment segment();

    /**
     * {@return the start of the region for a peer: the address that it adds its offsets to (on iWARP, the Tagged Offset of the first byte);
     * an unsigned 64-bit number}
     */
    long address();

    /** {@return how long it is; bytes, 1 or more} */
    long length();

    /** {@return the key that names the region in local requests; 32 bits, any pattern} */
    int localKey();

    /** {@return the key that a peer needs (on iWARP, the STag); 32 bits, any pattern} */
    int remoteKey();

    /**
     * This region as a peer names it: its address, key and length.
     *
     * @return for {@link RemoteMemory#encode}; the peer may use it as far as {@link #access()} allows
     */
    default RemoteMemory remote() {
        return new RemoteMemory(address(), remoteKey(), length());
    }

    /**
     * A part of this region as a peer names it. The key still opens the whole region: a memory window opens a part alone.
     *
     * @param offset the start of the part, in bytes from the start of the region
     * @param length the length of the part in bytes
     * @return for {@link RemoteMemory#encode}
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    default RemoteMemory remote(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, length());
        return new RemoteMemory(address() + offset, remoteKey(), length);
    }

    /**
     * The offset of a part of the segment in this region; allocates nothing.
     *
     * @param part the segment that was registered, or a slice of it
     * @return bytes from the start of the region
     * @throws IllegalArgumentException if the part is not within the segment
     */
    default long offsetOf(MemorySegment part) {
        long offset = part.address() - segment().address();
        if (!part.isNative() || offset < 0 || part.byteSize() > length() || offset > length() - part.byteSize()) {
            throw new IllegalArgumentException("the segment of " + part.byteSize() + " bytes at 0x" + Long.toHexString(part.address())
                    + " is not within the region of " + length() + " bytes at 0x" + Long.toHexString(segment().address())
                    + ": pass the segment that was registered, or a slice of it");
        }
        return offset;
    }

    /** {@return the rights it was registered with; cannot be changed} */
    Set<Access> access();

    /**
     * Whether the peer of a queue pair may use the region, as far as {@link #access()} allows. A region is open to the peers of all queue
     * pairs of its domain, or to the peer of one alone ({@link RegistrationAttributes#withScope}).
     *
     * @param queuePair any queue pair
     * @return {@code false} also for a queue pair of another domain; never changes
     */
    default boolean isOpenTo(QueuePair queuePair) {
        return queuePair.domain() == domain();
    }

    /**
     * Whether it can be used: not closed, nor invalidated by a peer's Send with Invalidate.
     *
     * @return {@code true} while requests may name it
     */
    boolean isValid();

    /**
     * Ends the registration. When this returns, neither the device nor a peer touches the memory again; requests that still name it
     * complete with {@link CompletionStatus#LOCAL_PROTECTION_ERROR}.
     *
     * @throws VerbsException if the device does not end the registration. The memory stays registered, and its arena cannot be closed;
     *                        requests may no longer name the region. Closing it again tries again.
     */
    @Override
    void close();
}
