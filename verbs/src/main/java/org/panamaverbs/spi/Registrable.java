package org.panamaverbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.statistics.PinnedMemory;

/** The rules for memory that can be registered, and its rights: the same on every provider. */
// Tested by RegistrationContract, StatisticsContract.
public final class Registrable {
    private static final int REMOTE_CHANGES = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;
    /** Never started: memory that it may not use belongs to a confined arena. */
    private static final Thread ANOTHER_THREAD = Thread.ofPlatform().unstarted(() -> {
    });

    private Registrable() {
    }

    /**
     * Checks what {@link ProtectionDomain#register(MemorySegment, RegistrationAttributes)} was given.
     *
     * @param domain     the domain; its device says what it can
     * @param segment    the memory
     * @param attributes how it is to be registered
     * @throws IllegalArgumentException for a heap segment, a confined one, an empty one, a right that needs another, the right to write
     *                                  memory that is read-only, an address at which the region would end beyond 2<sup>64</sup>, a queue pair
     *                                  of another domain, or an invalidator that is not the scope
     * @throws IllegalStateException    if the segment's arena is closed
     * @throws org.panamaverbs.UnsupportedVerbException for a right or a choice that the device does not have
     */
    public static void check(ProtectionDomain domain, MemorySegment segment, RegistrationAttributes attributes) {
        check(segment, AccessFlags.of(attributes.access()));
        checkRights(domain.device(), attributes.access());
        if (attributes.address().isPresent()) {
            require(domain.device(), Capability.REGION_ADDRESS);
            long start = attributes.address().getAsLong();
            if (Long.compareUnsigned(start, -segment.byteSize()) > 0) {
                throw new IllegalArgumentException("a region of " + segment.byteSize() + " bytes at address 0x" + Long.toHexString(start)
                        + " would end beyond 2^64: choose a lower address");
            }
        }
        if (attributes.remoteKey().isPresent()) {
            require(domain.device(), Capability.REGION_KEY);
        }
        QueuePair invalidator = attributes.invalidator();
        if (invalidator != null) {
            require(domain.device(), Capability.INVALIDATE_REGION);
            if (invalidator.domain() != domain) {
                throw new IllegalArgumentException(invalidator + ", whose peer is to have the right to invalidate the region, belongs to "
                        + "another protection domain: register the memory in the domain of the queue pair");
            }
        }
        if (attributes.scope() != null) {
            checkScope(domain, attributes.scope(), invalidator);
        }
    }

    private static void checkScope(ProtectionDomain domain, QueuePair scope, @Nullable QueuePair invalidator) {
        require(domain.device(), Capability.REGION_SCOPE);
        if (scope.domain() != domain) {
            throw new IllegalArgumentException(scope + ", to whose peer alone the region is to be open, belongs to another protection "
                    + "domain: register the memory in the domain of the queue pair");
        }
        if (invalidator != null && invalidator != scope) {
            throw new IllegalArgumentException("the region is to be open to the peer of " + scope
                    + " alone, and to be invalidated by that of " + invalidator + ", which cannot use it: name one queue pair for both");
        }
    }

    /**
     * Checks that a device has the rights.
     *
     * @param device the device
     * @param rights the rights
     * @throws org.panamaverbs.UnsupportedVerbException for a right that it does not have
     */
    public static void checkRights(Device device, Set<Access> rights) {
        if (rights.contains(Access.REMOTE_ATOMIC)) {
            require(device, Capability.ATOMIC);
        }
        if (rights.contains(Access.BIND_MEMORY_WINDOW) && !device.supports(Capability.MEMORY_WINDOW_TYPE_1)) {
            require(device, Capability.MEMORY_WINDOW_TYPE_2);
        }
        if (rights.contains(Access.ON_DEMAND)) {
            require(device, Capability.ON_DEMAND_PAGING);
        }
        // Every device has the others, or may ignore them: HUGE_PAGES and RELAXED_ORDERING are hints.
    }

    /**
     * Lists the holders of the memory that is registered on a device, for {@link Device#pinnedMemory()}.
     *
     * @param regions     regions of any domains; objects that are no regions are passed over
     * @param pinnedBytes how much memory the system has pinned for a region, in bytes
     * @return the domains of the regions, the one that holds most first
     */
    public static List<PinnedMemory.Holder> holders(Collection<?> regions, ToLongFunction<MemoryRegion> pinnedBytes) {
        Map<ProtectionDomain, PinnedMemory.Holder> holders = new LinkedHashMap<>();
        for (Object each : regions) {
            if (each instanceof MemoryRegion region) {
                holders.merge(region.domain(),
                        new PinnedMemory.Holder(region.domain().toString(), 1, region.length(), pinnedBytes.applyAsLong(region)),
                        (sum, one) -> new PinnedMemory.Holder(sum.owner(), sum.regions() + 1, sum.registeredBytes() + one.registeredBytes(),
                                sum.pinnedBytes() + one.pinnedBytes()));
            }
        }
        return holders.values().stream().sorted(Comparator.comparingLong(PinnedMemory.Holder::registeredBytes).reversed()).toList();
    }

    private static void require(Device device, Capability capability) {
        if (!device.supports(capability)) {
            throw capability.missingOn(device);
        }
    }

    private static void check(MemorySegment segment, int rights) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, since the garbage collector may move it: "
                    + "allocate it in an Arena (shared, automatic or global), or map a file");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment (" + segment.byteSize() + " bytes) is closed");
        }
        if (!segment.isAccessibleBy(ANOTHER_THREAD)) {
            throw new IllegalArgumentException(
                    "a segment of a confined arena cannot be registered, since its bytes are moved behind its thread's back: "
                            + "use a shared, automatic or global arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("a region has 1 byte or more; the segment has none");
        }
        boolean writes = (rights & (AccessFlags.LOCAL_WRITE | REMOTE_CHANGES)) != 0;
        if (writes && segment.isReadOnly()) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE, REMOTE_WRITE or REMOTE_ATOMIC");
        }
        if ((rights & REMOTE_CHANGES) != 0 && (rights & AccessFlags.LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
        }
    }
}
