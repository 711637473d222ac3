package example.loopback;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.spi.AbstractMemoryRegion;
import org.panamaverbs.spi.support.ArenaHold;

/** Registered memory. All copies are made with the lock held, so none is under way when a region closes. */
final class LoopbackRegion extends AbstractMemoryRegion {
    private final LoopbackDomain owner;
    private final ArenaHold hold;
    /** The checks of requests read it without the lock. */
    private volatile boolean valid = true;

    private LoopbackRegion(LoopbackDomain owner, MemorySegment segment, RegistrationAttributes attributes, int key, ArenaHold hold) {
        super(owner, segment, attributes, key, key);
        this.owner = owner;
        this.hold = hold;
    }

    static LoopbackRegion register(LoopbackDomain domain, MemorySegment segment, RegistrationAttributes attributes) {
        try (var _ = Fabric.enter()) {
            domain.children.check();
            ArenaHold hold = ArenaHold.of(segment);
            LoopbackRegion region = new LoopbackRegion(domain, segment, attributes, domain.device.freeKey(), hold);
            domain.device.addRegion(region);
            domain.children.add(region);
            return region;
        }
    }

    /** Whether a peer may use a part of it. Key, address and length are the peer's. */
    boolean allows(LoopbackDomain peerDomain, Access right, long address, long length) {
        long offset = address - address();
        return peerDomain == owner && access().contains(right) && offset >= 0 && length <= length() && offset <= length() - length;
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
                owner.children.remove(this);
                owner.device.removeRegion(this);
                hold.release();
            }
        }
    }
}
