package org.panamaverbs.rpcrdma.wire;

import java.util.HexFormat;

/** XDR as text: words of 4 bytes in hex, between spaces, whose leading zeros may be left out. */
public final class Words {
    private Words() {
    }

    public static byte[] of(String text) {
        StringBuilder hex = new StringBuilder();
        for (String word : text.strip().split("\\s+")) {
            if (!word.isEmpty()) {
                hex.append("0".repeat(8 - word.length())).append(word);
            }
        }
        return HexFormat.of().parseHex(hex);
    }
}
