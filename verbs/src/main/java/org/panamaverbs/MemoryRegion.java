package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/** Registered memory ({@code ibv_mr}). */
public interface MemoryRegion extends AutoCloseable {
    /**
     * The domain it is registered in.
     *
     * @return never changes
     */
    ProtectionDomain domain();

    /**
     * The memory.
     *
     * @return the segment that was registered
     */
    MemorySegment segment();

    /**
     * Where the region starts for a peer: what it adds its offsets to (on iWARP, the Tagged Offset of the first byte).
     *
     * @return an unsigned 64-bit number
     */
    long address();

    /**
     * How long it is.
     *
     * @return bytes, 1 or more
     */
    long length();

    /**
     * The key that names the region in local requests.
     *
     * @return 32 bits, any pattern
     */
    int localKey();

    /**
     * The key that a peer needs (on iWARP, the STag).
     *
     * @return 32 bits, any pattern
     */
    int remoteKey();

    /**
     * The rights it was registered with.
     *
     * @return the bits of {@link Access}
     */
    int access();

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
