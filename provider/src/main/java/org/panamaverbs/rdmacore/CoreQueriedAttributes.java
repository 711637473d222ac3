package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_ah_attr;
import org.panamaverbs.bindings.rdma.ibv_global_route;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.rdmacore.cm.TimerCodes;
import org.panamaverbs.spi.AccessFlags;

/** The answer of {@code ibv_query_qp}, of which each value is checked: one that verbs rule out counts as no answer. */
// Tested by QueryFaultsTest.
record CoreQueriedAttributes(Optional<State> state, OptionalInt sendDepth, OptionalInt receiveDepth, OptionalInt sendElements,
        OptionalInt receiveElements, OptionalInt inlineLength, OptionalInt inboundReads, OptionalInt outboundReads, OptionalInt pathMtu,
        OptionalInt retries, OptionalInt receiverNotReadyRetries, Optional<Duration> receiverNotReadyDelay,
        Optional<Duration> acknowledgementTimeout, OptionalInt remoteNumber, Optional<AddressVector> route,
        Optional<Set<Access>> rights) implements QueriedAttributes {
    /** The answers of each device, but for the state. */
    static final int DEPTHS = Rdma.IBV_QP_CAP();
    /** The further attributes of the path of a reliable connection of InfiniBand or RoCE. */
    static final int PATH = Rdma.IBV_QP_AV() | Rdma.IBV_QP_PORT() | Rdma.IBV_QP_PATH_MTU() | Rdma.IBV_QP_TIMEOUT() | Rdma.IBV_QP_RETRY_CNT()
            | Rdma.IBV_QP_RNR_RETRY() | Rdma.IBV_QP_MIN_RNR_TIMER() | Rdma.IBV_QP_MAX_QP_RD_ATOMIC() | Rdma.IBV_QP_MAX_DEST_RD_ATOMIC()
            | Rdma.IBV_QP_DEST_QPN() | Rdma.IBV_QP_ACCESS_FLAGS();

    private static final int MOST_RETRIES = 7;
    private static final int LAST_NUMBER = 0xFFFFFF;
    private static final Set<Access> PEER_RIGHTS = EnumSet.of(Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);

    /** Of a queue pair of which the device answers nothing. */
    static CoreQueriedAttributes of(State state) {
        try (Arena arena = Arena.ofConfined()) {
            return of(ibv_qp_attr.allocate(arena).fill((byte) 0), 0).withState(Optional.of(state));
        }
    }

    /**
     * Of the answer of a device.
     *
     * @param answer an {@code ibv_qp_attr}
     * @param mask   the attributes that the device was asked for
     */
    static CoreQueriedAttributes of(MemorySegment answer, int mask) {
        Optional<State> state = state(answer, mask);
        boolean receives = (mask & PATH) != 0 && state.filter(CoreQueriedAttributes::hasPath).isPresent();
        boolean sends = receives && state.get() != State.READY_TO_RECEIVE;
        boolean depths = (mask & DEPTHS) != 0;
        MemorySegment limits = ibv_qp_attr.cap(answer);
        return new CoreQueriedAttributes(state, depth(depths, ibv_qp_cap.max_send_wr(limits)),
                depth(depths, ibv_qp_cap.max_recv_wr(limits)), depth(depths, ibv_qp_cap.max_send_sge(limits)),
                depth(depths, ibv_qp_cap.max_recv_sge(limits)), depth(depths, ibv_qp_cap.max_inline_data(limits)),
                number(receives, Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(answer)), LAST_NUMBER),
                number(sends, Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(answer)), LAST_NUMBER),
                mtu(receives, ibv_qp_attr.path_mtu(answer)), number(sends, Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(answer)), MOST_RETRIES),
                number(sends, Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(answer)), MOST_RETRIES),
                number(receives, Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(answer)), TimerCodes.LAST).stream()
                        .mapToObj(TimerCodes::delay).findAny(),
                number(sends, Byte.toUnsignedInt(ibv_qp_attr.timeout(answer)), TimerCodes.LAST).stream().mapToObj(TimerCodes::timeout)
                        .findAny(),
                number(receives, ibv_qp_attr.dest_qp_num(answer), LAST_NUMBER),
                receives ? route(ibv_qp_attr.ah_attr(answer)) : Optional.empty(),
                receives ? Optional.of(rights(ibv_qp_attr.qp_access_flags(answer))) : Optional.empty());
    }

    /** On iWARP both sides agree on the depths of Reads, and drivers answer other numbers for them. */
    CoreQueriedAttributes withReads(int inbound, int outbound) {
        return new CoreQueriedAttributes(state, sendDepth, receiveDepth, sendElements, receiveElements, inlineLength,
                OptionalInt.of(inbound), OptionalInt.of(outbound), pathMtu, retries, receiverNotReadyRetries, receiverNotReadyDelay,
                acknowledgementTimeout, remoteNumber, route, rights);
    }

    CoreQueriedAttributes withState(Optional<State> current) {
        return new CoreQueriedAttributes(current, sendDepth, receiveDepth, sendElements, receiveElements, inlineLength, inboundReads,
                outboundReads, pathMtu, retries, receiverNotReadyRetries, receiverNotReadyDelay, acknowledgementTimeout, remoteNumber,
                route, rights);
    }

    /** The states of {@code ibv_qp_state} are numbered from 0 on in this order. */
    private static Optional<State> state(MemorySegment answer, int mask) {
        int number = ibv_qp_attr.qp_state(answer);
        return (mask & Rdma.IBV_QP_STATE()) != 0 && number >= 0 && number < State.values().length ? Optional.of(State.values()[number])
                : Optional.empty();
    }

    private static boolean hasPath(State state) {
        return state.compareTo(State.READY_TO_RECEIVE) >= 0 && state != State.ERROR;
    }

    /** The device has 32 bits for it. */
    private static OptionalInt depth(boolean has, int value) {
        return number(has, value, Integer.MAX_VALUE);
    }

    private static OptionalInt number(boolean has, int value, int most) {
        return has && value >= 0 && value <= most ? OptionalInt.of(value) : OptionalInt.empty();
    }

    /** {@code IBV_MTU_256} is number 1; each next is twice as long. */
    private static OptionalInt mtu(boolean has, int number) {
        return has && number >= Rdma.IBV_MTU_256() && number <= Rdma.IBV_MTU_4096() ? OptionalInt.of(128 << number) : OptionalInt.empty();
    }

    private static Optional<AddressVector> route(MemorySegment vector) {
        MemorySegment header = ibv_ah_attr.grh(vector);
        boolean isGlobal = ibv_ah_attr.is_global(vector) != 0;
        GlobalIdentifier destination = isGlobal ? GlobalIdentifier.of(ibv_global_route.dgid(header).toArray(ValueLayout.JAVA_BYTE))
                : new GlobalIdentifier(0, 0);
        try {
            AddressVector route = AddressVector
                    .to(Byte.toUnsignedInt(ibv_ah_attr.port_num(vector)),
                            isGlobal ? Byte.toUnsignedInt(ibv_global_route.sgid_index(header)) : 0, destination)
                    .withLocalIdentifier(Short.toUnsignedInt(ibv_ah_attr.dlid(vector)))
                    .withServiceLevel(Byte.toUnsignedInt(ibv_ah_attr.sl(vector)));
            return Optional.of(isGlobal ? route.withHopLimit(Byte.toUnsignedInt(ibv_global_route.hop_limit(header)))
                    .withTrafficClass(Byte.toUnsignedInt(ibv_global_route.traffic_class(header)))
                    .withFlowLabel(ibv_global_route.flow_label(header)) : route);
        } catch (IllegalArgumentException impossible) {
            return Optional.empty();
        }
    }

    private static Set<Access> rights(int flags) {
        Set<Access> rights = EnumSet.noneOf(Access.class);
        for (Access right : PEER_RIGHTS) {
            if ((flags & AccessFlags.of(right)) != 0) {
                rights.add(right);
            }
        }
        return Set.copyOf(rights);
    }
}
