package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Messages written by hand, byte by byte, and not by the code under test. */
final class Chunks {
    private Chunks() {
    }

    /** Passes a message to a reader. */
    static int feed(MessageReader reader, byte[] message, int protocol) {
        MemorySegment memory = MemorySegment.ofArray(new byte[message.length + 8]);
        memory.copyFrom(MemorySegment.ofArray(message));
        return reader.onMessage(memory, message.length, protocol, true);
    }

    static int control(MessageReader reader, int ssn, int function, int... privateData) {
        return feed(reader, control(ssn, function, privateData), SctpControl.PROTOCOL);
    }

    static byte[] control(int ssn, int function, int... privateData) {
        byte[] message = new byte[4 + privateData.length];
        message[0] = (byte) (ssn >> 8);
        message[1] = (byte) ssn;
        message[2] = (byte) (function >> 8);
        message[3] = (byte) function;
        for (int i = 0; i < privateData.length; i++) {
            message[4 + i] = (byte) privateData[i];
        }
        return message;
    }

    static int segment(MessageReader reader, byte[] message) {
        return feed(reader, message, SctpSegment.PROTOCOL);
    }

    /** A tagged segment of version 1. */
    static byte[] tagged(int ssn, boolean last, int ulp, int stag, long offset, byte... payload) {
        return HexFormat.of().parseHex(String.format("%04x%02x%02x%08x%016x", ssn & 0xFFFF, last ? 0xC1 : 0x81, ulp, stag, offset)
                + HexFormat.of().formatHex(payload));
    }

    /** An untagged segment of version 1. */
    static byte[] untagged(int ssn, boolean last, int ulp, int word, int queue, int msn, int offset, byte... payload) {
        return HexFormat.of()
                .parseHex(String.format("%04x%02x%02x%08x%08x%08x%08x", ssn & 0xFFFF, last ? 0x41 : 0x01, ulp, word, queue, msn, offset)
                        + HexFormat.of().formatHex(payload));
    }

    /** The bytes of the message that a session wants to send, which then counts as sent; empty if there is none. */
    static byte[] sent(Session session) {
        Outbound out = session.pollTransmit();
        if (out.isEmpty()) {
            return new byte[0];
        }
        byte[] bytes = out.memory().asSlice(0, out.length()).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        out.onSent();
        return bytes;
    }
}
