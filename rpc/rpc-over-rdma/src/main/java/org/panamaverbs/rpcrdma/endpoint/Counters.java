package org.panamaverbs.rpcrdma.endpoint;

import java.util.concurrent.atomic.LongAdder;

/** The counts of an endpoint. */
public final class Counters {
    public final LongAdder callsSent = new LongAdder();
    public final LongAdder callsReceived = new LongAdder();
    public final LongAdder repliesSent = new LongAdder();
    public final LongAdder repliesReceived = new LongAdder();

    /** Bytes of our calls and replies that the peer read, and that we wrote to the peer, out of the program's memory. */
    public final LongAdder bytesPlacedOut = new LongAdder();

    /** Bytes of the peer's calls and replies that were placed into memory of the program or of this endpoint. */
    public final LongAdder bytesPlacedIn = new LongAdder();

    /** Bytes that this endpoint copied between memory of the program and messages. */
    public final LongAdder bytesCopied = new LongAdder();
    public final LongAdder errorsSent = new LongAdder();
    public final LongAdder errorsReceived = new LongAdder();

    /** Messages that were dropped: undecodable, or for nobody. */
    public final LongAdder discarded = new LongAdder();
    public final LongAdder exposures = new LongAdder();
    public final LongAdder invalidatedByPeer = new LongAdder();
}
