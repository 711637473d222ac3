package org.panamaverbs.softiwarp.wire;

import java.util.HashMap;
import java.util.Map;

/**
 * The reasons to terminate a connection: layer, type and code as {@code 0xLTCC} (RFC 5040, figure 9; RFC 5041, 7.2; RFC 5044, 8; RFC 6581,
 * 8). All are 0 or greater; {@link #NONE} is no error.
 */
public final class TerminateCode {
    /** No error. */
    public static final int NONE = -1;

    /** RDMA: local catastrophic error. Any code is valid (RFC 5040, figure 9); siw sends 0xFF. */
    public static final int LOCAL_CATASTROPHIC = 0x0000;
    /** RDMA, remote protection: invalid STag. */
    public static final int RDMA_INVALID_STAG = 0x0100;
    /** RDMA, remote protection: base or bounds violation. */
    public static final int RDMA_BOUNDS = 0x0101;
    /** RDMA, remote protection: access rights violation. */
    public static final int RDMA_ACCESS = 0x0102;
    /** RDMA, remote protection: STag not associated with the stream. */
    public static final int RDMA_STAG_NOT_OF_STREAM = 0x0103;
    /** RDMA, remote protection: TO wrap. */
    public static final int RDMA_TO_WRAP = 0x0104;
    /** RDMA, remote protection: STag cannot be invalidated. */
    public static final int RDMA_CANNOT_INVALIDATE = 0x0109;
    /** RDMA, remote protection: unspecified. */
    public static final int RDMA_PROTECTION_UNSPECIFIED = 0x01FF;
    /** RDMA, remote operation: invalid RDMAP version. */
    public static final int RDMA_VERSION = 0x0205;
    /** RDMA, remote operation: unexpected opcode. */
    public static final int RDMA_OPCODE = 0x0206;
    /** RDMA, remote operation: catastrophic, localized to the stream. */
    public static final int RDMA_STREAM_CATASTROPHIC = 0x0207;
    /** RDMA, remote operation: catastrophic, global. */
    public static final int RDMA_GLOBAL_CATASTROPHIC = 0x0208;
    /** RDMA, remote operation: STag cannot be invalidated; figure 9 lists this error twice, see {@link #RDMA_CANNOT_INVALIDATE}. */
    public static final int RDMA_OPERATION_CANNOT_INVALIDATE = 0x0209;
    /** RDMA, remote operation: unspecified. */
    public static final int RDMA_UNSPECIFIED = 0x02FF;
    /** DDP: local catastrophic error; siw also sends it if an address lies outside a region. */
    public static final int DDP_LOCAL_CATASTROPHIC = 0x1000;
    /** DDP, tagged: invalid STag. */
    public static final int TAGGED_INVALID_STAG = 0x1100;
    /** DDP, tagged: base or bounds violation. */
    public static final int TAGGED_BOUNDS = 0x1101;
    /** DDP, tagged: STag not associated with the stream. */
    public static final int TAGGED_STAG_NOT_OF_STREAM = 0x1102;
    /** DDP, tagged: TO wrap. */
    public static final int TAGGED_TO_WRAP = 0x1103;
    /** DDP, tagged: invalid DDP version. */
    public static final int TAGGED_VERSION = 0x1104;
    /** DDP, untagged: invalid QN. */
    public static final int UNTAGGED_QUEUE = 0x1201;
    /** DDP, untagged: no buffer available. */
    public static final int UNTAGGED_NO_BUFFER = 0x1202;
    /** DDP, untagged: MSN range is not valid. */
    public static final int UNTAGGED_MSN = 0x1203;
    /** DDP, untagged: invalid MO. */
    public static final int UNTAGGED_OFFSET = 0x1204;
    /** DDP, untagged: message too long for the buffer. */
    public static final int UNTAGGED_TOO_LONG = 0x1205;
    /** DDP, untagged: invalid DDP version. */
    public static final int UNTAGGED_VERSION = 0x1206;
    /** MPA: the TCP connection was closed or lost. */
    public static final int MPA_CLOSED = 0x2001;
    /** MPA: the CRC does not match. We also send it for a length that is too short for a DDP header. */
    public static final int MPA_CRC = 0x2002;
    /** MPA: Marker and length do not agree. */
    public static final int MPA_MARKER = 0x2003;
    /** MPA: invalid Request or Reply. */
    public static final int MPA_START = 0x2004;
    /** MPA: local catastrophic. */
    public static final int MPA_LOCAL_CATASTROPHIC = 0x2005;
    /** MPA: insufficient IRD resources. */
    public static final int MPA_INSUFFICIENT_IRD = 0x2006;
    /** MPA: no matching ready-to-receive option. */
    public static final int MPA_NO_RTR = 0x2007;

