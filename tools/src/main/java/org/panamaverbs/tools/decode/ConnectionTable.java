package org.panamaverbs.tools.decode;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The connections that the decoder follows, by their two ends. A connection is spare if the decoder loses no message without it. The table
 * lists spare connections before all others. Within each group, the connection whose last packet is oldest comes first.
 */
final class ConnectionTable {
    private static final int CAPACITY = 16;
    private static final float LOAD_FACTOR = 0.75f;

    private final Map<Set<InetSocketAddress>, MpaConnection> spare = new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true);
    private final Map<Set<InetSocketAddress>, MpaConnection> needed = new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true);

    /** The connection of a segment, or {@code null}. */
    MpaConnection get(TcpSegment segment) {
        Set<InetSocketAddress> ends = ends(segment);
        MpaConnection connection = needed.get(ends);
        return connection != null ? connection : spare.get(ends);
    }

    /** In either order. */
    private static Set<InetSocketAddress> ends(TcpSegment segment) {
        return segment.from().equals(segment.to()) ? Set.of(segment.from()) : Set.of(segment.from(), segment.to());
    }

    /** Puts the connection of a segment in; also again when it may have become spare, or needed. */
    void put(TcpSegment segment, MpaConnection connection) {
        Set<InetSocketAddress> ends = ends(segment);
        (connection.isSpare() ? needed : spare).remove(ends);
        (connection.isSpare() ? spare : needed).put(ends, connection);
    }

    void remove(TcpSegment segment) {
        needed.remove(ends(segment));
        spare.remove(ends(segment));
    }

    /** Whether the first one is spare. */
    boolean hasSpare() {
        return !spare.isEmpty();
    }

    /** Takes the first one out. */
    MpaConnection removeFirst() {
        Iterator<MpaConnection> connections = (spare.isEmpty() ? needed : spare).values().iterator();
        MpaConnection first = connections.next();
        connections.remove();
        return first;
    }

    int size() {
        return spare.size() + needed.size();
    }

    List<MpaConnection> all() {
        List<MpaConnection> all = new ArrayList<>(spare.values());
        all.addAll(needed.values());
        return all;
    }
}
