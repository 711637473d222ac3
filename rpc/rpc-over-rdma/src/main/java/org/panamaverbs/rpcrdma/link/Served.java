package org.panamaverbs.rpcrdma.link;

import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.Completions;

/** A link, as its reactor sees it. The reactor's leader calls all methods, and what they throw ends the link. */
abstract class Served {
    /** Of the reactor: whether the link has asked for a turn, and the link that had asked before it. */
    final AtomicBoolean scheduled = new AtomicBoolean();
    Served nextScheduled;

    /** A completion of this link. */
    abstract void onCompletion(Completions completion);

    /** The turn that the link has asked for. */
    abstract void onTurn();

    /** What was posted with MORE goes. */
    abstract void flush();

    /** One of the other methods has thrown. This throws nothing, and needs no memory: perhaps there is none. */
    abstract void fail(Throwable cause);
}
