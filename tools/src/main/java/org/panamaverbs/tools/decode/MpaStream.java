package org.panamaverbs.tools.decode;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** One direction of a connection with MPA: its bytes, its start frame, and the FPDUs behind that. */
final class MpaStream {
    private final InetSocketAddress from;
    private final InetSocketAddress to;
    private final Consumer<Entry> out;
    private final Direction bytes;
    private StartFrame start;
    /** The offset of the first FPDU in the stream. */
    private long phase;

    MpaStream(InetSocketAddress from, InetSocketAddress to, Limits limits, Consumer<Entry> out) {
        this.from = from;
        this.to = to;
        this.out = out;
        this.bytes = new Direction(limits.direction());
    }

    Direction bytes() {
        return bytes;
    }

    /** Its Request or Reply; {@code null} before that was read. */
    StartFrame start() {
        return start;
    }

    /** Emits an entry; {@code at} is the packet that completed it. */
    void say(Frame at, String kind, Map<String, Object> fields, String text) {
        out.accept(new Entry(at.number(), at.nanos(), from, to, kind, fields, text));
    }

    /** Stops decoding this direction. */
    void lose(Frame at, String why) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("reason", why);
        bytes.lose();
        say(at, "lost", fields, "cannot be decoded from here on: " + why);
    }

    /** The stream ends within a message; {@code cause} says why. */
    void loseRest(Frame at, String cause) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("reason", cause);
        fields.put("bytes", bytes.size());
        say(at, "lost", fields, cause + " in the middle of a message: " + bytes.size() + " bytes of it");
        bytes.lose();
    }

    /** Reads the Request or Reply after its last byte has come. Returns the reason if that is impossible, else {@code null}. */
    String takeStart(Frame at, boolean request) {
        if (start != null || bytes.size() == 0) {
            return null;
        }
        String name = StartFrame.name(request);
        if (bytes.hasHole(0, Math.min(bytes.size(), StartFrame.SIZE))) {
            return "the file lacks bytes of the " + name;
        }
        if (!StartFrame.mayBegin(bytes, request)) {
            return "the " + name + " should come first, and something else does: capture the connection from its beginning";
        }
        int size = bytes.size() < StartFrame.SIZE ? StartFrame.SIZE : StartFrame.SIZE + bytes.number(18);
        if (bytes.size() < size) {
            return null;
        }
        if (bytes.hasHole(0, size)) {
            return "the file lacks bytes of the " + name;
        }
        start = new StartFrame(request, Byte.toUnsignedInt(bytes.get(16)), Byte.toUnsignedInt(bytes.get(17)),
                bytes.bytes(StartFrame.SIZE, size));
        bytes.consume(size);
        phase = bytes.start();
        say(at, request ? "request" : "reply", start.fields(), start.text());
        return null;
    }

    /** Reads all whole FPDUs. Returns the reason if no further one can be read, else {@code null}. */
    String takeFpdus(Frame at, boolean crc, boolean markers) {
        while (bytes.size() > 0) {
            Fpdu fpdu = new Fpdu(bytes, markers ? bytes.start() - phase : -1);
            if (!fpdu.hasLength()) {
                return null;
            }
            if (fpdu.isLengthMissing()) {
                return "the file lacks bytes between two messages";
            }
            if (bytes.size() < fpdu.size()) {
                return null;
            }
            sayFpdu(at, fpdu, crc);
            bytes.consume(fpdu.size());
        }
        return null;
    }

    private void sayFpdu(Frame at, Fpdu fpdu, boolean crc) {
        String check = fpdu.check(crc);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("length", fpdu.length());
        fields.put("crc", check);
        byte[] ulpdu = fpdu.ulpdu();
        int readable = fpdu.readable();
        if (!DdpSegment.hasHeader(ulpdu, readable)) {
            fields.put("cut", true);
            say(at, "fpdu", fields, "FPDU of " + fpdu.length() + " bytes whose header the file lacks");
            return;
        }
        DdpSegment segment = new DdpSegment(ulpdu, readable);
        fields.putAll(segment.fields());
        say(at, "fpdu", fields, segment.text() + ", CRC " + (check.equals("bad") ? "BAD" : check));
    }
}
