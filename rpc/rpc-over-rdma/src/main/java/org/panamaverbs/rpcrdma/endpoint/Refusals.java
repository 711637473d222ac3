package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.HeaderReader;

/** The errors that the peer answers to calls: some say in which other form, or version, it would take the call (draft, 7.2.4 and 8). */
// Tested by Version2ErrorsTest, Version2NegotiationTest, RequesterErrorsTest.
final class Refusals {
    private final Endpoint endpoint;
    private final EndpointOptions options;

    Refusals(Endpoint endpoint, EndpointOptions options) {
        this.endpoint = endpoint;
        this.options = options;
    }

    /** Changes the call, or the version, to what the peer can take; {@code false} if there is nothing to change. */
    boolean adapt(OutboundCall call, HeaderReader error) {
        return switch (error.error()) {
            case VERSION -> endpoint.fallBack(error.errorFirst(), error.errorSecond());
            case READ_CHUNKS -> withFewerReadChunks(call, error.errorFirst());
            case WRITE_CHUNKS -> withoutWriteChunks(call);
            case REPLY_RESOURCE -> withLongerReply(call, error.errorFirst());
            default -> false;
        };
    }

    /** "SHOULD resend the request using a Position-Zero Read chunk" (draft, 7.2.4), or using as many chunks as the peer takes. */
    private static boolean withFewerReadChunks(OutboundCall call, long most) {
        if (call.readChunks <= most) {
            return false;
        }
        call.mostReadChunks = (int) most;
        return true;
    }

    /** "SHOULD resend the request with no Write chunks and a Reply chunk of appropriate size" (draft, 7.2.4). */
    private boolean withoutWriteChunks(OutboundCall call) {
        long length = call.replyLength;
        for (MemorySegment result : call.results) {
            length += MessageXdr.padded(result.byteSize());
        }
        if (call.withoutWriteChunks || call.results.isEmpty() || length > options.messageSize()) {
            return false;
        }
        call.withoutWriteChunks = true;
        return true;
    }

    /**
     * "It MAY send the request again using the same XID and larger reply resources" (draft, 7.2.4). The peer said so after it executed the
     * call, so the caller must allow it. A peer that takes no Write chunks says so before, by the length 0.
     */
    private boolean withLongerReply(OutboundCall call, long needed) {
        if (needed == 0) {
            return withoutWriteChunks(call);
        }
        if (!call.repeatable || needed <= call.replyLength || needed > options.messageSize()) {
            return false;
        }
        call.replyLength = (int) needed;
        return true;
    }

    /** What the caller hears if the call is not sent again. */
    CallFailedException describe(HeaderReader header) {
        String peer = "the peer refused the call: " + header.error().text();
        return new CallFailedException(Reason.values()[header.error().ordinal()], switch (header.error()) {
            case VERSION -> peer + ": it speaks versions " + header.errorFirst() + " to " + header.errorSecond() + ", this side "
                    + options.lowestVersion() + " to " + options.highestVersion() + " (RdmaRpcOptions.withVersions)";
            case BAD_XDR -> peer + ": it cannot decode the header, or the memory offered for the reply is too small";
            case READ_CHUNKS, WRITE_CHUNKS -> peer + ": it takes " + header.errorFirst() + " such chunks at most";
            case SEGMENTS -> peer + ": it takes " + header.errorFirst() + " segments of a chunk at most";
            case WRITE_RESOURCE -> peer + ": result " + header.errorFirst() + " needs " + header.errorSecond() + " bytes";
            case REPLY_RESOURCE -> peer + ": the reply needs " + header.errorFirst() + " bytes (Placement.replyAtMost)";
            default -> peer;
        });
    }
}
