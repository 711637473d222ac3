package org.panamaverbs.softiwarp.transport.capture;

import java.net.InetSocketAddress;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * One stream in a capture, as a TCP connection: sequence numbers begin at 0 with the SYN, and each direction acknowledges the captured
 * bytes of the other direction. The lock orders the two directions, which different threads may use.
 */
final class CapturedStream {
    /** The most bytes of the stream in one packet: the largest total length of IPv4, less both headers. */
    private static final int MOST = 65_535 - Packet.LARGEST_HEADERS;

    private final CaptureFile file;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final byte[] out;
    private final byte[] in;
    /** The next sequence number of each direction. */
    private int outSequence;
    private int inSequence;
    private boolean outEnded;
    private boolean inEnded;
    private boolean over;

    CapturedStream(CaptureFile file, InetSocketAddress local, InetSocketAddress remote, boolean active) {
        this.file = file;
        this.local = local;
        this.remote = remote;
        this.out = Packet.template(local, remote);
        this.in = Packet.template(remote, local);
        handshake(active);
    }

    InetSocketAddress local() {
        return local;
    }

    InetSocketAddress remote() {
        return remote;
    }

    private synchronized void handshake(boolean active) {
        put(active, Packet.SYN, 0, 0, null, 0, 0);
        put(!active, Packet.SYN | Packet.ACK, 0, 1, null, 0, 0);
        outSequence = 1;
        inSequence = 1;
        put(active, Packet.ACK, 1, 1, null, 0, 0);
    }

    /** The first bytes of a vector were sent; its memory is entered. */
    synchronized void sent(IoVector vector, long count) {
        outSequence = data(true, vector, count, outSequence, inSequence);
    }

    /** Bytes have come into the front of a vector; its memory is entered. */
    synchronized void received(IoVector vector, long count) {
        inSequence = data(false, vector, count, inSequence, outSequence);
    }

    private int data(boolean outwards, IoVector vector, long count, int sequence, int acknowledged) {
        long done = 0;
        while (done < count) {
            int length = (int) Math.min(MOST, count - done);
            int flags = Packet.ACK | (done + length == count ? Packet.PUSH : 0);
            put(outwards, flags, sequence + (int) done, acknowledged, vector, done, length);
            done += length;
        }
        return sequence + (int) count;
    }

    private void put(boolean outwards, int flags, int sequence, int acknowledged, IoVector vector, long from, int length) {
        file.put(outwards ? out : in, outwards, flags, sequence, acknowledged, vector, from, length);
    }

    /** One direction has ended in good order. */
    synchronized void ended(boolean ours) {
        if (over || (ours ? outEnded : inEnded)) {
            return;
        }
        if (ours) {
            outEnded = true;
            put(true, Packet.FIN | Packet.ACK, outSequence++, inSequence, null, 0, 0);
        } else {
            inEnded = true;
            put(false, Packet.FIN | Packet.ACK, inSequence++, outSequence, null, 0, 0);
        }
    }

    /** The stream broke: the capture shows a reset by the peer for any cause. */
    synchronized void broken() {
        if (!over) {
            over = true;
            put(false, Packet.RESET | Packet.ACK, inSequence, outSequence, null, 0, 0);
        }
    }

    /** This side has closed. */
    void closed() {
        ended(true);
        synchronized (this) {
            over = true;
        }
        file.end(this);
    }
}
