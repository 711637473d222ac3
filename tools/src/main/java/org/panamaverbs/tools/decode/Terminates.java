package org.panamaverbs.tools.decode;

import java.util.HashMap;
import java.util.Map;

/** The names of the errors of Terminates, by layer, type and code (RFC 5040, figure 9; RFC 5041, 7.2; RFC 5044, 8; RFC 6581, 8). */
final class Terminates {
    private static final String[] LAYERS = { "RDMA", "DDP", "MPA" };
    private static final Map<Integer, String> TYPES = Map.of(0x00, "local catastrophic error", 0x01, "remote protection error", 0x02,
            "remote operation error", 0x10, "local catastrophic error", 0x11, "tagged buffer error", 0x12, "untagged buffer error", 0x20,
            "MPA error");
    private static final Map<Integer, String> CODES = new HashMap<>();

    static {
        name(0x0100, "invalid STag", "base or bounds violation", "access rights violation", "STag not associated with the stream",
                "TO wrap");
        CODES.put(0x0109, "STag cannot be invalidated");
        CODES.put(0x01FF, "unspecified");
        name(0x0205, "invalid RDMAP version", "unexpected opcode", "catastrophic error, localized to the stream",
                "catastrophic error, global", "STag cannot be invalidated");
        CODES.put(0x02FF, "unspecified");
        name(0x1100, "invalid STag", "base or bounds violation", "STag not associated with the stream", "TO wrap", "invalid DDP version");
        name(0x1201, "invalid queue number", "no buffer available", "MSN range is not valid", "invalid MO", "message too long",
                "invalid DDP version");
        name(0x2001, "TCP connection closed, terminated or lost", "CRC error", "Marker and ULPDU length do not agree",
                "invalid MPA Request or Reply frame", "local catastrophic error", "insufficient IRD resources",
                "no matching ready-to-receive option");
    }

    private Terminates() {
    }

    private static void name(int first, String... names) {
        for (int i = 0; i < names.length; i++) {
            CODES.put(first + i, names[i]);
        }
    }

    static boolean isKnown(int error) {
        return error >>> 8 == 0 || error >>> 8 == 0x10 || CODES.containsKey(error);
    }

    /** Describes an error, layer, type and code as 0xLTCC, in words. */
    static String describe(int error) {
        int layer = error >>> 12 & 0x0F;
        String words = layer < LAYERS.length ? LAYERS[layer] : "layer " + layer;
        words += ", " + TYPES.getOrDefault(error >>> 8, "type " + (error >>> 8 & 0x0F));
        String code = CODES.get(error);
        if (code == null) {
            code = "code 0x" + Integer.toHexString(error & 0xFF);
        }
        return words + ": " + code;
    }
}
