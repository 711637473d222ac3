package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Sorts the packets of a file by connection, and counts. */
final class Decoder {
    /** The most connections that the decoder follows at a time; a further one displaces the oldest. */
    private static final int MOST_CONNECTIONS = 4096;

    private final Consumer<Entry> out;
    /** Connections by their two ends, in either order. */
    private final Map<Set<InetSocketAddress>, MpaConnection> connections = new LinkedHashMap<>();
    private long packets;
    private long decoded;
    private long messages;
    private long bad;
    private long malformed;
    private long lost;

    Decoder(Consumer<Entry> out) {
        this.out = out;
    }

    /** Decodes a whole file. After an error in the file it first decodes the packets before the error, then throws. */
    void decode(PacketFile file) throws IOException {
        try {
            for (Frame frame = file.next(); frame != null; frame = file.next()) {
                packets++;
                TcpSegment segment = TcpSegment.of(frame);
                if (segment != null) {
                    connection(segment).add(frame, segment);
                }
            }
        } finally {
            List.copyOf(connections.values()).forEach(this::end);
        }
    }

    private MpaConnection connection(TcpSegment segment) {
        Set<InetSocketAddress> ends = segment.from().equals(segment.to()) ? Set.of(segment.from()) : Set.of(segment.from(), segment.to());
        MpaConnection known = connections.get(ends);
        boolean begins = (segment.flags() & TcpSegment.SYN) != 0;
        if (known != null && (!begins || known.isNew())) {
            return known;
        }
        if (known != null) {
            // A new connection of the same ports.
            connections.remove(ends);
            end(known);
        } else if (connections.size() == MOST_CONNECTIONS) {
            Map.Entry<Set<InetSocketAddress>, MpaConnection> oldest = connections.entrySet().iterator().next();
            connections.remove(oldest.getKey());
            end(oldest.getValue());
        }
        MpaConnection connection = new MpaConnection(segment.from(), segment.to(), this::count);
        connections.put(ends, connection);
        return connection;
    }

    private void end(MpaConnection connection) {
        connection.end();
        decoded += connection.isMpa() ? 1 : 0;
    }

    private void count(Entry entry) {
        if (entry.kind().equals("fpdu")) {
            messages++;
            bad += "bad".equals(entry.fields().get("crc")) ? 1 : 0;
            malformed += entry.fields().containsKey("malformed") ? 1 : 0;
        }
        lost += entry.kind().equals("lost") ? 1 : 0;
        out.accept(entry);
    }

    Map<String, Object> totals() {
        Map<String, Object> totals = new LinkedHashMap<>();
        totals.put("packets", packets);
        totals.put("connections", decoded);
        totals.put("fpdus", messages);
        totals.put("badCrcs", bad);
        totals.put("malformed", malformed);
        totals.put("lost", lost);
        return totals;
    }
}
