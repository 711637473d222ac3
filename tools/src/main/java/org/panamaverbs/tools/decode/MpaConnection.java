package org.panamaverbs.tools.decode;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A TCP connection, and the messages of MPA on it if it begins with a Request. Both start frames together say how to read its messages.
 * While the file lacks one of them, bytes of the other direction wait, up to a limit.
 */
// Tested by DecodeCommandTest, DecoderConnectionsTest.
final class MpaConnection {
    private final InetSocketAddress first;
    /** That from {@code first}, and the other one. */
    private final MpaStream[] streams;
    private final Limits limits;
    private Frame frame;
    /** The direction that begins with the Request, and the other one; {@code null} while that is not known. */
    private MpaStream request;
    private MpaStream reply;
    private boolean other;
    private boolean reset;

    /** {@code first} is the sender of the first packet that the file has. */
    MpaConnection(InetSocketAddress first, InetSocketAddress second, Limits limits, Consumer<Entry> out) {
        this.first = first;
        this.limits = limits;
        this.streams = new MpaStream[] { new MpaStream(first, second, limits, out), new MpaStream(second, first, limits, out) };
    }

    /** Whether it carries MPA. */
    boolean isMpa() {
        return request != null;
    }

    /** Whether the decoder misses no message without this connection: it carries no MPA, or it has ended. */
    boolean isSpare() {
        return !isMpa() || isOver();
    }

    /** Whether it has ended, as far as the file shows: one direction may be missing. */
    private boolean isOver() {
        return reset || isOver(streams[0]) && isOver(streams[1]);
    }

    private static boolean isOver(MpaStream stream) {
        return stream.bytes().isComplete() || !stream.bytes().isSynchronised();
    }

    /** Whether a segment begins another connection between the same ports. A SYN that comes late, or again, does not. */
    boolean isFollowedBy(TcpSegment segment) {
        if (!segment.has(TcpSegment.SYN)) {
            return false;
        }
        if (streams[0].bytes().isEmpty() && streams[1].bytes().isEmpty()) {
            return isOver();
        }
        Direction bytes = sender(segment).bytes();
        return bytes.isSynchronised() ? !bytes.beginsAt(segment.firstByte()) : other;
    }

    private MpaStream sender(TcpSegment segment) {
        return segment.from().equals(first) ? streams[0] : streams[1];
    }

    private MpaStream partner(MpaStream stream) {
        return stream == streams[0] ? streams[1] : streams[0];
    }

    /** The memory in bytes that both directions take. */
    long held() {
        return streams[0].bytes().held() + streams[1].bytes().held();
    }

    void add(Frame from, TcpSegment segment) {
        if (other) {
            return;
        }
        frame = from;
        MpaStream stream = sender(segment);
        boolean wasOver = isOver();
        if (segment.has(TcpSegment.SYN)) {
            stream.bytes().synchronise(segment.firstByte());
        }
        if (stream.bytes().add(segment)) {
            advance(stream);
        }
        if (segment.has(TcpSegment.RESET)) {
            reset = true;
            sayEnd(stream, "TCP reset");
        } else if (segment.has(TcpSegment.FIN)) {
            stream.bytes().endBehind(segment);
            sayEnd(stream, "TCP end of stream");
        }
        // A direction that is missing so far may follow later in the file.
        if (!wasOver && isOver() && streams[0].bytes().isSynchronised() && streams[1].bytes().isSynchronised()) {
            release("the connection ends");
        }
    }

    private void sayEnd(MpaStream stream, String text) {
        if (isMpa()) {
            stream.say(frame, "end", Map.of("reset", reset), text);
        }
    }

    /** Reads the new bytes of a direction. */
    private void advance(MpaStream stream) {
        if (stream.bytes().isLost()) {
            lose(stream, "the file lacks more bytes than the longest message has");
        } else if (isMpa() || identify(stream)) {
            parse();
        }
    }

    /** Whether the connection carries MPA, and begins in this direction with a Request or a Reply. */
    private boolean identify(MpaStream stream) {
        Direction bytes = stream.bytes();
        boolean begins = StartFrame.mayBegin(bytes, true);
        if (!begins && !StartFrame.mayBegin(bytes, false)) {
            beOther();
        } else if (bytes.size() >= StartFrame.KEY_SIZE) {
            request = begins ? stream : partner(stream);
            reply = partner(request);
        }
        return isMpa();
    }

    private void beOther() {
        other = true;
        for (MpaStream stream : streams) {
            stream.bytes().lose();
        }
    }

    private void parse() {
        loseIf(request, request.takeStart(frame, true));
        loseIf(reply, reply.takeStart(frame, false));
        if (request.start() == null || reply.start() == null) {
            limit(request);
            limit(reply);
            return;
        }
        boolean crc = request.start().crc() || reply.start().crc();
        // The receiver of a direction asks for Markers in its own frame.
        loseIf(request, request.takeFpdus(frame, crc, reply.start().markers()));
        loseIf(reply, reply.takeFpdus(frame, crc, request.start().markers()));
    }

    private void loseIf(MpaStream stream, String why) {
        if (why != null) {
            lose(stream, why);
        }
    }

    /** While a start frame is missing, only so many bytes wait for it; none if it cannot come any more. */
    private void limit(MpaStream stream) {
        MpaStream partner = partner(stream);
        boolean hopeless = partner.start() == null && partner.bytes().isLost();
        if (stream.bytes().size() > (hopeless ? 0 : limits.direction())) {
            lose(stream, missing(stream));
        }
    }

    /** Says which start frame is missing, and how to get it. */
    private String missing(MpaStream stream) {
        boolean ofRequest = (stream.start() == null ? stream : partner(stream)) == request;
        return "the file lacks the " + StartFrame.name(ofRequest) + ": capture both directions, from the beginning of the connection";
    }

    /** A direction cannot be followed any more. Without its start frame, the other one cannot be read either. */
    private void lose(MpaStream stream, String why) {
        if (!isMpa()) {
            stream.bytes().lose();
            return;
        }
        stream.lose(frame, why);
        MpaStream partner = partner(stream);
        if (stream.start() == null && !partner.bytes().isLost()) {
            partner.lose(frame, "the " + StartFrame.name(stream == request) + " of the other direction could not be read");
        }
    }

    /**
     * Decodes the bytes behind missing segments, and keeps none. A direction is lost if it is within a message then; {@code cause} says
     * why. If not, decoding goes on with its next segment.
     */
    void release(String cause) {
        skipGaps();
        for (MpaStream stream : streams) {
            if (stream.bytes().size() == 0) {
                stream.bytes().trim();
            } else if (!isMpa()) {
                beOther();
            } else if (stream.start() != null && partner(stream).start() == null) {
                lose(stream, missing(stream));
            } else {
                stream.loseRest(frame, cause);
            }
        }
    }

    /** Decodes the bytes behind missing segments, and nothing after them. */
    void giveUp(String why) {
        skipGaps();
        for (MpaStream stream : streams) {
            if (!stream.bytes().isLost()) {
                stream.lose(frame, why);
            }
        }
    }

    private void skipGaps() {
        for (MpaStream stream : streams) {
            while (stream.bytes().skipGap()) {
                advance(stream);
            }
        }
    }
}