    /** The names of the RFCs. */
    private static final Map<Integer, String> NAMES = new HashMap<>();
    /** The causes in a program's terms, for errors that programs make. DDP has one number for an unknown key and a missing right. */
    private static final Map<Integer, String> CAUSES = Map.ofEntries(Map.entry(RDMA_INVALID_STAG, "no such key: was the region closed?"),
            Map.entry(RDMA_BOUNDS, "outside of the region: see the offset and the length"),
            Map.entry(RDMA_ACCESS, "no right: was the region registered without REMOTE_READ, or REMOTE_ATOMIC for atomics?"),
            Map.entry(RDMA_STAG_NOT_OF_STREAM, "the key is one of another protection domain or connection"),
            Map.entry(RDMA_STREAM_CATASTROPHIC,
                    "memory of the region cannot be used: was its file cut short, or the address of an atomic no multiple of 8?"),
            Map.entry(TAGGED_INVALID_STAG, "no such key, or no right to write: was the region closed, or registered without REMOTE_WRITE?"),
            Map.entry(TAGGED_BOUNDS, "outside of the region: see the offset and the length"),
            Map.entry(TAGGED_STAG_NOT_OF_STREAM, "the key is one of another protection domain or connection"),
            Map.entry(DDP_LOCAL_CATASTROPHIC, "a message could not be placed"),
            Map.entry(UNTAGGED_NO_BUFFER, "no receive was posted, or too many Reads were outstanding"),
            Map.entry(UNTAGGED_TOO_LONG, "the message is longer than the receive posted for it"));

