package org.panamaverbs.softiwarp.hostile;

import org.panamaverbs.softiwarp.fixtures.Forge;

/**
 * One header field of a connected peer, one lie in it, and the answer: a row of the tables {@link LiesByError}, {@link LiesOfMpa},
 * {@link LiesOfDdp}, {@link LiesOfRdmap} and {@link LiesOfExtensions}.
 *
 * @param field     the field
 * @param says      what the peer writes into it
 * @param section   where the RFCs ask for the answer
 * @param situation what this side waits for meanwhile
 * @param answer    layer, type and code of the Terminate, or one of the two below
 * @param bytes     what the peer sends
 */
record Lie(String field, String says, String section, Situation situation, int answer, Bytes bytes) {
    /** No error: the connection goes on. */
    static final int ACCEPTED = -1;
    /** The connection ends, and this side sends no Terminate. */
    static final int CLOSED = -2;
    /** The length of the payloads that do not matter. */
    static final int PAYLOAD = 40;

    /** This side's request to the peer. */
    enum Situation {
        /** Nothing. */
        IDLE,
        /** A Read of {@link Known#ASKED} bytes. */
        READ,
        /** A fetch-and-add. */
        ATOMIC
    }

    /** Makes what the peer sends. */
    interface Bytes {
        byte[] of(Known known);
    }

    /** An STag, and the Tagged Offset of the first byte that it names. */
    record Place(int stag, long offset) {
        static final Place NOWHERE = new Place(0, 0);
    }

    /**
     * The peer's knowledge of this side. All regions are {@link #LENGTH} bytes long. One receive of {@link #RECEIVE} bytes is posted.
     *
     * @param target      for Writes, Reads and atomics
     * @param readOnly    for Reads alone
     * @param writeOnly   for Writes alone; the peer of another queue pair may invalidate it
     * @param foreign     of another domain
     * @param receive     of the posted receive
     * @param closed      of a region that is closed
     * @param othersOwn   of a window of type 2 that is bound on another queue pair
     * @param domainsOwn  of a window of type 1, for Writes and Reads
     * @param invalidated of a window of type 2 of this queue pair that the program has invalidated
     * @param sink        of the answer that this side waits for
     * @param identifier  of the atomic that this side waits for
     */
    record Known(Place target, Place readOnly, Place writeOnly, Place foreign, Place receive, Place closed, Place othersOwn,
            Place domainsOwn, Place invalidated, Place sink, int identifier) {
        static final int LENGTH = 4096;
        static final int RECEIVE = 64;
        static final int ASKED = 64;

        Known asked(Place place, int number) {
            return new Known(target, readOnly, writeOnly, foreign, receive, closed, othersOwn, domainsOwn, invalidated, place, number);
        }

        Known invalidated(Place place) {
            return new Known(target, readOnly, writeOnly, foreign, receive, closed, othersOwn, domainsOwn, place, sink, identifier);
        }
    }

    /** A lie of a peer that nobody asked for anything. */
    static Lie of(String field, String says, String section, int answer, Bytes bytes) {
        return new Lie(field, says, section, Situation.IDLE, answer, bytes);
    }

    static byte[] tagged(int control, int ulp, int stag, long offset, int length) {
        return Forge.fpdu(Forge.tagged(control, ulp, stag, offset, Forge.payload(length)), true);
    }

    static byte[] write(int stag, long offset, int length) {
        return tagged(Forge.LAST_TAGGED, Forge.WRITE, stag, offset, length);
    }

    static byte[] untagged(int control, int ulp, int word, int queue, int sequence, int offset, byte[] payload) {
        return Forge.fpdu(Forge.untagged(control, ulp, word, queue, sequence, offset, payload), true);
    }

    static byte[] send(int ulp, int word, int length) {
        return untagged(Forge.LAST_UNTAGGED, ulp, word, 0, 1, 0, Forge.payload(length));
    }

    static byte[] read(int sinkStag, long sinkOffset, int length, int stag, long offset) {
        return untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, Forge.readRequest(sinkStag, sinkOffset, length, stag, offset));
    }

    static byte[] atomic(int operation, int identifier, int stag, long offset) {
        return untagged(Forge.LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, 1, 0,
                Forge.atomicRequest(operation, identifier, stag, offset, 1, 0, 0, -1));
    }

    static byte[] terminate(byte... payload) {
        return untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, payload);
    }

    @Override
    public String toString() {
        return field + ": " + says + " (" + section + ")";
    }
}
