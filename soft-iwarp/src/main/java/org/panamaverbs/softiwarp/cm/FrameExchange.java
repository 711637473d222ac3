package org.panamaverbs.softiwarp.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.FrameReader;
import org.panamaverbs.softiwarp.mpa.NotMpaException;
import org.panamaverbs.softiwarp.transport.Channel;

/** Sends one frame of MPA's start and receives another over a channel, without waiting. Of the loop's leader. */
final class FrameExchange {
    private final Channel channel;
    private final FrameReader reader;
    private final IoVector in = new IoVector(1);
    private final IoVector out = new IoVector(1);

    FrameExchange(Channel channel, boolean readsRequest) {
        this.channel = channel;
        this.reader = new FrameReader(Arena.ofAuto().allocate(FrameReader.CAPACITY), readsRequest);
    }

    FrameReader reader() {
        return reader;
    }

    void send(byte[] frame) {
        MemorySegment copy = Arena.ofAuto().allocate(frame.length);
        MemorySegment.copy(frame, 0, copy, ValueLayout.JAVA_BYTE, 0, frame.length);
        out.add(copy, 0, frame.length);
    }

    /** Writes what the channel takes; {@code true} once all is written. */
    boolean write() {
        while (out.size() > 0) {
            long count = channel.write(out);
            if (count < 0) {
                throw channel.failure();
            }
            if (count == 0) {
                return false;
            }
            out.consume(count);
        }
        return true;
    }

    /** Reads what is there of the frame, and not one byte more; {@code true} once it is whole. */
    boolean read() {
        while (reader.missing() > 0) {
            in.clear();
            in.add(reader.frame(), reader.filled(), reader.missing());
            long count = channel.read(in);
            if (count == Channel.BROKEN) {
                throw channel.failure();
            }
            if (count == Channel.END_OF_STREAM) {
                throw new PeerException(channel.remoteAddress() + ": not an MPA peer, or one that gave up: it closed the connection after "
                        + reader.filled() + " bytes of its MPA frame; is a program that speaks iWARP at that address?");
            }
            if (count == 0) {
                return false;
            }
            try {
                reader.onReceived((int) count);
            } catch (NotMpaException e) {
                throw failed(e);
            }
        }
        return true;
    }

    VerbsException failed(NotMpaException e) {
        return new PeerException(channel.remoteAddress() + ": " + e.getMessage(), e);
    }
}
