package org.panamaverbs.tools.decode;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An MPA Request or Reply (RFC 5044, 7.1.1; RFC 6581, 6 and 9). */
record StartFrame(boolean request, int flags, int revision, byte[] privateData) {
    static final int KEY_SIZE = 16;
    static final int SIZE = 20;

    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;
    private static final int REJECTED = 0x20;
    private static final int ENHANCED = 0x10;
    private static final int ENHANCED_REVISION = 2;
    private static final int DEPTH = 0x3FFF;
    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    /** Whether the bytes of a stream that have come begin with the key, or a part of it. */
    static boolean mayBegin(Direction stream, boolean request) {
        byte[] key = request ? REQUEST_KEY : REPLY_KEY;
        for (int i = 0; i < Math.min(KEY_SIZE, stream.size()); i++) {
            if (stream.get(i) != key[i]) {
                return false;
            }
        }
        return true;
    }

    boolean markers() {
        return (flags & MARKERS) != 0;
    }

    boolean crc() {
        return (flags & CRC) != 0;
    }

    boolean rejected() {
        return !request && (flags & REJECTED) != 0;
    }

    private boolean enhanced() {
        return (flags & ENHANCED) != 0 && revision >= ENHANCED_REVISION && privateData.length >= 4;
    }

    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("revision", revision);
        fields.put("markers", markers());
        fields.put("crcWanted", crc());
        if (!request) {
            fields.put("rejected", rejected());
        }
        if (enhanced()) {
            int ird = ByteBuffer.wrap(privateData).getShort(0);
            int ord = ByteBuffer.wrap(privateData).getShort(2);
            fields.put("inboundReads", ird & DEPTH);
            fields.put("outboundReads", ord & DEPTH);
            fields.put("peerToPeer", (ird & 0x8000) != 0);
            fields.put("readyToReceive", readyToReceive(ird, ord));
        }
        fields.put("privateData", privateData.length - (enhanced() ? 4 : 0));
        return fields;
    }

    private static List<String> readyToReceive(int ird, int ord) {
        List<String> kinds = new ArrayList<>();
        if ((ird & 0x4000) != 0) {
            kinds.add("send");
        }
        if ((ord & 0x8000) != 0) {
            kinds.add("write");
        }
        if ((ord & 0x4000) != 0) {
            kinds.add("read");
        }
        return kinds;
    }

    String text() {
        List<String> words = new ArrayList<>();
        words.add("revision " + revision);
        words.add(crc() ? "CRC" : "no CRC");
        words.add(markers() ? "Markers" : "no Markers");
        if (rejected()) {
            words.add("REJECTED");
        }
        if (enhanced()) {
            Map<String, Object> fields = fields();
            words.add("IRD " + fields.get("inboundReads"));
            words.add("ORD " + fields.get("outboundReads"));
            if (fields.get("peerToPeer").equals(true)) {
                words.add("peer-to-peer by zero-length " + fields.get("readyToReceive"));
            }
        }
        words.add((privateData.length - (enhanced() ? 4 : 0)) + " bytes of private data");
        return (request ? "MPA Request: " : "MPA Reply: ") + String.join(", ", words);
    }
}
