package org.panamaverbs.tools.cast;

import java.net.InetSocketAddress;
import org.panamaverbs.ddp.PlacementListener;

/** The octets of a file that have come, as the sockets' threads report them to the thread that waits for them. */
final class Arrivals implements PlacementListener {
    private final Holes holes;
    private final long size;
    private long count;
    private long octets;
    private long firstAt;
    private long lastAt;
    private boolean surplus;
    private InetSocketAddress source;

    Arrivals(long size) {
        this.size = size;
        holes = new Holes(size);
    }

    @Override
    public void onPlaced(long offset, long length) {
        onPlaced(offset, length, null);
    }

    @Override
    public synchronized void onPlaced(long offset, long length, InetSocketAddress from) {
        lastAt = System.nanoTime();
        if (count == 0) {
            firstAt = lastAt;
        }
        count++;
        source = from;
        if (size > 0) {
            octets += length;
            holes.fill(offset, length);
        } else if (length > 0) {
            surplus = true;
        }
    }

    Holes holes() {
        return holes;
    }

    /** How many times something was placed; it grows while the sender is at work. */
    synchronized long count() {
        return count;
    }

    /** The sender of the last part; {@code null} before the first one. */
    synchronized InetSocketAddress source() {
        return source;
    }

    /** How many octets were placed, each time that they were. */
    synchronized long octets() {
        return octets;
    }

    /** Whether octets came though the file has none. */
    synchronized boolean isSurplus() {
        return surplus;
    }

    /** From the first part to the last. */
    synchronized double seconds() {
        return (lastAt - firstAt) / 1e9;
    }
}
