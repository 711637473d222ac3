package org.panamaverbs.rpcrdma.simulation;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.HeaderReader.Outcome;
import org.panamaverbs.rpcrdma.wire.Wire;

/** Watches the calls of one side on the wire: one before the first answer, never more than were granted or asked for. */
final class CreditCheck {
    private final SimulatedWire wire;
    private final SimulatedLink caller;
    private final int mostCalls;
    private final HeaderReader header = new HeaderReader();
    private final Set<Integer> outstanding = new HashSet<>();
    private boolean answered;

    CreditCheck(SimulatedWire wire, SimulatedLink caller, int asked, int granted) {
        this.wire = wire;
        this.caller = caller;
        mostCalls = Math.min(asked, granted);
    }

    void onSend(SimulatedLink from, byte[] bytes) {
        if (header.parse(MemorySegment.ofArray(bytes), 0, bytes.length, 1, 2) != Outcome.SOUND) {
            throw wire.broken(from.name + " sends a message that cannot be parsed");
        }
        boolean message = header.procedure() == Wire.MSG || header.procedure() == Wire.NOMSG;
        if (message && isCall() && from == caller) {
            if (!outstanding.add(header.xid()) || outstanding.size() > (answered ? mostCalls : 1)) {
                throw wire.broken(from.name + " has " + outstanding.size() + " calls outstanding of " + mostCalls + ", or one twice");
            }
            if (!answered && caller == wire.client && header.version() == Wire.VERSION_2 && bytes.length > 1024) {
                throw wire.broken("the first call has " + bytes.length + " bytes");
            }
        } else if (message && !isCall() && from != caller) {
            answered = true;
            answered(from);
        } else if (header.procedure() == Wire.ERROR && from != caller) {
            answered |= header.error() != org.panamaverbs.rpcrdma.wire.ErrorCode.VERSION;
            answered(from);
        }
    }

    private void answered(SimulatedLink from) {
        if (!outstanding.remove(header.xid())) {
            throw wire.broken(from.name + " answers a call that is not outstanding: 0x" + Integer.toHexString(header.xid()));
        }
    }

    private boolean isCall() {
        if (header.version() == Wire.VERSION_2) {
            return header.chunks().direction() == Wire.CALL;
        }
        return header.procedure() == Wire.MSG ? header.payloadType() == Wire.CALL : header.chunks().reads().count() > 0;
    }
}
