package org.panamaverbs.tools.cast;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** One receiver of a repair, as its sender knows it. */
final class Reporter {
    /** The state of a receiver. */
    enum State {
        /** It lacks octets, or has not said yet that it is whole. */
        REPAIRING("is not whole"),
        /** It has said that it is whole, with the right checksum. */
        WHOLE("is whole"),
        /** It has a file of another size, or another checksum. */
        DIFFERS("has another file: its --size must be the size of this one"),
        /** It was silent for too long. */
        SILENT("was silent for 30 s"),
        /** It has asked for the whole file again and again, or was not whole when the time was over. */
        EXHAUSTED("has asked for more octets, or more time, than a repair may take");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** For the user, behind the receiver's address. */
        String text() {
            return text;
        }
    }

    private final InetSocketAddress address;
    private State state = State.REPAIRING;
    private long heardAt;
    /** The round after which it reported last. */
    private long round = -1;
    private final long[] wantedStarts = new long[RepairMessage.MOST_HOLES];
    private final long[] wantedEnds = new long[RepairMessage.MOST_HOLES];
    private int wanted;
    private long granted;

    Reporter(InetSocketAddress address) {
        this.address = address;
    }

    InetSocketAddress address() {
        return address;
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
        wanted = 0;
    }

    boolean isAwaited() {
        return state == State.REPAIRING;
    }

    boolean wants() {
        return wanted > 0;
    }

    long round() {
        return round;
    }

    long heardAt() {
        return heardAt;
    }

    void heard(long nanoTime, long afterRound) {
        heardAt = nanoTime;
        round = afterRound;
    }

    /**
     * Takes an H in place of the last one. A hole of more octets than the file has from there is cut.
     *
     * @return whether all of it lies within the file
     */
    boolean takeHoles(MemorySegment message, long size) {
        wanted = 0;
        boolean within = true;
        for (int i = 0; i < RepairMessage.holes(message); i++) {
            long offset = RepairMessage.offset(message, i);
            long length = RepairMessage.length(message, i);
            if (offset < 0 || offset >= size || length < 0 || length > size - offset) {
                within = false;
            } else if (length > 0) {
                wantedStarts[wanted] = offset;
                wantedEnds[wanted] = offset + length;
                wanted++;
            }
        }
        return within;
    }

    /** Adds what it wants to a round, unless it has had more than it may. */
    void addTo(RangeUnion round, long most) {
        for (int i = 0; i < wanted; i++) {
            granted += wantedEnds[i] - wantedStarts[i];
        }
        if (granted < 0 || granted > most) {
            state(State.EXHAUSTED);
            return;
        }
        for (int i = 0; i < wanted; i++) {
            round.add(wantedStarts[i], wantedEnds[i]);
        }
        wanted = 0;
    }
}
