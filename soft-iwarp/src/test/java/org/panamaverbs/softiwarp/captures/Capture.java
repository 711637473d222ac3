package org.panamaverbs.softiwarp.captures;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A capture in pcap's classic format of one TCP connection over Ethernet and IPv4. TCP checksums are not looked at: local traffic leaves
 * them out.
 */
final class Capture {
    /** The connections that the tests replay. */
    static final List<String> NAMES = List.of("rping", "rping-crc", "rdma-client-server", "nfs4-rdma");

    private static final int MICROSECONDS = 0xA1B2C3D4;
    private static final int NANOSECONDS = 0xA1B23C4D;
    private static final int ETHERNET = 1;
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int ETHERNET_HEADER = 14;
    private static final int IPV4 = 0x0800;
    private static final int TCP = 6;
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;

    private final Map<Integer, TcpStream> streams = new LinkedHashMap<>();
    private final List<Flow> flows = new ArrayList<>();

    private Capture(byte[] file) {
        ByteBuffer in = ByteBuffer.wrap(file);
        int magic = in.getInt(0);
        if (magic != MICROSECONDS && magic != NANOSECONDS) {
            in.order(ByteOrder.LITTLE_ENDIAN);
            magic = in.getInt(0);
        }
        check(magic == MICROSECONDS || magic == NANOSECONDS, "the file is not a pcap");
        check(in.getInt(20) == ETHERNET, "the capture is not one of Ethernet");
        in.position(FILE_HEADER);
        while (in.hasRemaining()) {
            int record = in.position();
            int length = in.getInt(record + 8);
            check(length == in.getInt(record + 12), "a packet was cut short");
            onFrame(in.slice(record + RECORD_HEADER, length));
            in.position(record + RECORD_HEADER + length);
        }
        check(streams.size() == 2, "there is not exactly one connection");
        streams.values().forEach(stream -> flows.add(new Flow(stream.bytes(), flows.isEmpty())));
    }

    /** Reads a capture of the test resources. */
    static Capture read(String name) {
        try (InputStream in = Capture.class.getResourceAsStream("/captures/" + name + ".pcap")) {
            return new Capture(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void onFrame(ByteBuffer frame) {
        check(frame.getShort(12) == IPV4, "a packet is not IPv4");
        ByteBuffer packet = frame.slice(ETHERNET_HEADER, Short.toUnsignedInt(frame.getShort(ETHERNET_HEADER + 2)));
        check(packet.get(9) == TCP, "a packet is not TCP");
        check((packet.getShort(6) & 0x3FFF) == 0, "a packet is a fragment");
        int header = (packet.get(0) & 0x0F) * 4;
        onSegment(packet.slice(header, packet.limit() - header));
    }

    private void onSegment(ByteBuffer segment) {
        int port = Short.toUnsignedInt(segment.getShort(0));
        int sequence = segment.getInt(4);
        int header = (segment.get(12) >>> 4 & 0x0F) * 4;
        int flags = segment.get(13);
        byte[] payload = new byte[segment.limit() - header];
        segment.get(header, payload);
        if ((flags & SYN) != 0) {
            streams.computeIfAbsent(port, _ -> new TcpStream(sequence));
        }
        TcpStream stream = streams.get(port);
        check(stream != null, "a segment comes before the SYN");
        if ((flags & SYN) == 0) {
            stream.add(sequence, payload);
            if ((flags & FIN) != 0) {
                stream.finish(sequence + payload.length);
            }
        }
    }

    /** The bytes that the side that connected sent. */
    Flow initiator() {
        return flows.get(0);
    }

    /** The bytes that the side that accepted sent. */
    Flow responder() {
        return flows.get(1);
    }

    /** Whether its FPDUs carry CRCs: the Reply says so. */
    boolean hasCrc() {
        return responder().asksForCrc();
    }
}
