package org.panamaverbs.softiwarp;

import java.util.Optional;
import java.util.OptionalInt;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;

/** The attributes of a queue pair of iWARP: TCP has its own path, retries and time-outs. */
record SoftQueriedAttributes(Optional<State> state, OptionalInt sendDepth, OptionalInt receiveDepth, OptionalInt sendElements,
        OptionalInt receiveElements, OptionalInt inlineLength, OptionalInt inboundReads,
        OptionalInt outboundReads) implements QueriedAttributes {
    /**
     * Of a queue pair that is open.
     *
     * @param inbound  the IRD; empty before it is connected
     * @param outbound the ORD; empty before it is connected
     */
    static SoftQueriedAttributes of(QueuePairState state, QueuePairAttributes attributes, OptionalInt inbound, OptionalInt outbound) {
        boolean ownReceives = attributes.sharedReceiveQueue() == null;
        return new SoftQueriedAttributes(Optional.of(state(state)), OptionalInt.of(attributes.sendDepth()),
                OptionalInt.of(ownReceives ? attributes.receiveDepth() : 0), OptionalInt.of(attributes.sendElements()),
                OptionalInt.of(ownReceives ? attributes.receiveElements() : 0), OptionalInt.of(attributes.inlineLength()), inbound,
                outbound);
    }

    private static State state(QueuePairState state) {
        return switch (state) {
            case INIT -> State.INIT;
            case READY_TO_SEND -> State.READY_TO_SEND;
            case ERROR, CLOSED -> State.ERROR;
        };
    }
}
