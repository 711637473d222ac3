package org.panamaverbs.tools.decode;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A TCP connection, and the messages of MPA on it if it begins with a Request. */
final class MpaConnection {
    private final InetSocketAddress first;
    private final InetSocketAddress second;
    private final Direction[] directions = { new Direction(), new Direction() };
    /** The offset of the first FPDU in each direction's stream. */
    private final long[] phases = new long[2];
    private final StartFrame[] starts = new StartFrame[2];
    private final Consumer<Entry> out;
    private Frame frame;
    /** The direction of the Request; -1 while it is not known. */
    private int initiator = -1;
    private boolean other;

    /** {@code first} is the sender of the first packet that the file has. */
    MpaConnection(InetSocketAddress first, InetSocketAddress second, Consumer<Entry> out) {
        this.first = first;
        this.second = second;
        this.out = out;
    }

    /** Whether it carries MPA. */
    boolean isMpa() {
        return initiator >= 0;
    }

    /** Whether no byte of either stream has come yet. */
    boolean isNew() {
        return !other && !isMpa() && directions[0].size() == 0 && directions[1].size() == 0;
    }

    void add(Frame from, TcpSegment segment) {
        if (other) {
            return;
        }
        frame = from;
        int way = segment.from().equals(first) ? 0 : 1;
        Direction direction = directions[way];
        if ((segment.flags() & TcpSegment.SYN) != 0) {
            direction.synchronise(segment.sequence() + 1);
            return;
        }
        if (direction.add(segment)) {
            parse(way);
        }
        if ((segment.flags() & TcpSegment.RESET) != 0) {
            say(way, "end", Map.of("reset", true), "TCP reset");
        } else if ((segment.flags() & TcpSegment.FIN) != 0) {
            say(way, "end", Map.of("reset", false), "TCP end of stream");
        }
    }

    /** Ends the file: decodes the bytes behind missing segments. */
    void end() {
        for (int way = 0; way < 2 && !other; way++) {
            while (directions[way].skipGap()) {
                parse(way);
            }
            if (isMpa() && directions[way].size() > 0) {
                Map<String, Object> fields = new LinkedHashMap<>();
                fields.put("bytes", directions[way].size());
                say(way, "lost", fields, "the file ends in the middle of a message: " + directions[way].size() + " bytes of it");
            }
        }
    }

    private void say(int way, String kind, Map<String, Object> fields, String text) {
        if (isMpa()) {
            out.accept(new Entry(frame.number(), frame.nanos(), way == 0 ? first : second, way == 0 ? second : first, kind, fields, text));
        }
    }

    private void parse(int way) {
        if (initiator < 0) {
            findRequest(way);
        }
        if (initiator < 0 || other) {
            return;
        }
        if (starts[way] == null && !parseStart(way)) {
            return;
        }
        parseFpdus(initiator);
        parseFpdus(1 - initiator);
    }

    private void findRequest(int way) {
        Direction stream = directions[way];
        if (!StartFrame.mayBegin(stream, true) || stream.hasHole(0, Math.min(stream.size(), StartFrame.SIZE))) {
            // The Request may be in the other direction, and later in the file. These bytes would then be a Reply.
            other = !StartFrame.mayBegin(stream, false);
        } else if (stream.size() >= StartFrame.KEY_SIZE) {
            initiator = way;
        }
    }

    private boolean parseStart(int way) {
        Direction stream = directions[way];
        boolean request = way == initiator;
        if (!StartFrame.mayBegin(stream, request)) {
            lose(way, "an MPA " + (request ? "Request" : "Reply") + " was to come, and something else did");
            return false;
        }
        if (stream.size() < StartFrame.SIZE) {
            return false;
        }
        int size = StartFrame.SIZE + stream.number(18);
        if (stream.size() < size) {
            return false;
        }
        if (stream.hasHole(0, size)) {
            lose(way, "the file lacks bytes of the MPA " + (request ? "Request" : "Reply"));
            return false;
        }
        StartFrame start = new StartFrame(request, Byte.toUnsignedInt(stream.get(16)), Byte.toUnsignedInt(stream.get(17)),
                stream.bytes(StartFrame.SIZE, size));
        stream.consume(size);
        starts[way] = start;
        phases[way] = stream.start();
        say(way, request ? "request" : "reply", start.fields(), start.text());
        return true;
    }

    private void parseFpdus(int way) {
        StartFrame request = starts[initiator];
        StartFrame reply = starts[1 - initiator];
        if (request == null || reply == null) {
            return;
        }
        Direction stream = directions[way];
        boolean crc = request.crc() || reply.crc();
        // The receiver of this direction asks for Markers in its own frame.
        boolean markers = starts[1 - way].markers();
        while (stream.size() > 0 && !stream.isLost()) {
            Fpdu fpdu = new Fpdu(stream, markers ? stream.start() - phases[way] : -1);
            if (!fpdu.hasLength()) {
                return;
            }
            if (fpdu.isLengthMissing()) {
                lose(way, "the file lacks bytes between two messages");
                return;
            }
            if (stream.size() < fpdu.size()) {
                return;
            }
            sayFpdu(way, fpdu, crc);
            stream.consume(fpdu.size());
        }
    }

    private void sayFpdu(int way, Fpdu fpdu, boolean crc) {
        String check = fpdu.check(crc);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("length", fpdu.length());
        fields.put("crc", check);
        byte[] ulpdu = fpdu.ulpdu();
        int readable = fpdu.readable();
        if (readable < Math.min(ulpdu.length, 18)) {
            say(way, "fpdu", fields, "FPDU of " + fpdu.length() + " bytes whose header the file lacks");
            return;
        }
        DdpSegment segment = new DdpSegment(ulpdu, readable);
        fields.putAll(segment.fields());
        say(way, "fpdu", fields, segment.text() + ", CRC " + (check.equals("bad") ? "BAD" : check));
    }

    private void lose(int way, String why) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("reason", why);
        directions[way].lose();
        say(way, "lost", fields, "cannot be decoded from here on: " + why);
    }
}
