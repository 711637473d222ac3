package org.panamaverbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;

/**
 * A region whose values stand in fields: a request that names it reads them without a call through an interface. A provider extends this
 * class, and says whether the region is valid.
 */
public abstract class AbstractMemoryRegion implements MemoryRegion {
    /** The checks of requests read these two. */
    final ProtectionDomain domain;
    final int flags;
    private final Set<Access> access;
    private final MemorySegment segment;
    private final long address;
    private final long length;
    private final int localKey;
    private final int remoteKey;

    /**
     * Makes a region of memory of this machine.
     *
     * @param domain     the domain that it is registered in
     * @param segment    the memory
     * @param attributes its rights, and its address for the peer if the program chose one; otherwise it is the segment's address
     * @param localKey   the key that names it in local requests
     * @param remoteKey  the key that the peer needs
     */
    protected AbstractMemoryRegion(ProtectionDomain domain, MemorySegment segment, RegistrationAttributes attributes, int localKey,
            int remoteKey) {
        this(domain, segment, attributes.address().orElse(segment.address()), segment.byteSize(), attributes, localKey, remoteKey);
    }

    /**
     * Makes a region of memory of another device, of which this machine has no bytes.
     *
     * @param domain     the domain that it is registered in
     * @param address    the address of its first byte for the peer
     * @param length     its length in bytes
     * @param attributes its rights
     * @param localKey   the key that names it in local requests
     * @param remoteKey  the key that the peer needs
     */
    protected AbstractMemoryRegion(ProtectionDomain domain, long address, long length, RegistrationAttributes attributes, int localKey,
            int remoteKey) {
        this(domain, MemorySegment.NULL, address, length, attributes, localKey, remoteKey);
    }

    private AbstractMemoryRegion(ProtectionDomain domain, MemorySegment segment, long address, long length,
            RegistrationAttributes attributes, int localKey, int remoteKey) {
        this.domain = Objects.requireNonNull(domain);
        this.access = attributes.access();
        this.flags = AccessFlags.of(access);
        this.segment = segment;
        this.address = address;
        this.length = length;
        this.localKey = localKey;
        this.remoteKey = remoteKey;
    }

    @Override
    public final ProtectionDomain domain() {
        return domain;
    }

    @Override
    public final MemorySegment segment() {
        return segment;
    }

    @Override
    public final long address() {
        return address;
    }

    @Override
    public final long length() {
        return length;
    }

    @Override
    public final int localKey() {
        return localKey;
    }

    @Override
    public final int remoteKey() {
        return remoteKey;
    }

    @Override
    public final Set<Access> access() {
        return access;
    }

    /** {@return its rights, as bits of {@link AccessFlags}} */
    public final int accessFlags() {
        return flags;
    }
}
