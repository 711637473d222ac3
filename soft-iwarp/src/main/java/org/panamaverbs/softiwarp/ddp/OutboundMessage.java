package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;

/**
 * The message that {@link DdpTransmitter} cuts into segments. The layer above fills it in; DDP numbers and sends it. Each stream has one
 * such object and reuses it for every message.
 */
public final class OutboundMessage {
    private final SgeCursor source = new SgeCursor();
    private boolean tagged;
    private boolean stable;
    private boolean shortFirst;
    private int ulp;
    private int stag;
    private long taggedOffset;
    private int queue;
    private int ulpWord;

    /**
     * Makes it a message for a tagged buffer of the peer, with no payload yet.
     *
     * @param control the ULP byte of the header
     * @param key     the STag
     * @param offset  the Tagged Offset of the first byte
     */
    public void tagged(int control, int key, long offset) {
        begin(true, control);
        stag = key;
        taggedOffset = offset;
    }

    /**
     * Makes it a message for an untagged buffer of the peer, with no payload yet.
     *
     * @param control the ULP byte of the header
     * @param word    the ULP's further 32 bits of the header
     * @param number  the queue number
     */
    public void untagged(int control, int word, int number) {
        begin(false, control);
        ulpWord = word;
        queue = number;
    }

    private void begin(boolean isTagged, int control) {
        tagged = isTagged;
        ulp = control;
        stable = true;
        shortFirst = false;
        source.clear();
    }

    /** Lets a long message begin with a short segment: the place depends on the first header, and the peer can verify that one cheaply. */
    public void beginShort() {
        shortFirst = true;
    }

    boolean beginsShort() {
        return shortFirst;
    }

    /** Says that other peers may also change the payload's memory while it is sent. */
    public void unstable() {
        stable = false;
    }

    /** The payload; the layer above has it wrap its memory. */
    public SgeCursor source() {
        return source;
    }

    boolean isTagged() {
        return tagged;
    }

    boolean isStable() {
        return stable;
    }

    int queue() {
        return queue;
    }

    int headerSize() {
        return tagged ? Ddp.TAGGED_SIZE : Ddp.UNTAGGED_SIZE;
    }

    /** Writes the header of the segment that begins at the position of the source. */
    void putHeader(MemorySegment header, long at, boolean last, int msn) {
        long position = source.position();
        if (tagged) {
            Ddp.putTagged(header, at, last, ulp, stag, taggedOffset + position);
        } else {
            Ddp.putUntagged(header, at, last, ulp, ulpWord, queue, msn, (int) position);
        }
    }
}