    static {
        NAMES.put(DDP_LOCAL_CATASTROPHIC, "local catastrophic error");
        NAMES.put(LOCAL_CATASTROPHIC, "local catastrophic error");
        NAMES.put(RDMA_INVALID_STAG, "remote protection error: invalid STag");
        NAMES.put(RDMA_BOUNDS, "remote protection error: base or bounds violation");
        NAMES.put(RDMA_ACCESS, "remote protection error: access rights violation");
        NAMES.put(RDMA_STAG_NOT_OF_STREAM, "remote protection error: STag not associated with the stream");
        NAMES.put(RDMA_TO_WRAP, "remote protection error: tagged offset wraps");
        NAMES.put(RDMA_CANNOT_INVALIDATE, "remote protection error: STag cannot be invalidated");
        NAMES.put(RDMA_PROTECTION_UNSPECIFIED, "remote protection error: unspecified");
        NAMES.put(RDMA_VERSION, "remote operation error: invalid RDMAP version");
        NAMES.put(RDMA_OPCODE, "remote operation error: unexpected opcode");
        NAMES.put(RDMA_STREAM_CATASTROPHIC, "remote operation error: catastrophic, localized to the stream");
        NAMES.put(RDMA_GLOBAL_CATASTROPHIC, "remote operation error: catastrophic, global");
        NAMES.put(RDMA_OPERATION_CANNOT_INVALIDATE, "remote operation error: STag cannot be invalidated");
        NAMES.put(RDMA_UNSPECIFIED, "remote operation error: unspecified");
        NAMES.put(TAGGED_INVALID_STAG, "tagged buffer error: invalid STag");
        NAMES.put(TAGGED_BOUNDS, "tagged buffer error: base or bounds violation");
        NAMES.put(TAGGED_STAG_NOT_OF_STREAM, "tagged buffer error: STag not associated with the stream");
        NAMES.put(TAGGED_TO_WRAP, "tagged buffer error: tagged offset wraps");
        NAMES.put(TAGGED_VERSION, "tagged buffer error: invalid DDP version");
        NAMES.put(UNTAGGED_QUEUE, "untagged buffer error: invalid queue number");
        NAMES.put(UNTAGGED_NO_BUFFER, "untagged buffer error: no buffer available");
        NAMES.put(UNTAGGED_MSN, "untagged buffer error: message sequence number out of range");
        NAMES.put(UNTAGGED_OFFSET, "untagged buffer error: invalid message offset");
        NAMES.put(UNTAGGED_TOO_LONG, "untagged buffer error: message too long for the buffer");
        NAMES.put(UNTAGGED_VERSION, "untagged buffer error: invalid DDP version");
        NAMES.put(MPA_CLOSED, "TCP connection closed");
        NAMES.put(MPA_CRC, "CRC mismatch");
        NAMES.put(MPA_MARKER, "Marker and length do not agree");
        NAMES.put(MPA_START, "invalid Request or Reply frame");
        NAMES.put(MPA_LOCAL_CATASTROPHIC, "local catastrophic error");
        NAMES.put(MPA_INSUFFICIENT_IRD, "insufficient IRD resources");
        NAMES.put(MPA_NO_RTR, "no matching ready-to-receive option");
    }

    private TerminateCode() {
    }

    /** The layer that found the error: 0 RDMA, 1 DDP, 2 the layer below. */
    public static int layer(int error) {
        return error >>> 12 & 0x0F;
    }

    /** The error type: 4 bits. */
    public static int type(int error) {
        return error >>> 8 & 0x0F;
    }

    /** The error code: 8 bits. */
    public static int code(int error) {
        return error & 0xFF;
    }

    /** Whether the end that sends the Terminate failed itself; such a Terminate carries no header (RFC 5040, figure 10). */
    public static boolean isLocal(int error) {
        return isLocalCatastrophic(error) || error == DDP_LOCAL_CATASTROPHIC;
    }

    /** Whether it is a remote protection error of RDMAP. */
    public static boolean isRdmapProtection(int error) {
        return error >>> 8 == RDMA_INVALID_STAG >>> 8;
    }

    /** Whether the error concerns an STag, an address or an access right. */
    public static boolean isProtection(int error) {
        int kind = error >>> 8;
        return kind == RDMA_INVALID_STAG >>> 8 || kind == TAGGED_INVALID_STAG >>> 8 && error != TAGGED_VERSION;
    }

    /** Whether the RFCs define this error. */
    static boolean isDefined(int error) {
        return isLocalCatastrophic(error) || NAMES.containsKey(error);
    }

    private static boolean isLocalCatastrophic(int error) {
        return error >>> 8 == LOCAL_CATASTROPHIC;
    }

    /** Describes the error for messages: the cause if it is known, then the words and numbers of the RFCs. Allocates: not for the hot path. */
    public static String describe(int error) {
        String layer = switch (layer(error)) {
            case 0 -> "RDMA";
            case 1 -> "DDP";
            case 2 -> "MPA";
            default -> "unknown";
        };
        String name = NAMES.getOrDefault(isLocalCatastrophic(error) ? LOCAL_CATASTROPHIC : error, "unnamed error");
        String cause = CAUSES.get(error);
        String numbers = "layer 0x%x, type 0x%x, code 0x%02x".formatted(layer(error), type(error), code(error));
        return cause == null ? "%s layer, %s (%s)".formatted(layer, name, numbers)
                : "%s (%s layer, %s; %s)".formatted(cause, layer, name, numbers);
    }
}
