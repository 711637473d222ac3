package org.panamaverbs;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The attributes of a registration, besides its memory; made by {@link #of} and the {@code with} methods. */
// Tested by RegistrationContract, RegionScopeContract.
public final class RegistrationAttributes {
    private final Values values;

    private record Values(Set<Access> access, OptionalLong address, OptionalInt remoteKey, @Nullable QueuePair invalidator,
            @Nullable QueuePair scope, boolean prefetch) {
        Values {
            EnumSet<Access> copy = EnumSet.noneOf(Access.class);
            copy.addAll(access);
            access = Collections.unmodifiableSet(copy);
            Objects.requireNonNull(address);
            Objects.requireNonNull(remoteKey);
        }
    }

    private RegistrationAttributes(Values values) {
        this.values = values;
    }

    /**
     * Rights alone; the provider chooses address and key, and no peer may invalidate the region.
     *
     * @param access the rights; without any, the memory can only be sent from
     * @return the attributes
     */
    public static RegistrationAttributes of(Set<Access> access) {
        return new RegistrationAttributes(new Values(access, OptionalLong.empty(), OptionalInt.empty(), null, null, false));
    }

    /**
     * As the other, for rights that stand in the program's text.
     *
     * @param access the rights; without any, the memory can only be sent from
     * @return the attributes
     */
    public static RegistrationAttributes of(Access... access) {
        return of(Set.copyOf(Arrays.asList(access)));
    }

    /**
     * The same with an address of the program's choice; needs {@link Capability#REGION_ADDRESS}. Requests still name the region's memory by
     * offsets from its start; only the peer's addresses change.
     *
     * @param start the address of the first byte, unsigned. The region must end below 2<sup>64</sup>. On rdma-core it must have the same
     *              offset in a page of the system as the memory has: of 4,096 bytes on x86_64, of up to 65,536 on aarch64.
     * @return the attributes
     */
    public RegistrationAttributes withAddress(long start) {
        return new RegistrationAttributes(
                new Values(values.access, OptionalLong.of(start), values.remoteKey, values.invalidator, values.scope, values.prefetch));
    }

    /**
     * The same with addresses that count from 0 ({@code IBV_ACCESS_ZERO_BASED}); needs {@link Capability#REGION_ADDRESS}. A peer then
     * learns nothing of where the memory lies.
     *
     * @return the attributes
     */
    public RegistrationAttributes zeroBased() {
        return withAddress(0);
    }

    /**
     * The same with a key of the program's choice; needs {@link Capability#REGION_KEY}. A peer can guess such a key: let rights and
     * protection domains keep strangers out.
     *
     * @param key 32 bits; on soft-iwarp an STag: 24 bits of index, of which each belongs to one region at a time, and 8 bits of key. 0 and 1
     *            are reserved.
     * @return the attributes
     */
    public RegistrationAttributes withRemoteKey(int key) {
        return new RegistrationAttributes(
                new Values(values.access, values.address, OptionalInt.of(key), values.invalidator, values.scope, values.prefetch));
    }

    /**
     * The same with the right of one peer to invalidate the region by a Send with Invalidate; needs {@link Capability#INVALIDATE_REGION}.
     * The Sends of all other peers are refused, if the device has {@link Capability#INVALIDATION_RIGHT}; a device without it cannot tell
     * them apart.
     *
     * @param by a queue pair of the region's protection domain
     * @return the attributes
     */
    public RegistrationAttributes withRemoteInvalidation(QueuePair by) {
        return new RegistrationAttributes(
                new Values(values.access, values.address, values.remoteKey, Objects.requireNonNull(by), values.scope, values.prefetch));
    }

    /**
     * The same, open to the peer of one queue pair alone (RFC 5041, 8.2: an STag associated with a stream; RFC 5042, 6.1.1); needs {@link
     * Capability#REGION_SCOPE}. Other peers of the protection domain cannot use the key: a Write, Read or atomic that names it ends their
     * connection, with the Terminate "STag not associated with this stream" (DDP 0x1102, RDMAP 0x0103). Once the queue pair is closed, no
     * peer can use the region.
     *
     * <p>The program's own requests on other queue pairs may send from the region and receive into it, since these requests give no peer
     * the key. They may not read into the region, place the result of an atomic in it, or bind a memory window to it.
     *
     * @param only a queue pair of the region's protection domain; if the region has an invalidator, the same queue pair
     * @return the attributes
     */
    public RegistrationAttributes withScope(QueuePair only) {
        return new RegistrationAttributes(new Values(values.access, values.address, values.remoteKey, values.invalidator,
                Objects.requireNonNull(only), values.prefetch));
    }

    /**
     * The same with pages that are brought into memory during the registration, so that the first request waits for none
     * ({@code ibv_advise_mr}). A hint: a device that pins memory does so anyway.
     *
     * @return the attributes
     */
    public RegistrationAttributes withPrefetch() {
        return new RegistrationAttributes(
                new Values(values.access, values.address, values.remoteKey, values.invalidator, values.scope, true));
    }

    /** {@return the rights; cannot be changed} */
    public Set<Access> access() {
        return values.access;
    }

    /** {@return the address of the first byte for a peer, unsigned; empty: the provider chooses, usually the address in memory} */
    public OptionalLong address() {
        return values.address;
    }

    /** {@return the key for a peer; empty: the provider chooses one that is hard to guess} */
    public OptionalInt remoteKey() {
        return values.remoteKey;
    }

    /** {@return the queue pair whose peer may invalidate the region, or {@code null}: then no peer may} */
    public @Nullable QueuePair invalidator() {
        return values.invalidator;
    }

    /** {@return the only queue pair whose peer may use the region; {@code null} for the peers of all queue pairs of the domain} */
    public @Nullable QueuePair scope() {
        return values.scope;
    }

    /** {@return whether the pages are brought into memory during the registration} */
    public boolean prefetch() {
        return values.prefetch;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RegistrationAttributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "RegistrationAttributes." + values;
    }
}
