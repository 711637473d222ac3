package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Sorts the packets of a file by connection, and counts. */
final class Decoder {
    private final Consumer<Entry> out;
    private final Limits limits;
    private final ConnectionTable connections = new ConnectionTable();
    /** The memory in bytes that all connections take. */
    private long held;
    private boolean stopped;
    private long packets;
    private long decoded;
    private long messages;
    private long bad;
    private long malformed;
    private long lost;

    Decoder(Consumer<Entry> out) {
        this(out, Limits.USUAL);
    }

    Decoder(Consumer<Entry> out, Limits limits) {
        this.out = out;
        this.limits = limits;
    }

    /** Decodes a whole file. After an error in the file it first decodes the packets before the error, then throws. */
    void decode(PacketFile file) throws IOException {
        try {
            for (Frame frame = file.next(); frame != null; frame = stopped ? null : file.next()) {
                packets++;
                TcpSegment segment = TcpSegment.of(frame);
                if (segment != null) {
                    add(frame, segment);
                }
            }
        } finally {
            if (!stopped) {
                connections.all().forEach(connection -> end(connection, "the file ends"));
            }
        }
    }

    /** Ends decoding before the next packet: the reader wants no further entries. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** The memory in bytes that waits for missing segments, start frames and the rest of messages. */
    long held() {
        return held;
    }

    private void add(Frame frame, TcpSegment segment) {
        MpaConnection connection = connections.get(segment);
        if (connection != null && connection.isFollowedBy(segment)) {
            connections.remove(segment);
            end(connection, "another connection begins");
            connection = null;
        }
        boolean begins = connection == null;
        if (begins) {
            connection = new MpaConnection(segment.from(), segment.to(), limits, this::count);
        }
        held -= connection.held();
        connection.add(frame, segment);
        held += connection.held();
        if (!begins || makeRoomFor(connection)) {
            connections.put(segment, connection);
        }
        if (held > limits.total()) {
            releaseMemory();
        }
    }

    /** Displaces a connection if the table is full. A spare connection displaces only another spare one, or is not followed. */
    private boolean makeRoomFor(MpaConnection connection) {
        if (connections.size() < limits.connections()) {
            return true;
        }
        boolean stays = !connection.isSpare() || connections.hasSpare();
        MpaConnection displaced = stays ? connections.removeFirst() : connection;
        if (!displaced.isSpare()) {
            held -= displaced.held();
            displaced.giveUp("more than " + limits.connections() + " connections are under way, and this one had no packet for longest");
            held += displaced.held();
        }
        end(displaced, "the limit of " + limits.connections() + " connections is reached");
        return stays;
    }

    private void end(MpaConnection connection, String cause) {
        held -= connection.held();
        connection.release(cause);
        decoded += connection.isMpa() ? 1 : 0;
    }

    /** Releases the memory of connections that have had no packet for longest. It frees a quarter of the limit, so that it is rare. */
    private void releaseMemory() {
        for (MpaConnection connection : connections.all()) {
            if (held <= limits.total() / 4 * 3) {
                return;
            }
            held -= connection.held();
            connection.release("the limit of " + limits.total() + " bytes for all connections is reached");
            held += connection.held();
        }
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
