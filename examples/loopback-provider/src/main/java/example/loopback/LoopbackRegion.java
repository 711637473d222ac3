package example.loopback;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.spi.support.ArenaHold;

/** Registered memory. All copies are made with the lock held, so none is under way when a region closes. */
final class LoopbackRegion implements MemoryRegion {
    private final LoopbackDomain domain;
    private final MemorySegment segment;
    private final int access;
    private final ArenaHold hold;
    private final int key;
    /** The checks of requests read it without the lock. */
    private volatile boolean valid = true;

    LoopbackRegion(LoopbackDomain domain, MemorySegment segment, int access) {
        this.domain = domain;
        this.segment = segment;
        this.access = access;
        try (var _ = Fabric.enter()) {
            domain.children.check();
            hold = ArenaHold.of(segment);
            domain.children.add(this);
            key = domain.device.addRegion(this);
        }
    }

    /** Whether a peer may use a part of it. Key, address and length are the peer's. */
    boolean allows(LoopbackDomain peerDomain, Access right, long address, long length) {
        long offset = address - address();
        return peerDomain == domain && (access & right.bit()) != 0 && offset >= 0 && length <= length() && offset <= length() - length;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return segment.address();
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public int localKey() {
        return key;
    }

    @Override
    public int remoteKey() {
        return key;
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (valid) {
                valid = false;
                domain.children.remove(this);
                domain.device.removeRegion(this);
                hold.release();
            }
        }
    }
}
